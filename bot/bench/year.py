"""A year of one repository, generated and replayed through the deciding code that the server runs.

    python -m bot.bench.year [--seed N] [--json]

The year is that of `bot.bench.stream`. Beside our memory runs the file that most people keep
instead: append everything, first in, first out. What is counted is whether the window held the
lesson that the next finding was about, and what else a year of ours has to show.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from bot.bench import shop
from bot.bench.shop import MERGER, SHOP, Branch
from bot.bench.stream import START, Event, Pair, Stream, generate
from bot.channels.questions import Answer, of_conflict, settled
from bot.lessons.document import Document
from bot.lessons.history import History
from bot.lessons.orders import Order
from bot.lessons.retirement import expired
from bot.lessons.rows import EvictedRow, PromotedRow
from bot.lessons.similarity import decide, jaccard
from bot.lessons.standing import REVOKED, identity_of
from bot.lessons.store import Conflict, Snapshot
from bot.lessons.tree import Fate
from bot.settings import Settings

_FILE = 40  # lines of the file kept by first in, first out
_SHOWN = Settings().block.bullets.items  # of them, the last


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
class Watch:
    """What blocks showed of pairs that are nearly alike: `looks`, and those that were wrong.

    `met` are the pairs both of whose sides were active at once, by the number of the first;
    `answers` what a person said of opposites.
    """

    looks: int = 0
    wrong: int = 0
    met: set[int] = field(default_factory=set)
    answers: dict[int, Answer] = field(default_factory=dict)

    def see(
        self, pair: Pair, shown: Collection[str], active: Sequence[str], *, touched: bool
    ) -> None:
        """One block; `active` are the lines of the file, the oldest first.

        `touched`: the block was asked for the file that the pair names, so no cap is in the way.
        """
        sides = [text for text in active if text in pair.sides]
        seen = {text for text in pair.sides if text in shown}
        if len(sides) == 2:
            self.met.add(pair.first.number)
        if not seen and not (touched and sides):
            return
        expected = self._expected(pair, sides)
        self.looks += 1
        if touched:
            self.wrong += seen != set(expected)
        else:  # the cap may have cut the older one
            self.wrong += not seen <= set(expected) or expected[-1] not in seen

    def _expected(self, pair: Pair, sides: Sequence[str]) -> Sequence[str]:
        """Both of two lessons; of opposites the newer, then the one that a person kept."""
        answer = self.answers.get(pair.first.number)
        if answer is not None:
            kept = pair.sides[answer is Answer.B]
            return [side for side in sides if side == kept]
        return sides[-1:] if pair.is_conflict else sides


@dataclass(slots=True)
class Year:
    """What came of the year, kept by our rules and by first in, first out."""

    stream: Stream
    ours: Tally = field(default_factory=Tally)  # the newest, whatever the task touches
    chosen: Tally = field(default_factory=Tally)  # lessons that name a path of the task first
    blind: Tally = field(default_factory=Tally)  # first in, first out: its last lines
    level: Tally = field(default_factory=Tally)  # of the same file as many as the newest are
    monthly: Tally = field(default_factory=Tally)  # windows that a monthly one was next needed in
    overruled: Tally = field(default_factory=Tally)  # such, when a merge had overruled it last
    watch: Watch = field(default_factory=Watch)
    stood: set[int] = field(default_factory=set)
    standing: set[int] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    lost: int = 0


def replay(seed: int, *, beyond: float = 0.0, last: int | None = None) -> Year:
    """Replays the year of a seed, or its first `last` pull requests."""
    stream = generate(seed, beyond=beyond)
    year = Year(stream)
    owner = {text: p.number for p in stream.pitfalls for text in (*p.near, *p.far)}
    tree = Branch({p.path for p in stream.pitfalls})
    now = Snapshot(None, {}, tree, repository=SHOP.id, attributes=True)
    blind: deque[str] = deque(maxlen=_FILE)
    said: dict[int, bool] = {}  # whether a merge overruled it the last time
    conflicts: tuple[Conflict, ...] = ()
    for event in stream.events[:last]:
        block = shop.block(now, event.at, event.touches)
        chosen = [item.text for item in block.items]
        newest = [item.text for item in shop.block(now, event.at, ()).items]
        _look(year, now, event, chosen, newest)
        for number, text in event.findings:
            needed = text if number in said else None
            year.ours.see(newest, needed, owner)
            year.chosen.see(chosen, needed, owner)
            year.blind.see(list(blind)[:_SHOWN], needed, owner)
            year.level.see(list(blind)[: len(newest)], needed, owner)
            if stream.pitfalls[number].kind == "monthly":
                tally = year.overruled if said.get(number) else year.monthly
                tally.see(chosen, needed, owner)
            said[number] = event.over
            blind.appendleft(text)
        if event.deletes:
            tree.paths.discard(event.deletes)
            tree.fates[event.deletes] = Fate(event.at.date(), at=event.at)
        edit = shop.edit(now, event, block, _answer(year, conflicts, event.at))
        now, conflicts = shop.applied(now, edit), edit.conflicts
        year.counts += Counter(edit.counts)
    _account(year, now, owner)
    return year


def _look(
    year: Year, now: Snapshot, event: Event, chosen: Sequence[str], newest: Sequence[str]
) -> None:
    """What must hold in every block."""
    year.chosen.duplicates += _twins(chosen)
    year.ours.duplicates += _twins(newest)
    active = _active(now, event.at.date())
    for pair in year.stream.pairs:
        year.watch.see(pair, chosen, active, touched=pair.first.path in event.touches)
        year.watch.see(pair, newest, active, touched=False)


def _twins(shown: Sequence[str]) -> int:
    return sum(
        jaccard(a, b) >= 0.5 and decide(a, b, Settings().refresh).apart is None
        for n, a in enumerate(shown)
        for b in shown[:n]
    )


def _active(now: Snapshot, today: date) -> list[str]:
    """The texts of the active lines in the file, the oldest evidence first."""
    bullets = Document.parse(now.lessons or b"", today).bullets
    dated = [
        (bullet.trailer.on, index, bullet.text)
        for index, bullet in enumerate(bullets)
        if bullet.active
        and bullet.trailer
        and not expired(bullet.trailer.on, Settings().store.expire, today)
    ]
    return [text for _, _, text in sorted(dated)]


def _answer(year: Year, conflicts: Sequence[Conflict], at: datetime) -> list[Order]:
    """What a person says by now of the opposites that are open."""
    orders: list[Order] = []
    for pair in year.stream.pairs:
        found = next((c for c in conflicts if (c.text_a, c.text_b) == pair.sides), None)
        if found and pair.answered and at >= START + timedelta(days=pair.answered[0]):
            question, answer = of_conflict(SHOP.id, found), pair.answered[1]
            orders += settled(question, answer, MERGER, at)
            year.watch.answers[pair.first.number] = answer
    return orders


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
    ids = {identity_of(path) for path in now.standing}
    year.standing = {number for lesson, number in by_lesson.items() if lesson in ids}
    waiting = {
        number
        for lesson, number in by_lesson.items()
        if f"{REVOKED}/{lesson}" in now.markers and lesson not in ids
    }
    year.standing |= waiting
    text = (now.lessons or b"").decode()
    evicted = {r.row.bullet for r in history.recorded if isinstance(r.row, EvictedRow)}
    for bullet in history.by_bullet:
        root = history.roots.get(bullet, bullet)
        year.lost += not (bullet in text or bullet in evicted or root in history.status)


COLUMNS = (
    "",
    f"first in, first out: {_SHOWN} lines",
    "as many lines as ours",
    "ours: newest",
    "the task's paths first",
)


def table(year: Year) -> list[tuple[str, ...]]:
    """Rows of what is counted and its figure for each policy, as COLUMNS names them."""
    tallies = (year.blind, year.level, year.ours, year.chosen)
    held = "windows with the lesson that the next finding needed"
    return [
        (held, *(f"{each.share:.0%}" for each in tallies)),
        ("distinct lessons, mean", *(f"{each.mean_distinct:.1f}" for each in tallies)),
    ]


def verdicts(year: Year) -> list[tuple[str, bool]]:
    """What the year has to show, and whether it does."""
    kinds = {p.number: p.kind for p in year.stream.pitfalls}
    often = {n for n, kind in kinds.items() if kind in ("weekly", "fortnightly")}
    monthly, overruled, watch = year.monthly, year.overruled, year.watch
    needed = (
        f"the monthly ones were in the window when next needed: {monthly.held} of "
        f"{monthly.windows}, and {overruled.held} of {overruled.windows} last merged over"
    )
    paired = "of a guarded pair both sides were seen, of opposites the newer until one was kept: "
    looks = f"{watch.looks - watch.wrong} of {watch.looks} looks at {len(watch.met)} pairs"
    pairs = year.stream.pairs
    complete = watch.met == {pair.first.number for pair in pairs} and watch.answers.keys() == {
        pair.first.number for pair in pairs if pair.answered
    }
    duplicates = year.chosen.duplicates + year.ours.duplicates
    return [
        ("every weekly and fortnightly pitfall has stood", often <= year.stood),
        ("each stands, or waits for its next signal, on the last day", often <= year.standing),
        ("no monthly, quarterly or single one ever stood", year.stood <= often),
        (needed, monthly.held == monthly.windows),
        ("no near duplicate was ever in a block", duplicates == 0),
        (f"{paired}{looks}", watch.wrong == 0 and complete),
        ("nothing was lost without an event", year.lost == 0),
    ]


def comparison(year: Year) -> list[tuple[str, bool]]:
    """What alone has to hold where the wordings are beyond the rule.

    Recency alone is not claimed to beat a file of as many lines: see the table.
    """
    than = "held the lesson needed more often than first in, first out"
    newest, chosen = year.ours.share, year.chosen.share
    return [
        (f"the newest {than} of {_SHOWN} lines", newest > year.blind.share),
        (f"the task's paths first {than} of {_SHOWN} lines", chosen > year.blind.share),
        (f"the task's paths first {than} of as many lines", chosen > year.level.share),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bot.bench.year", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    found: dict[str, tuple[Year, list[tuple[str, bool]]]] = {}
    for name, beyond in (("within the rule's reach", 0.0), ("half of them beyond it", 0.5)):
        print(f"a year of pull requests, rewordings {name} …", file=sys.stderr)
        year = replay(options.seed, beyond=beyond)
        found[name] = year, [*([] if beyond else verdicts(year)), *comparison(year)]
    if options.json:
        body = {
            name: {
                "table": [COLUMNS, *table(year)],
                "counts": dict(year.counts),
                "verdicts": dict(claims),
            }
            for name, (year, claims) in found.items()
        }
        json.dump(body, sys.stdout, indent=2)
        print()
    else:
        for name, (year, claims) in found.items():
            print(f"\n## Rewordings {name}\n")
            for row in (COLUMNS, ("---",) * len(COLUMNS), *table(year)):
                print(f"| {' | '.join(row)} |")
            print(f"\n{dict(year.counts)}\n")
            for claim, holds in claims:
                print(f"{'yes' if holds else 'NO '} {claim}")
    return 0 if all(holds for _, claims in found.values() for _, holds in claims) else 1


if __name__ == "__main__":
    sys.exit(main())
