"""Scores a distiller's bullets against what a maintainer would have kept of the same reviews.

Pure: it reads and runs nothing. Both sides are given per review; the measures are those that the
distiller is held to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.lessons.reading import reading


@dataclass(frozen=True, slots=True)
class Gold:
    """What a maintainer kept of one review; `key` are terms of which a good lesson keeps one."""

    review: str
    lessons: tuple[str, ...]
    key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """Shares between 0 and 1, each over the reviews that it can be asked of; 1 where it is none.

    `taught`: a bullet where the gold has one; `silent`: none where it has none; `keyed`: a key term
    kept in the bullets where it has lessons; `dice`: the mean, over all bullets given there, of
    the Dice coefficient with the nearer gold lesson.
    """

    taught: float
    silent: float
    keyed: float
    dice: float


def dice(a: str, b: str) -> float:
    """2 |A∩B| / (|A| + |B|) of the identifier-aware stemmed tokens (SPEC 3.3); 0 for none."""
    one, other = reading(a).terms, reading(b).terms
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


def score(pairs: Iterable[tuple[Gold, Sequence[str]]]) -> Score:
    """The score of bullets, each list beside the gold of its review."""
    pairs = list(pairs)
    teaching = [(gold, bullets) for gold, bullets in pairs if gold.lessons]
    quiet = [bullets for gold, bullets in pairs if not gold.lessons]
    nearest = [
        max(dice(bullet, lesson) for lesson in gold.lessons)
        for gold, bullets in teaching
        for bullet in bullets
    ]
    return Score(
        taught=_share(bool(bullets) for _, bullets in teaching),
        silent=_share(not bullets for bullets in quiet),
        keyed=_share(_keeps(gold.key, bullets) for gold, bullets in teaching if gold.key),
        dice=sum(nearest) / len(nearest) if nearest else 1.0,
    )


def _keeps(key: Sequence[str], bullets: Sequence[str]) -> bool:
    text = "\n".join(bullets).casefold()
    return any(term.casefold() in text for term in key)


def _share(answers: Iterable[bool]) -> float:
    given = list(answers)
    return sum(given) / len(given) if given else 1.0
