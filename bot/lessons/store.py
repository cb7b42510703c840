"""The write: evidence in, a new lessons file and its event rows out (SPEC 3, 4).

Pure and deterministic: no clock, no network, no model. The same evidence in any order and any
number of times gives the same file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from bot.lessons.draft import Draft
from bot.lessons.edit import (
    ATTRIBUTES,
    COUNTED,
    LESSONS,
    Change,
    Conflict,
    Edit,
    Evidence,
    Landed,
    Outcome,
    Present,
    Reckoning,
    Snapshot,
    Taught,
)
from bot.lessons.elevation import adhere, bring_up, fall, notice_deleted, rise
from bot.lessons.entries import ref
from bot.lessons.learning import take
from bot.lessons.orders import Order
from bot.lessons.reckoning import reckon
from bot.lessons.rows import DeclinedRow, Row
from bot.lessons.upkeep import (
    expire,
    forget_edited,
    leave_out,
    look,
    obey,
    settle,
    trim,
)
from bot.settings import Settings

__all__ = [
    "ATTRIBUTES",
    "COUNTED",
    "LESSONS",
    "Change",
    "Conflict",
    "Edit",
    "Evidence",
    "Landed",
    "Outcome",
    "Present",
    "Reckoning",
    "Snapshot",
    "Taught",
    "ref",
    "sweep",
    "write",
]


def write(
    snapshot: Snapshot,
    evidence: Sequence[Evidence],
    settings: Settings,
    today: date,
    *,
    present: Sequence[Present] = (),
    orders: Sequence[Order] = (),
    outcomes: Sequence[Outcome] = (),
    declined: Sequence[DeclinedRow] = (),
    records: Sequence[Row] = (),
    housekeeping: bool = False,
    past: bool = False,
) -> Edit:
    """The edit that this evidence makes to the store; `today` (UTC) only tells future dates.

    `evidence` holds everything its pull requests say now, also what was applied before; `orders`
    are obeyed after it; `outcomes` are of pull requests that standing lessons were shown for.
    `declined`: sources that people declined since the last write; recorded with what is written.
    `records` change nothing that people read; of what was served, only what is new is kept.
    `housekeeping`: also expiry as of `today`, and paths that appeared, moved or went. `past`: the
    evidence is old, so what would be retired by now is put on record and never in the file. Raises
    UserError when the file's shape would swallow a new bullet.
    """
    draft = Draft(snapshot, settings, today)
    draft.declined |= {source for row in declined for source in row.sources}
    unique = {(e.source, e.lesson.sentence): e for e in evidence}
    ordered = sorted(unique.values(), key=lambda e: (e.at, e.pr, e.source))
    draft.void = frozenset(e.source for e in ordered) - {
        e.source for e in ordered if e.invalid is None
    }
    notice_deleted(draft)
    forget_edited(draft, present, ordered)
    for each in ordered:
        take(draft, each)
    for order in orders:
        obey(draft, order)
    settle(draft)
    adhere(draft, outcomes, ordered)
    fall(draft, ordered)
    rise(draft)
    bring_up(draft)
    if housekeeping:
        expire(draft)
    look(draft, everywhere=housekeeping)
    if past:
        leave_out(draft)
    trim(draft, past=past)
    draft.rows += draft.history.unrecorded(records)
    if draft.rows:
        draft.rows += declined
    edit = draft.edit()
    return replace(edit, reckonings=reckon(draft, ordered, outcomes))


def sweep(snapshot: Snapshot, settings: Settings, today: date) -> Edit:
    """Housekeeping alone."""
    return write(snapshot, (), settings, today, housekeeping=True)
