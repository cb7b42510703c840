"""What changed most in a week, over the stores of one owner. Pure: event rows in, figures out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from bot.lessons.history import History
from bot.lessons.merit import VIOLATED
from bot.lessons.rows import (
    AdherenceRow,
    DemotedRow,
    EvictedRow,
    PromotedRow,
    Row,
    ShownRow,
    SignalRow,
    WriteRow,
)
from bot.reports.trends import Counts, counted

WEEK = timedelta(days=7)
SHOWN = 4  # figures: what is read at a glance


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of this week and of the week before; `share` where it is one, 0..1.

    `moved`: by how many standard deviations the two differ, were both weeks alike.
    """

    name: str
    now: float | None
    before: float | None
    moved: float
    share: bool = False


@dataclass(frozen=True, slots=True)
class Digest:
    """The week of the days from `since` to `until`, that one not included; the most moved first."""

    since: date
    until: date
    stores: int
    figures: tuple[Figure, ...]


def digest(histories: Sequence[History], until: date) -> Digest | None:
    """None where neither this week nor the one before saw anything happen."""
    this = _week(histories, until - WEEK, until)
    last = _week(histories, until - 2 * WEEK, until - WEEK)
    if not (this.rows or last.rows):
        return None
    figures = [
        *(
            Figure(name, now, before, _moved(now, before))
            for (name, now), (_, before) in zip(this.numbers(), last.numbers(), strict=True)
        ),
        _duplicate_share(this.counts, last.counts),
    ]
    figures.sort(key=lambda figure: -figure.moved)  # stable: of equals the one named first
    return Digest(until - WEEK, until, len(histories), tuple(figures[:SHOWN]))


@dataclass(frozen=True, slots=True)
class _Week:
    """`rows` counts those of each type, `active` the bullets at its end."""

    rows: Counter[type[Row]]
    counts: Counts
    violations: int
    active: int

    def numbers(self) -> tuple[tuple[str, int], ...]:
        return (
            ("lessons appended", self.counts.appended),
            ("lessons refreshed", self.counts.refreshed),
            ("lessons retired", self.counts.retired),
            ("active lessons", self.active),
            ("remarks heard", self.rows[SignalRow]),
            ("standing lessons violated", self.violations),
            ("promoted to standing", self.rows[PromotedRow]),
            ("demoted", self.rows[DemotedRow]),
            ("evicted from a full file", self.rows[EvictedRow]),
            ("blocks served to pull requests", self.rows[ShownRow]),
        )


def _week(histories: Sequence[History], since: date, until: date) -> _Week:
    start, end = (datetime.combine(day, time(), UTC) for day in (since, until))
    rows: Counter[type[Row]] = Counter()
    counts, violations, active = Counts(), 0, 0
    for history in histories:
        size = 0
        for recorded in history.recorded:
            row = recorded.row
            if row is None or row.at >= end:
                continue
            if isinstance(row, WriteRow):
                size = row.active
            if row.at < start:
                continue
            rows[type(row)] += 1
            if isinstance(row, WriteRow):
                counts += counted(row)
            elif isinstance(row, AdherenceRow):
                violations += row.verdict == VIOLATED
        active += size
    return _Week(rows, counts, violations, active)


def _moved(now: int, before: int) -> float:
    """The difference of two counts over its standard deviation, were they Poisson: √(a + b)."""
    return abs(now - before) / math.sqrt(now + before) if now + before else 0.0


def _duplicate_share(now: Counts, before: Counts) -> Figure:
    """The two shares, and the z of their difference from the pooled share."""
    a, b = now.duplicate_share, before.duplicate_share
    moved = 0.0
    if a is not None and b is not None:
        written, earlier = now.appended + now.refreshed, before.appended + before.refreshed
        pooled = (now.refreshed + before.refreshed) / (written + earlier)
        spread = math.sqrt(pooled * (1 - pooled) * (1 / written + 1 / earlier))
        moved = abs(a - b) / spread if spread else 0.0
    return Figure("duplicate share", a, b, moved, share=True)
