"""What is worth keeping of a finding, whoever distilled it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lesson:
    """One sentence, when it applies, what to do; the last two at most 120 characters when stored.

    `comment` is the inline comment that the finding stood in, None for the review's body.
    """

    sentence: str
    trigger: str = ""
    strategy: str = ""
    comment: int | None = None
