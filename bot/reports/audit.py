"""What a person should look at in a memory, each finding with its remedy. Nothing is mended here.

Pure: the facts of one repository, or of several of one owner, in; findings out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from bot.distill.redact import redact
from bot.lessons.event_files import FOLDER
from bot.lessons.pitfalls import PITFALLS
from bot.lessons.store import LESSONS
from bot.lessons.tree import Naming, named
from bot.reports.carried import CarriedFile, Weight, weigh
from bot.reports.facts import StoreFacts
from bot.reports.findings import Finding, Kind, Line, lines_of, quoted, rules_of, standing_of
from bot.reports.judging import kept_apart
from bot.reports.labels import LabelledPair
from bot.reports.likeness import alike
from bot.reports.twins import twins
from bot.settings import Carried


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


def audit(
    stores: Sequence[StoreFacts], today: date, labelled: Sequence[LabelledPair] = ()
) -> Audit:
    """`today` (UTC) is what makes a trailer's date a future one.

    Pairs that a person has `labelled` distinct are no duplicates, no twins and no contradictions.
    """
    apart = kept_apart(labelled)
    carried = [_load(store) for store in stores]
    lines = [lines_of(LESSONS, store.lessons, today) for store in stores]
    found: list[Finding] = []
    for store, mine, load in zip(stores, lines, carried, strict=True):
        found += _untrusted(store)
        found += _secrets(store)
        found += alike(store, mine, apart)
        found += _dead_paths(store, [*mine, *standing_of(store), *rules_of(store, today)])
        found += _without_provenance(store, mine)
        found += _heavy(load)
        found += _notes(store)
    for (store, mine), (other, theirs) in itertools.combinations(
        zip(stores, lines, strict=True), 2
    ):
        if store.owner == other.owner:
            found += twins(store, mine, other, theirs, apart)
    order = {kind: place for place, kind in enumerate(Kind)}
    found.sort(key=lambda each: order[each.kind])  # stable: by repository and line within a kind
    return Audit(tuple(found), tuple(carried))


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


def _notes(store: StoreFacts) -> Iterator[Finding]:
    for each in store.notes:
        file, what = each.file or "", quoted(each.message)
        yield Finding(Kind.NOTE, store.name, file, each.line, what, quoted(each.remedy))


def _secrets(store: StoreFacts) -> Iterator[Finding]:
    remedy = (
        "Revoke it where it was issued, because the history of git keeps it; then take it out here."
    )
    files = {LESSONS: store.lessons, **store.standing, **store.carried}
    for path, data in files.items():
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if kinds := redact(line).kinds:
                yield Finding(Kind.LEAK, store.name, path, number, ", ".join(kinds), remedy)
    for signal in store.history.signals:
        said = "\n".join((signal.row.sentence, signal.row.trigger, signal.row.strategy))
        if kinds := redact(said).kinds:
            what = f"{', '.join(kinds)} in the row {signal.id}"
            yield Finding(Kind.LEAK, store.name, FOLDER, None, what, remedy)


def _dead_paths(store: StoreFacts, lines: Sequence[Line]) -> Iterator[Finding]:
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


def _without_provenance(store: StoreFacts, lines: Sequence[Line]) -> Iterator[Finding]:
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
                f"{len(file.lines)} lines and {file.size / 1024:.1f} KB: {file.weight} of "
                f"{budget.lines} lines and {budget.kilobytes} KB",
                "Lower the caps under `block`: the file is made anew with the next change."
                if file.path == PITFALLS
                else "Move what only some tasks need into a document that is looked up.",
            )
