"""What a person should look at in a memory, each finding with its remedy. Nothing is mended here.

Pure: the facts of one repository, or of several of one owner, in; findings out.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from bot.distill.redact import redact
from bot.lessons.block import shown
from bot.lessons.document import Document
from bot.lessons.guard import is_conflict
from bot.lessons.pitfalls import PITFALLS
from bot.lessons.reading import Reading, reading
from bot.lessons.rows import FOLDER, ConflictRow, StoreRow
from bot.lessons.similarity import compare
from bot.lessons.standing import parse
from bot.lessons.store import LESSONS
from bot.lessons.tree import Naming, named
from bot.reports.carried import CarriedFile, Weight, weigh
from bot.reports.facts import StoreFacts
from bot.settings import Carried


class Kind(enum.StrEnum):
    """What is wrong."""

    UNTRUSTED = "file that cannot be trusted"
    SECRET = "secret"
    CONTRADICTION = "suspected contradiction"
    DUPLICATE = "duplicate"
    TWIN = "twin in another repository"
    SPLIT = "ids shared with another repository"
    DEAD_PATH = "path that is gone"
    NO_PROVENANCE = "no provenance"
    CARRIED = "carried weight"


@dataclass(frozen=True, slots=True)
class Finding:
    """`line` is 1-based; None where it is about no single line. No text in it holds a secret."""

    kind: Kind
    repository: str
    file: str
    line: int | None
    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Load:
    """What the agents of one repository carry; `price` is that of its settings."""

    repository: str
    price: Carried
    files: tuple[CarriedFile, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """Of all repositories: findings by kind, the gravest first; and what each carries."""

    findings: tuple[Finding, ...]
    carried: tuple[Load, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """One active lesson where it stands. `id` is None for a person's line and for a rule."""

    text: str
    file: str
    line: int
    id: str | None
    ours: bool
    reading: Reading  # kept here: a fleet has more lines than the cache of readings


def audit(stores: Sequence[StoreFacts], today: date) -> Audit:
    """`today` (UTC) is what makes a trailer's date a future one."""
    carried = [_load(store) for store in stores]
    lines = [_lines(LESSONS, store.lessons, today) for store in stores]
    found: list[Finding] = []
    for store, mine, load in zip(stores, lines, carried, strict=True):
        found += _untrusted(store)
        found += _secrets(store)
        found += _alike(store, mine)
        found += _dead_paths(store, [*mine, *_standing(store), *_rules(store, today)])
        found += _without_provenance(store, mine)
        found += _heavy(load)
    for (store, mine), (other, theirs) in itertools.combinations(
        zip(stores, lines, strict=True), 2
    ):
        if store.owner == other.owner:
            found += _twins(store, mine, other, theirs)
    order = {kind: place for place, kind in enumerate(Kind)}
    found.sort(key=lambda each: order[each.kind])  # stable: by repository and line within a kind
    return Audit(tuple(found), tuple(carried))


def quoted(text: str) -> str:
    """A text of a file as a report may repeat it."""
    return redact(shown(text)).text


def _lines(path: str, data: bytes, today: date) -> list[_Line]:
    document = Document.parse(data, today)
    return [
        _Line(b.text, path, _number(document.text, b.start), b.id, b.ours, reading(b.text))
        for b in document.bullets
        if b.active
    ]


def _number(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _rules(store: StoreFacts, today: date) -> Iterator[_Line]:
    for path, data in store.rules.items():
        yield from _lines(path, data, today)


def _standing(store: StoreFacts) -> Iterator[_Line]:
    for path, data in sorted(store.standing.items()):
        file = parse(path, data)
        if file is not None:
            line = _number(file.text, file.text.find("\nsentence:") + 1)
            yield _Line(file.sentence, path, line, file.id, True, reading(file.sentence))


def _untrusted(store: StoreFacts) -> Iterator[Finding]:
    if store.distrust is not None:
        yield Finding(
            Kind.UNTRUSTED,
            store.name,
            LESSONS,
            None,
            f"it {store.distrust}; what follows is of its last version that could be trusted",
            "Repair it on the default branch: until then nothing is written.",
        )


def _secrets(store: StoreFacts) -> Iterator[Finding]:
    remedy = (
        "Revoke it where it was issued, because the history of git keeps it; then take it out here."
    )
    files = {LESSONS: store.lessons, **store.standing, **store.carried}
    for path, data in files.items():
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if kinds := redact(line).kinds:
                yield Finding(Kind.SECRET, store.name, path, number, ", ".join(kinds), remedy)
    for signal in store.history.signals:
        said = "\n".join((signal.row.sentence, signal.row.trigger, signal.row.strategy))
        if kinds := redact(said).kinds:
            what = f"{', '.join(kinds)} in the row {signal.id}"
            yield Finding(Kind.SECRET, store.name, FOLDER, None, what, remedy)


def _alike(store: StoreFacts, lines: Sequence[_Line]) -> Iterator[Finding]:
    """Duplicates, and pairs that say opposite things in nearly the same words."""
    decided = {
        frozenset((r.row.a, r.row.b))
        for r in store.history.recorded
        if isinstance(r.row, ConflictRow) and r.row.kept
    }
    for a, b in itertools.combinations(lines, 2):
        found = compare(a.reading, b.reading, store.settings.refresh)
        if found.same:
            scores = f"similarity {found.similarity:.2f}, blend {found.blend:.2f}"
            yield Finding(
                Kind.DUPLICATE,
                store.name,
                a.file,
                a.line,
                f"{_both(a, b)} ({scores})",
                "Keep the better wording and strike the other line through (`~~`).",
            )
        elif found.apart and is_conflict(found.apart) and frozenset((a.id, b.id)) not in decided:
            yield Finding(
                Kind.CONTRADICTION,
                store.name,
                a.file,
                a.line,
                f"{_both(a, b)} ({found.apart.value.replace('_', ' and ')})",
                "A person decides which holds: strike the other line through (`~~`).",
            )


def _both(a: _Line, b: _Line) -> str:
    return f"“{quoted(a.text)}” and line {b.line}: “{quoted(b.text)}”"


def _dead_paths(store: StoreFacts, lines: Sequence[_Line]) -> Iterator[Finding]:
    """Paths that stood in the tree once; one that never did may be of another place."""
    for line in lines:
        seen = store.history.paths_seen.get(line.id or "", frozenset())
        for path in named(line.text):
            if path.exists(store.tree):
                continue
            known = path.text in seen
            # A bare name such as Node.js is a file only where one of that name was seen.
            fate = store.tree.fate(path.text) if known or path.naming is not Naming.NAME else None
            if fate is None and not known:
                continue
            moved = fate.moved_to if fate else None
            yield Finding(
                Kind.DEAD_PATH,
                store.name,
                line.file,
                line.line,
                f"`{path.text}` {f'moved to `{moved}`' if moved else 'is gone'}: "
                f"“{quoted(line.text)}”",
                f"Name `{moved}` instead."
                if moved
                else "Name what took its place, or strike the line through (`~~`).",
            )


def _without_provenance(store: StoreFacts, lines: Sequence[_Line]) -> Iterator[Finding]:
    for line in lines:
        if not line.ours:
            yield Finding(
                Kind.NO_PROVENANCE,
                store.name,
                line.file,
                line.line,
                f"“{quoted(line.text)}”",
                "Nothing renews or retires it. If a pull request taught it, write "
                "`(#12, 2026-01-31, changes_requested)` behind it; if not, it stays a person's.",
            )


def _load(store: StoreFacts) -> Load:
    price = store.settings.carried
    return Load(store.name, price, weigh(store.carried, price))


def _heavy(load: Load) -> Iterator[Finding]:
    budget = load.price
    for file in load.files:
        if file.weight is not Weight.FINE:
            yield Finding(
                Kind.CARRIED,
                load.repository,
                file.path,
                None,
                f"{len(file.lines)} lines and {file.size / 1024:.1f} KB are {file.weight} of "
                f"{budget.lines} lines and {budget.kilobytes} KB",
                "Lower the caps under `block`: the file is made anew with the next change."
                if file.path == PITFALLS
                else "Move what only some tasks need into a document that is looked up.",
            )


def _twins(
    store: StoreFacts, mine: Sequence[_Line], other: StoreFacts, theirs: Sequence[_Line]
) -> Iterator[Finding]:
    shared = sorted({a.id for a in mine if a.id} & {b.id for b in theirs if b.id})
    if shared and not (_copied(store) or _copied(other)):
        yield Finding(
            Kind.SPLIT,
            store.name,
            LESSONS,
            None,
            f"{len(shared)} ids stand in {other.name} too: {', '.join(shared[:5])}",
            "One of them was copied: delete its lessons file and bring the lessons back with "
            "`python app.py import`.",
        )
    for a, b in itertools.product(mine, theirs):
        if a.id in shared and a.id == b.id:
            continue
        found = compare(a.reading, b.reading, store.settings.refresh)
        if found.same:
            yield Finding(
                Kind.TWIN,
                store.name,
                a.file,
                a.line,
                f"“{quoted(a.text)}” and in {other.name}, line {b.line}: “{quoted(b.text)}”",
                "If it holds in one of them alone, strike it through (`~~`) in the other; a "
                "lesson of both may stand in both.",
            )


def _copied(store: StoreFacts) -> bool:
    """A store that says itself that its bullets came from another repository."""
    rows = (r.row for r in store.history.recorded if isinstance(r.row, StoreRow))
    return any(row.origin == "copied" for row in rows)
