"""Which of two caps cuts: that on items or that on characters, section by section (SPEC 5, 8).

Pure. The rule is the block's: the newest first, an end at the item cap, a lesson that is too long
for what is left passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.lessons.block import Cut
from bot.reports.retention import QUERY, Lesson, Scores
from bot.settings import Caps

# How much longer the items are thought to be, while they say the same.
GROWTH = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
UNCAPPED = 10**9


@dataclass(frozen=True, slots=True)
class Section:
    """`flips_at`: mean characters of an item from which the character cap cuts first."""

    name: str
    caps: Caps
    lessons: int
    characters: int

    @property
    def flips_at(self) -> float:
        return self.caps.characters / self.caps.items


@dataclass(frozen=True, slots=True)
class Selection:
    """What caps keep. `cuts` says which cap cut, for each section in order."""

    kept: int
    recall: float
    cuts: tuple[Cut, ...]


@dataclass(frozen=True, slots=True)
class Grown:
    """The corpus with items `factor` times as long. `mean` is the mean length of an item then."""

    factor: float
    mean: float
    both: Selection
    items_alone: Selection
    characters_alone: Selection


@dataclass(frozen=True, slots=True)
class CapsReport:
    sections: tuple[Section, ...]
    grown: tuple[Grown, ...]


def report_caps(lessons: Sequence[Lesson], caps: Sequence[tuple[str, Caps]]) -> CapsReport:
    """`caps` by section, in order; `lessons` are those of all sections, newest first."""
    scores = Scores(lessons)
    sections = [
        Section(name, each, len(found := _of(lessons, name)), sum(lessons[i].length for i in found))
        for name, each in caps
    ]
    mean = sum(section.characters for section in sections) / max(1, len(lessons))
    return CapsReport(
        tuple(sections),
        tuple(
            Grown(
                factor,
                mean * factor,
                _select(scores, sections, factor, items=True, characters=True),
                _select(scores, sections, factor, items=True, characters=False),
                _select(scores, sections, factor, items=False, characters=True),
            )
            for factor in GROWTH
        ),
    )


def _of(lessons: Sequence[Lesson], section: str) -> list[int]:
    return [place for place, lesson in enumerate(lessons) if lesson.section == section]


def _select(
    scores: Scores, sections: Sequence[Section], factor: float, *, items: bool, characters: bool
) -> Selection:
    kept: list[int] = []
    cuts: list[Cut] = []
    for section in sections:
        taken, cut = _take(
            _of(scores.lessons, section.name),
            [lesson.length * factor for lesson in scores.lessons],
            section.caps.items if items else UNCAPPED,
            section.caps.characters if characters else UNCAPPED,
        )
        kept += taken
        cuts.append(cut)
    return Selection(len(kept), scores.recall(kept, QUERY), tuple(cuts))


def _take(
    order: Sequence[int], lengths: Sequence[float], items: int, characters: int
) -> tuple[list[int], Cut]:
    kept: list[int] = []
    used = 0.0
    cut = Cut.NONE
    for each in order:
        if len(kept) >= items:
            return kept, Cut.ITEMS if cut is Cut.NONE else cut
        if used + lengths[each] > characters:
            cut = Cut.CHARS
            continue
        kept.append(each)
        used += lengths[each]
    return kept, cut
