"""When a looked-up note ends: context with its job, a story by a tick, nothing else (SPEC 7).

Decided from how things are now and from the rows that stand in the tree, so that order, repetition
and downtime make no difference. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.lessons.event_files import Recorded
from bot.lessons.rows import NoteRow
from bot.notes.note import Job, Kind, Note
from bot.notes.subjects import is_about

PROMPT = timedelta(days=1)  # a closing that is noticed later (after downtime) is flagged as of now

FLAGGED, RESCUED, DELETED = "flagged", "rescued", "deleted"


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found out, about jobs and subjects that were asked about; others stay as they are.

    `closings`: when each job was closed, None while it is open. `retired`: when each subject was.
    `ticked`: notes whose box a person ticked, and the number of that checklist. `sweeping`: it is
    the daily sweep, which deletes what is over its grace.
    """

    closings: Mapping[Job, datetime | None] = field(default_factory=dict)
    retired: Mapping[str, datetime] = field(default_factory=dict)
    ticked: Mapping[str, int] = field(default_factory=dict)
    sweeping: bool = False


def flags(recorded: Iterable[Recorded]) -> dict[str, NoteRow]:
    """The flag in force of each note, by path: the newest, unless it was taken back."""
    found: dict[str, NoteRow] = {}
    rescued: set[str] = set()
    for row in (each.row for each in recorded):  # by time
        match row:
            case NoteRow(did="flagged"):
                found[row.path] = row
            case NoteRow(did="rescued", cause=str(flag)):
                rescued.add(flag)
            case NoteRow(did="deleted"):
                found.pop(row.path, None)
    return {path: row for path, row in found.items() if row.id not in rescued}


def endings(
    notes: Iterable[Note],
    flagged: Mapping[str, NoteRow],
    findings: Findings,
    now: datetime,
    grace: timedelta,
) -> tuple[NoteRow, ...]:
    """What becomes of the notes: the rows that flag, rescue and delete. `flagged` is `flags`'.

    A context note is deleted `grace` after its flag, so never in the write that flags it; the flag
    is as old as the closing, unless that was noticed late: people have the whole grace to act.
    """
    found = (
        _of_context(note, flagged, findings, now, grace)
        if note.kind is Kind.CONTEXT
        else _of_story(note, flagged, findings, now)
        for note in notes
        if note.kind is not Kind.REFERENCE
    )
    return tuple(row for row in found if row is not None)


def _of_context(
    note: Note,
    flagged: Mapping[str, NoteRow],
    findings: Findings,
    now: datetime,
    grace: timedelta,
) -> NoteRow | None:
    if note.job is None or note.job not in findings.closings:
        return None
    flag, closed_at = flag_of(note, flagged), findings.closings[note.job]
    if closed_at is None:
        return NoteRow(now, note.path, RESCUED, flag.id) if flag is not None else None
    if flag is None or flag.at < closed_at:
        since = closed_at if now - closed_at <= PROMPT else now
        return NoteRow(since, note.path, FLAGGED, str(note.job))
    if findings.sweeping and flag.at + grace <= now:
        return NoteRow(now, note.path, DELETED, str(note.job))
    return None


def _of_story(
    note: Note, flagged: Mapping[str, NoteRow], findings: Findings, now: datetime
) -> NoteRow | None:
    if note.path in findings.ticked:
        return NoteRow(now, note.path, DELETED, f"#{findings.ticked[note.path]}")
    for subject, at in findings.retired.items():
        if is_about(note, subject) and not is_asked(note, subject, flagged):
            return NoteRow(at, note.path, FLAGGED, subject)
    return None


def flag_of(note: Note, flagged: Mapping[str, NoteRow]) -> NoteRow | None:
    """A context note's flag, if it is for the job that it names now."""
    flag = flagged.get(note.path)
    return flag if flag is not None and flag.cause == str(note.job) else None


def is_asked(note: Note, subject: str, flagged: Mapping[str, NoteRow]) -> bool:
    """Whether a story was on a checklist of this subject."""
    flag = flagged.get(note.path)
    return flag is not None and flag.cause == subject


def as_flagged(notes: Iterable[Note], flagged: Mapping[str, NoteRow]) -> Findings:
    """What the tree alone knows, for a sweep that can ask no forge."""
    found = ((note.job, flag_of(note, flagged)) for note in notes)
    closings = {job: flag.at for job, flag in found if job is not None and flag is not None}
    return Findings(closings, sweeping=True)


def as_told(notes: Iterable[Note], told: Mapping[Job, datetime]) -> dict[str, NoteRow]:
    """Flags that stand in no tree: of the closed jobs that were told what ends with them."""
    return {
        note.path: NoteRow(told[note.job], note.path, FLAGGED, str(note.job))
        for note in notes
        if note.kind is Kind.CONTEXT and note.job is not None and note.job in told
    }
