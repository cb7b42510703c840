"""When a bullet stops counting: overridden, stale, expired (SPEC 4).

The trailer is a function of the bullet's valid signals. Pure; every answer carries its reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from bot.lessons.bullet import Flag, Retirement
from bot.lessons.history import Signal
from bot.lessons.rows import InvalidRow
from bot.lessons.tree import Fate, Named, Naming, Tree


@dataclass(frozen=True, slots=True)
class Invalidation:
    """Why a signal stops counting. `at`: of the merge, the dismissal or the edit."""

    why: str  # merged_over, dismissed, edited, undone
    at: datetime
    pr: int
    by: int | None = None

    def row(self, signal: str) -> InvalidRow:
        return InvalidRow(at=self.at, signal=signal, why=self.why, pr=self.pr, by=self.by)


def newest(signals: Iterable[Signal]) -> Signal | None:
    """The signal that the trailer shows: the newest, then the higher pull request number."""
    return max(signals, key=lambda s: (s.row.at, s.row.pr, s.id), default=None)


def overridden(signals: Collection[Signal], invalid: Mapping[str, InvalidRow]) -> Retirement | None:
    """The flag of a bullet whose every signal is invalid; None while one still counts."""
    reasons = [invalid[s.id] for s in signals if s.id in invalid]
    if not signals or len(reasons) < len(signals):
        return None
    last = max(reasons, key=lambda r: (r.at, r.id))
    cause = "undone" if last.why == "undone" else f"#{last.pr}"
    return Retirement(Flag.OVERRIDDEN, last.at.date(), cause)


def expired(on: date, expire: timedelta, today: date) -> Retirement | None:
    """From the `expire`-th day after the trailer's date; the flag bears that day."""
    end = on + expire
    return Retirement(Flag.EXPIRED, end) if today >= end else None


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What the tree says of the paths of one bullet.

    `moves` are (old, new) to rewrite in the text; `appeared` are paths seen for the first time.
    """

    appeared: tuple[str, ...] = ()
    moves: tuple[tuple[str, str], ...] = ()
    stale: Retirement | None = None


def whereabouts(paths: Collection[Named], seen: Collection[str], tree: Tree) -> Whereabouts:
    """Stale when every path named has been seen and none exists now; a moved path is followed.

    In doubt nothing is stale: a path that only changed case, or whose fate cannot be told.
    """
    appeared: list[str] = []
    gone: list[Named] = []
    waiting = False
    for path in paths:
        if path.exists(tree):
            if path.text not in seen:
                appeared.append(path.text)
        elif path.text in seen:
            gone.append(path)
        elif path.naming is not Naming.NAME:
            waiting = True
    fates = {path.text: _fate(path, tree) for path in gone}
    moves = tuple((old, fate.moved_to) for old, fate in fates.items() if fate and fate.moved_to)
    there = waiting or appeared or moves or any(p.text in seen and p not in gone for p in paths)
    if not gone or there or any(fate is None or fate.doubt for fate in fates.values()):
        return Whereabouts(tuple(appeared), moves)
    last = max(fate.on for fate in fates.values() if fate)
    return Whereabouts(stale=Retirement(Flag.STALE, last, ", ".join(fates)))


def _fate(path: Named, tree: Tree) -> Fate | None:
    if path.naming is Naming.PATH and tree.matching(path.text):
        return None  # only its letter case changed
    return tree.fate(path.text)
