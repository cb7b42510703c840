"""What goes into a distiller and what comes out, whichever distiller runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Remark:
    """One remark of a review: its body (`comment` is None) or one inline comment."""

    text: str
    comment: int | None = None
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is worth keeping of a finding: one sentence, when it applies, what to do.

    `comment` is the inline comment that the finding stood in, None for the body.
    """

    sentence: str
    trigger: str = ""
    strategy: str = ""
    comment: int | None = None


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A finding that a person has to look at before it may teach; `reason` is a sentence."""

    text: str
    reason: str
    comment: int | None = None


@dataclass(frozen=True, slots=True)
class Distilled:
    """Lessons in the order of section 3.11; `ignored` says why there are none, otherwise None."""

    lessons: tuple[Lesson, ...] = ()
    ignored: str | None = None
    quarantined: tuple[Quarantined, ...] = ()


class Distiller(Protocol):
    """Turns the remarks of one review into at most `limit` lessons of `characters` each.

    Raises Fault (retry true) when it could not answer: an outage parks the work.
    """

    def distill(self, remarks: tuple[Remark, ...], *, limit: int, characters: int) -> Distilled: ...
