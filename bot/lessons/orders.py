"""What a person tells the store to do, past what evidence does to it (SPEC 3.12, 9).

Values alone: who gave the order and whether they may is decided before.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Retire:
    """Strike this bullet through. `by` is the numeric id of the account that asked."""

    bullet: str
    by: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Undo:
    """What a pull request (`pr`) or an account (`account`, numeric id) taught counts no more."""

    at: datetime
    pr: int | None = None
    account: int | None = None


@dataclass(frozen=True, slots=True)
class Settle:
    """A conflict is decided: `kept` is a, b or same; the other side is struck through."""

    a: str
    b: str
    kept: str
    by: int
    at: datetime


Order = Retire | Undo | Settle
