"""Whether a pitfall came back after its lesson was shown: what was observed, not what it did.

Pure: the events of a store and since when each id stood in the committed block in (SPEC 8).
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.lessons.history import History
from bot.lessons.merit import FOLLOWED, VIOLATED
from bot.lessons.rows import ShownRow

# A pitfall that waited shorter than a lesson lives to come back tells nothing yet.
WAIT = timedelta(days=30)

CAVEAT = (
    "What this does not say: a lesson is written because its pitfall had just come up, so fewer "
    "recurrences afterwards would be seen without any lesson too (regression to the mean). Nobody "
    "knows whether a reader read it, and code, people and the number of reviews change meanwhile. "
    "One fact is hard: a recurrence in a pull request that had been shown the lesson. There it did "
    "not help."
)


class Seen(enum.StrEnum):
    """What was observed of a pitfall since its lesson was first shown."""

    RECURRED = "recurred"
    NOT_AGAIN = "not seen again"
    TOO_EARLY = "too early to tell"


@dataclass(frozen=True, slots=True)
class Recurrence:
    """One lesson that was shown.

    `before` and `after` count its signals up to the moment it was first shown and since, over so
    many days; `despite` those since that came from a pull request it had been served to, of the
    `served` ones. `followed` and `violated` are verdicts on a standing lesson.
    """

    lesson: str
    text: str
    first_shown: datetime
    before: int
    after: int
    days_before: int
    days_after: int
    served: int
    despite: int
    followed: int
    violated: int

    @property
    def seen(self) -> Seen:
        if self.after:
            return Seen.RECURRED
        return Seen.NOT_AGAIN if self.days_after >= WAIT.days else Seen.TOO_EARLY


@dataclass(frozen=True, slots=True)
class Unshown:
    """Lessons nobody was shown, for comparison: how many there are, and how many recurred."""

    lessons: int
    recurred: int


@dataclass(frozen=True, slots=True)
class Recurrences:
    """Lessons shown, those that recurred first and the newest shown first among equals."""

    shown: tuple[Recurrence, ...]
    unshown: Unshown

    def count(self, seen: Seen) -> int:
        return sum(each.seen is seen for each in self.shown)


def recurrences(
    history: History, committed: Mapping[str, datetime], as_of: datetime
) -> Recurrences:
    """`committed`: since when an id stood in the committed block. Only valid signals count."""
    served = _served(history)
    found: list[Recurrence] = []
    unshown: list[int] = []
    for lesson in {history.roots.get(each, each) for each in history.by_bullet}:
        signals = [s for s in history.evidence_of(lesson) if s.id not in history.invalid]
        if not signals:
            continue
        ids = [lesson, *(each for each, root in history.roots.items() if root == lesson)]
        rows = [row for each in ids for row in served.get(each, ())]
        since = [row.at for row in rows] + [committed[each] for each in ids if each in committed]
        if not since:
            unshown.append(len(signals))
            continue
        shown = min(since)
        after = [s for s in signals if s.row.at > shown]
        served_to = {row.pr: row.at for row in sorted(rows, key=lambda r: r.at, reverse=True)}
        verdicts = [row.verdict for row in history.adherence.get(lesson, ())]
        found.append(
            Recurrence(
                lesson=lesson,
                text=signals[0].row.sentence,
                first_shown=shown,
                before=len(signals) - len(after),
                after=len(after),
                days_before=max(0, (shown - signals[0].row.at).days),
                days_after=max(0, (as_of - shown).days),
                served=len(served_to),
                despite=sum(s.row.at > served_to.get(s.row.pr, as_of) for s in after),
                followed=verdicts.count(FOLLOWED),
                violated=verdicts.count(VIOLATED),
            )
        )
    found.sort(key=lambda each: (each.after, each.first_shown, each.lesson), reverse=True)
    return Recurrences(tuple(found), Unshown(len(unshown), sum(signals > 1 for signals in unshown)))


def _served(history: History) -> Mapping[str, list[ShownRow]]:
    found: dict[str, list[ShownRow]] = {}
    for row in _shown_rows(history):
        for each in row.bullets:
            found.setdefault(each, []).append(row)
    return found


def _shown_rows(history: History) -> Iterable[ShownRow]:
    return (r.row for r in history.recorded if isinstance(r.row, ShownRow))
