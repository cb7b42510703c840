"""What one pull request came to in the store: what it taught, what it says again, what it heeded.

Derived from the rows as they are after a write, so it is the same however often it is derived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from bot.lessons.bullet import Verdict
from bot.lessons.draft import Draft
from bot.lessons.edit import Evidence, Occasion, Outcome, Reckoning, Taught
from bot.lessons.elevation import touches
from bot.lessons.history import Signal
from bot.lessons.rows import SignalRow
from bot.lessons.tree import named


def reckon(
    draft: Draft, evidence: Sequence[Evidence], outcomes: Sequence[Outcome]
) -> tuple[Reckoning, ...]:
    """Of each pull request whose reviews or CI this write heard of; whoever keeps a note knows."""
    prs = {each.pr for each in evidence if each.pr and each.channel is not Verdict.FOUNDER_NOTE}
    if not prs:
        return ()
    found = _by_lesson(draft)
    known = {each.pr: each for each in outcomes}
    return tuple(_of(draft, pr, found, evidence, known.get(pr)) for pr in sorted(prs))


def _by_lesson(draft: Draft) -> Mapping[str, list[SignalRow]]:
    """The signals that count, by the id of their lesson, oldest first."""
    new = [row for row in draft.rows if isinstance(row, SignalRow) and row.bullet is not None]
    signals = [*draft.history.signals, *(Signal(row.id, row) for row in new)]
    found: dict[str, list[SignalRow]] = {}
    for signal in sorted(signals, key=lambda s: (s.row.at, s.id)):
        if signal.id not in draft.invalid and signal.row.bullet is not None:
            found.setdefault(draft.root_of(signal.row.bullet), []).append(signal.row)
    return found


def _of(
    draft: Draft,
    pr: int,
    found: Mapping[str, list[SignalRow]],
    evidence: Sequence[Evidence],
    outcome: Outcome | None,
) -> Reckoning:
    taught = [
        Taught(lesson, _wording(draft, lesson, rows), mine.did or "evidence", _before(mine, rows))
        for lesson, rows in found.items()
        if (mine := next((row for row in rows if row.pr == pr), None)) is not None
    ]
    served = [ids for (number, _), ids in draft.history.shown.items() if number == pr]
    ids = (outcome.shown if outcome else frozenset()).union(*served)
    texts = {
        lesson: text
        for lesson in sorted({draft.root_of(each) for each in ids})
        # What this pull request brought itself was not there when its readers began.
        if all(row.pr != pr for row in found.get(lesson, ())[:1])
        and (text := _wording(draft, lesson, found.get(lesson, ())))
    }
    said = [e for e in evidence if e.pr == pr and e.invalid is None and e.recall is None]
    repeated = {each.lesson for each in taught} & texts.keys()
    repeated |= {
        lesson
        for lesson, text in texts.items()
        if any(draft.compare(each.lesson.sentence, text).same for each in said)
    }
    paths = outcome.paths if outcome else frozenset()
    heeded = {
        lesson
        for lesson, text in texts.items()
        if lesson not in repeated and any(touches(p.text, paths) for p in named(text))
    }
    return Reckoning(pr, tuple(taught), texts, frozenset(repeated), frozenset(heeded))


def _before(mine: SignalRow, rows: Sequence[SignalRow]) -> tuple[Occasion, ...]:
    """The other pull requests that had said it by then, oldest first."""
    found: dict[int, date] = {}
    for row in rows:
        if row.pr and row.pr != mine.pr and row.at <= mine.at:
            found.setdefault(row.pr, row.at.date())
    return tuple(Occasion(*each) for each in found.items())


def _wording(draft: Draft, lesson: str, rows: Sequence[SignalRow]) -> str:
    """As it stands in its file, or as it was first said where it stands in none any more."""
    entries = (*draft.standing, *draft.entries)
    here = next((e.text for e in entries if draft.root_of(e.id) == lesson), None)
    return here or next((row.sentence for row in rows), "")
