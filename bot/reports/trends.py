"""What writes came to, month by month: appended, refreshed, retired, and the share of duplicates.

Pure: the `write` rows of a store, or of a fleet of stores, in; frozen figures out (SPEC 8).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.lessons.history import History
from bot.lessons.rows import WriteRow

RETIRED = ("overridden", "stale", "expired", "undone")


@dataclass(frozen=True, slots=True)
class Counts:
    """Bullets that writes appended, refreshed and retired."""

    appended: int = 0
    refreshed: int = 0
    retired: int = 0

    @property
    def duplicate_share(self) -> float | None:
        """refreshed / (appended + refreshed); None where nothing was written."""
        written = self.appended + self.refreshed
        return self.refreshed / written if written else None

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.appended + other.appended,
            self.refreshed + other.refreshed,
            self.retired + other.retired,
        )


@dataclass(frozen=True, slots=True)
class Month:
    """`active`: bullets in the file after the last write of the month, or of one before it."""

    month: str  # 2026-11
    counts: Counts
    active: int


@dataclass(frozen=True, slots=True)
class Trend:
    """Oldest month first, without a gap."""

    months: tuple[Month, ...]

    @property
    def total(self) -> Counts:
        return sum((month.counts for month in self.months), Counts())

    @property
    def active(self) -> int:
        return self.months[-1].active if self.months else 0


def trend(history: History) -> Trend:
    """The months of one store, from its first write to its last."""
    found: list[Month] = []
    for recorded in history.recorded:
        if isinstance(row := recorded.row, WriteRow):
            name = f"{row.at:%Y-%m}"
            found += _gap(found[-1], name) if found else ()
            counts = found.pop().counts if found and found[-1].month == name else Counts()
            found.append(Month(name, counts + counted(row), row.active))
    return Trend(tuple(found))


def fleet(trends: Iterable[Trend]) -> Trend:
    """All stores together; a store keeps its size until its next write."""
    known = [trend.months for trend in trends if trend.months]
    if not known:
        return Trend(())
    last = max(months[-1].month for months in known)
    names = sorted({month.month for months in known for month in _until(months, last)})
    return Trend(
        tuple(_together(name, [_until(months, last) for months in known]) for name in names)
    )


def counted(row: WriteRow) -> Counts:
    """What one commit says of itself."""
    return Counts(
        row.counts.get("appended", 0),
        row.counts.get("refreshed", 0),
        sum(row.counts.get(flag, 0) for flag in RETIRED),
    )


def _together(name: str, stores: Sequence[Sequence[Month]]) -> Month:
    there = [month for months in stores for month in months if month.month == name]
    counts = sum((month.counts for month in there), Counts())
    return Month(name, counts, sum(month.active for month in there))


def _until(months: Sequence[Month], last: str) -> list[Month]:
    """The months, and those up to `last` in which nothing was written."""
    gap = _gap(months[-1], last)
    return [
        *months,
        *gap,
        *([Month(last, Counts(), months[-1].active)] * (months[-1].month < last)),
    ]


def _gap(before: Month, name: str) -> list[Month]:
    """The months between two, with nothing written in them."""
    found: list[Month] = []
    at = _next(before.month)
    while at < name:
        found.append(Month(at, Counts(), before.active))
        at = _next(at)
    return found


def _next(month: str) -> str:
    year, number = int(month[:4]), int(month[5:])
    return f"{year + number // 12:04d}-{number % 12 + 1:02d}"
