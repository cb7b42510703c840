"""What goes into a distiller and what comes out, whichever distiller runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bot.lessons.lesson import Lesson

__all__ = ["Distilled", "Distiller", "Lesson", "Quarantined", "Remark"]


@dataclass(frozen=True, slots=True)
class Remark:
    """One remark of a review: its body (`comment` is None) or one inline comment."""

    text: str
    comment: int | None = None
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A finding that a person has to look at before it may teach; `reason` is a sentence."""

    text: str
    reason: str
    comment: int | None = None


@dataclass(frozen=True, slots=True)
class Distilled:
    """Lessons in the order of section 3.11; `ignored` says why there are none, otherwise None.

    `more`: how many further ones the limit left out, as far as the distiller counts them.
    """

    lessons: tuple[Lesson, ...] = ()
    ignored: str | None = None
    quarantined: tuple[Quarantined, ...] = ()
    more: int = 0


class Distiller(Protocol):
    """Turns the remarks of one review into at most `limit` lessons of `characters` each.

    Raises Fault (retry true) when it could not answer: an outage parks the work.
    """

    def distill(self, remarks: tuple[Remark, ...], *, limit: int, characters: int) -> Distilled: ...


class Budget(Protocol):
    """The calls that one repository may still make today (UTC)."""

    def take(self) -> bool:
        """Take one call; False when none is left."""
        ...
