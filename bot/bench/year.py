"""A year of one repository, generated and replayed through the deciding code that the server runs.

    python -m bot.bench.year [--seed N] [--json]

About 600 pull requests: 40 pitfalls that recur (ten each weekly, fortnightly, monthly, quarterly)
in drifting words, 60 that are said once, some merged over, some files deleted. Beside it the file
that most people keep instead: append everything, first in, first out. What is counted is whether
the window held the lesson that the next finding was about.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from bot.channels.review import judge
from bot.distill.model import Distilled
from bot.facts import (
    Account,
    Commit,
    Permission,
    PullRequest,
    PullRequestFacts,
    Repository,
    Review,
    ReviewState,
)
from bot.lessons import rows
from bot.lessons.block import Block
from bot.lessons.history import History
from bot.lessons.lesson import Lesson
from bot.lessons.pitfalls import block_of
from bot.lessons.rows import DemotedRow, PromotedRow
from bot.lessons.similarity import decide, jaccard
from bot.lessons.standing import REVOKED, identity_of, is_standing
from bot.lessons.store import LESSONS, Outcome, Snapshot, write
from bot.lessons.tree import Fate
from bot.settings import Settings

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
DAYS = 365
PULL_REQUESTS = 600
EVERY = {"weekly": 7, "fortnightly": 14, "monthly": 30, "quarterly": 91}
PER_KIND = 10
ONE_OFFS = 60
MERGED_OVER = 0.04  # of the pull requests with findings
DELETED_FILES = 12

SHOP = Repository(1, "acme", "shop", "main", "")
REVIEWERS = [Account(n, f"reviewer-{n}") for n in (11, 12, 13)]
AUTHOR, MERGER = Account(20, "author"), Account(21, "merger")
PEOPLE = {a.login: Permission.WRITE for a in (*REVIEWERS, AUTHOR, MERGER)}

_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
_SMALL = ("the", "of", "in", "a", "to", "for", "with", "from", "by", "on", "each", "every", "any",
          "its", "when", "while", "as", "so", "that", "into", "under", "over", "within", "across",
          "until", "where", "whose", "per", "onto", "toward", "between", "against")  # fmt: skip
_FORMS, _FAR = 4, 2  # wordings of a pitfall within the rule's reach, and beyond it


@dataclass(frozen=True, slots=True)
class Pitfall:
    """Something that reviewers come back to; `kind` says how often.

    `near` are its wordings that the rule joins with the first, `far` those that it does not.
    """

    number: int
    kind: str
    path: str
    near: tuple[str, ...]
    far: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """A pull request, reviewed and then merged; `findings` are (pitfall, sentence)."""

    number: int
    at: datetime
    findings: tuple[tuple[int, str], ...]
    over: bool
    touches: tuple[str, ...]
    deletes: str | None = None


def generate(seed: int, *, beyond: float = 0.0) -> tuple[list[Pitfall], list[Event]]:
    """The pitfalls and the pull requests of a year; `beyond`: share of rewordings out of reach."""
    dice = random.Random(seed)  # nosec B311: a simulation
    pitfalls = [
        _pitfall(dice, number, kind)
        for number, kind in enumerate(
            [*(kind for kind in EVERY for _ in range(PER_KIND)), *["once"] * ONE_OFFS]
        )
    ]
    due: dict[int, list[tuple[int, str]]] = {}
    for each in pitfalls:
        for turn, day in enumerate(_days(dice, each.kind)):
            far = turn > 0 and dice.random() < beyond
            text = each.far[turn % _FAR] if far else each.near[turn % _FORMS]
            due.setdefault(day, []).append((each.number, text))
    return pitfalls, list(_pull_requests(dice, pitfalls, due))


def _pitfall(dice: random.Random, number: int, kind: str) -> Pitfall:
    folder = "".join(dice.choices(_SYLLABLES, k=2))
    path = f"src/{folder}/{_word(dice)[:5]}{number}.py"
    words = [_word(dice) for _ in range(9)]
    first = _sentence(dice, words, path)
    near = [first]
    while len(near) < _FORMS:
        drifted = [*words]
        drifted[dice.randrange(len(words))] = _word(dice)
        text = _sentence(dice, drifted, path)
        if decide(text, first, Settings().refresh).same:
            near.append(text)
    far: list[str] = []
    while len(far) < _FAR:
        text = _sentence(dice, [_word(dice) for _ in range(9)], path)
        if not decide(text, first, Settings().refresh).same:
            far.append(text)
    return Pitfall(number, kind, path, tuple(near), tuple(far))


def _word(dice: random.Random) -> str:
    return "".join(dice.choices(_SYLLABLES, k=3)) + dice.choice("rnst")


def _sentence(dice: random.Random, words: Sequence[str], path: str) -> str:
    """The words in their order with small words between, and the path in its place."""
    parts: list[str] = []
    for at, word in enumerate(words):
        parts += [dice.choice(_SMALL)] if dice.random() < 0.5 else []
        parts.append(word)
        if at == 3:
            parts += ["in", f"`{path}`"]
    text = " ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _days(dice: random.Random, kind: str) -> list[int]:
    if kind == "once":
        return [dice.randrange(DAYS)]
    every = EVERY[kind]
    first = dice.randrange(min(every, 60))
    return [
        min(DAYS - 1, max(0, first + turn * every + dice.choice((-1, 0, 0, 1))))
        for turn in range((DAYS - first) // every + 1)
        if first + turn * every < DAYS
    ]


def _pull_requests(
    dice: random.Random, pitfalls: Sequence[Pitfall], due: Mapping[int, list[tuple[int, str]]]
) -> Iterator[Event]:
    once = [p for p in pitfalls if p.kind == "once"]
    doomed = {p.path: dice.randrange(200, DAYS) for p in dice.sample(once, DELETED_FILES)}
    waiting: deque[tuple[int, str]] = deque()
    number = 0
    for day in range(DAYS):
        waiting.extend(due.get(day, ()))
        while len(waiting) > 0 or number * DAYS < day * PULL_REQUESTS:
            number += 1
            findings: list[tuple[int, str]] = []
            while waiting and len(findings) < 2:
                findings.append(waiting.popleft())
            touches = {pitfalls[n].path for n, _ in findings}
            touches |= {p.path for p in dice.sample(list(pitfalls), 2)}
            gone = next((p for p, on in doomed.items() if on == day), None)
            if gone is not None:
                del doomed[gone]
            yield Event(
                number=number,
                at=START + timedelta(days=day, minutes=(number * 7) % 500),
                findings=tuple(findings),
                over=bool(findings) and dice.random() < MERGED_OVER,
                touches=tuple(sorted(touches)),
                deletes=gone,
            )


@dataclass(slots=True)
class _Tree:
    """The default branch as a set of paths."""

    paths: set[str]
    fates: dict[str, Fate] = field(default_factory=dict)
    commit: str = "0" * 40

    def has(self, path: str) -> bool:
        return path in self.paths

    def matching(self, pattern: str) -> bool:
        return any(p.rsplit("/", 1)[-1] == pattern for p in self.paths)

    def fate(self, path: str) -> Fate | None:
        return self.fates.get(path)


@dataclass(slots=True)
class Tally:
    """What a policy's windows came to."""

    windows: int = 0
    held: int = 0
    distinct: list[int] = field(default_factory=list)
    duplicates: int = 0

    def see(self, shown: Sequence[str], needed: str | None, owner: Mapping[str, int]) -> None:
        """One window, and what the next finding is about (None: nothing that was said before)."""
        self.distinct.append(len({owner.get(text, -1) for text in shown}))
        if needed is not None:
            self.windows += 1
            self.held += any(owner.get(text) == owner[needed] for text in shown)

    @property
    def share(self) -> float:
        return self.held / self.windows if self.windows else 0.0

    @property
    def mean_distinct(self) -> float:
        return sum(self.distinct) / len(self.distinct) if self.distinct else 0.0


@dataclass(slots=True)
class Year:
    """What came of the year, kept by our rules and by first in, first out."""

    pitfalls: list[Pitfall]
    ours: Tally  # the newest, whatever the task touches
    chosen: Tally  # lessons that name a path of the task first
    blind: Tally
    stood: set[int]
    standing: set[int]
    fallen: set[int]
    monthly: Tally  # windows that a monthly one was next needed in
    counts: Counter[str]
    lost: int


def replay(seed: int, *, beyond: float = 0.0, last: int | None = None) -> Year:
    """Replays the year of a seed, or its first `last` pull requests."""
    pitfalls, events = generate(seed, beyond=beyond)
    events = events[:last]
    owner = {text: p.number for p in pitfalls for text in (*p.near, *p.far)}
    tree = _Tree({p.path for p in pitfalls})
    now = Snapshot(None, {}, tree, repository=SHOP.id, attributes=True)
    year = Year(pitfalls, Tally(), Tally(), Tally(), set(), set(), set(), Tally(), Counter(), 0)
    blind: deque[str] = deque(maxlen=40)
    said: set[int] = set()
    for event in events:
        block = _block(now, event.at, event.touches)
        chosen = [item.text for item in block.items]
        shown = [item.text for item in _block(now, event.at, ()).items] if event.findings else []
        year.chosen.duplicates += _twins(chosen)
        for number, text in event.findings:
            needed = text if number in said else None
            year.ours.see(shown, needed, owner)
            year.chosen.see(chosen, needed, owner)
            year.blind.see(list(blind)[-20:], needed, owner)
            if pitfalls[number].kind == "monthly":
                year.monthly.see(chosen, needed, owner)
            said.add(number)
            blind.append(text)
        if event.deletes:
            tree.paths.discard(event.deletes)
            tree.fates[event.deletes] = Fate(event.at.date(), at=event.at)
        now, counts = _commit(now, event, block)
        year.counts += counts
    _account(year, now, owner)
    return year


def _block(now: Snapshot, at: datetime, paths: Sequence[str]) -> Block:
    return block_of(
        now.lessons, now.events, None, Settings(), at.date(), standing=now.standing, paths=paths
    )


def _twins(shown: Sequence[str]) -> int:
    return sum(
        jaccard(a, b) >= 0.5 and decide(a, b, Settings().refresh).apart is None
        for n, a in enumerate(shown)
        for b in shown[:n]
    )


def _commit(now: Snapshot, event: Event, block: Block) -> tuple[Snapshot, Counter[str]]:
    facts, distilled = _facts(event)
    judged = judge(facts, distilled, Settings())
    ids = frozenset(item.id for item in block.items if item.id)
    merged_at = facts.pull.merged_at or event.at
    outcome = Outcome(event.number, merged_at, True, True, ids, frozenset(event.touches))
    edit = write(
        now,
        judged.evidence,
        Settings(),
        merged_at.date(),
        present=judged.present,
        outcomes=[outcome],
        housekeeping=True,
    )
    events, standing, markers = dict(now.events), dict(now.standing), dict(now.markers)
    lessons = now.lessons
    for path, data in edit.changes.items():
        if path == LESSONS:
            lessons = data
            continue
        kept = (
            events if path.startswith(rows.FOLDER) else standing if is_standing(path) else markers
        )
        if data is None:
            kept.pop(path, None)
        else:
            kept[path] = data
    after = replace(now, lessons=lessons, events=events, standing=standing, markers=markers)
    return after, Counter(edit.counts)


def _facts(event: Event) -> tuple[PullRequestFacts, dict[str, Distilled]]:
    merged = event.at + timedelta(hours=6)
    reviewer = REVIEWERS[event.number % len(REVIEWERS)]
    asks = ReviewState.CHANGES_REQUESTED
    body = "\n\n".join(text for _, text in event.findings)
    review = Review(event.number, reviewer, asks, body, event.at, f"{event.number:040x}")
    fix = () if event.over else (Commit("f" * 40, event.at + timedelta(hours=2)),)
    facts = PullRequestFacts(
        repository=SHOP,
        pull=PullRequest(
            event.number, AUTHOR, "main", "topic", "f" * 40, head_repository=SHOP.id, open=False,
            merged_at=merged, merged_by=MERGER, acted_at=merged, closed_at=merged,
        ),
        reviews=(review,) if event.findings else (),
        commits=fix,
        permissions=PEOPLE,
    )  # fmt: skip
    lessons = tuple(Lesson(text) for _, text in event.findings)
    return facts, {review.source: Distilled(lessons)}


def _account(year: Year, now: Snapshot, owner: Mapping[str, int]) -> None:
    history = History.read(now.events)
    by_lesson = {
        lesson: owner[history.evidence_of(lesson)[0].row.sentence]
        for lesson in history.status
        if history.evidence_of(lesson)
    }
    for recorded in history.recorded:
        if isinstance(recorded.row, PromotedRow):
            year.stood.add(by_lesson[recorded.row.bullet])
        if isinstance(recorded.row, DemotedRow):
            year.fallen.add(by_lesson[recorded.row.bullet])
    ids = {identity_of(path) for path in now.standing}
    year.standing = {number for lesson, number in by_lesson.items() if lesson in ids}
    waiting = {
        number
        for lesson, number in by_lesson.items()
        if f"{REVOKED}/{lesson}" in now.markers and lesson not in ids
    }
    year.standing |= waiting
    text = (now.lessons or b"").decode()
    evicted = {
        getattr(r.row, "bullet", "")
        for r in history.recorded
        if type(r.row).__name__ == "EvictedRow"
    }
    for bullet in history.by_bullet:
        root = history.roots.get(bullet, bullet)
        year.lost += not (bullet in text or bullet in evicted or root in history.status)


def table(year: Year) -> list[tuple[str, ...]]:
    """Rows of what is counted and its figure for each policy: blind, newest, the task's paths."""
    tallies = (year.blind, year.ours, year.chosen)
    held, distinct = (
        "windows with the lesson that the next finding needed",
        "distinct lessons, mean",
    )
    return [
        (held, *(f"{each.share:.0%}" for each in tallies)),
        (distinct, *(f"{each.mean_distinct:.1f}" for each in tallies)),
    ]


def verdicts(year: Year) -> list[tuple[str, bool]]:
    """What the year has to show, and whether it does."""
    kinds = {p.number: p.kind for p in year.pitfalls}
    monthly = f"{year.monthly.held} of {year.monthly.windows}"
    often = {n for n, kind in kinds.items() if kind in ("weekly", "fortnightly")}
    return [
        ("every weekly and fortnightly pitfall has stood", often <= year.stood),
        ("each stands, or waits for its next signal, on the last day", often <= year.standing),
        ("no monthly, quarterly or single one ever stood", year.stood <= often),
        (
            f"the monthly ones were in the window when next needed: {monthly}",
            year.monthly.held == year.monthly.windows,
        ),
        ("no near duplicate was ever in a block", year.chosen.duplicates == 0),
        ("nothing was lost without an event", year.lost == 0),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bot.bench.year", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    found = {}
    for name, beyond in (("within the rule's reach", 0.0), ("half of them beyond it", 0.5)):
        print(f"a year of pull requests, rewordings {name} …", file=sys.stderr)
        found[name] = replay(options.seed, beyond=beyond)
    near, far = found.values()
    if options.json:
        body = {
            name: {
                "table": table(year),
                "counts": dict(year.counts),
                "verdicts": dict(verdicts(year)) if year is near else {},
            }
            for name, year in found.items()
        }
        json.dump(body, sys.stdout, indent=2)
        print()
    else:
        for name, year in found.items():
            print(f"\n## Rewordings {name}\n")
            print("| | first in, first out | newest | the task's paths first |\n|---|---|---|---|")
            for row in table(year):
                print(f"| {' | '.join(row)} |")
            print(f"\n{dict(year.counts)}")
        print()
        for claim, holds in verdicts(near):
            print(f"{'yes' if holds else 'NO '} {claim}")
    return (
        0 if all(holds for _, holds in verdicts(near)) and far.chosen.share > far.blind.share else 1
    )


if __name__ == "__main__":
    sys.exit(main())
