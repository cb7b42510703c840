"""Which founder notes end soon, and what is to be done about the issue that lists them (SPEC 4).

Pure: the store, its settings and a day in; what has to be told, with its reason, out.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from bot.lessons.bullet import Verdict
from bot.lessons.document import Document
from bot.lessons.history import History
from bot.lessons.retirement import expired, newest
from bot.settings.model import Store

Listed = tuple[str, date]  # a bullet's id and the day it ends: what is told once


@dataclass(frozen=True, slots=True)
class Ending:
    """A founder note that nobody keeps again; on the day `ends` (UTC) it is shown no more.

    `by` is the numeric id of whoever kept it last; None where its events are missing.
    """

    bullet: str
    text: str
    ref: str
    kept_on: date
    ends: date
    by: int | None = None

    @property
    def listed(self) -> Listed:
        return self.bullet, self.ends


def endings(
    document: Document, history: History, settings: Store, today: date
) -> tuple[Ending, ...]:
    """The active founder notes that end within `settings.notice` of `today`, the first one first.

    One whose very words were kept again is not among them: notes of a few words are never
    refreshed, so that is a bullet of its own.
    """
    notes = [
        (bullet, bullet.trailer.on)
        for bullet in document.bullets
        if bullet.active and bullet.trailer and bullet.trailer.verdict is Verdict.FOUNDER_NOTE
    ]
    latest = {note.text: on for note, on in sorted(notes, key=lambda pair: pair[1])}
    found = [
        Ending(
            bullet=note.id,
            text=note.text,
            ref=note.trailer.ref,
            kept_on=on,
            ends=on + settings.expire,
            by=_kept_by(history, note.id),
        )
        for note, on in notes
        if note.trailer is not None
        and note.id is not None
        and latest[note.text] == on
        and today >= on + settings.expire - settings.notice
        and expired(on, settings.expire, today) is None
    ]
    return tuple(sorted(found, key=lambda ending: ending.listed[::-1]))


def _kept_by(history: History, bullet: str) -> int | None:
    valid = [s for s in history.by_bullet.get(bullet, ()) if s.id not in history.invalid]
    shown = newest(valid)
    return shown.row.by if shown is not None else None


class Act(enum.StrEnum):
    """What becomes of the repository's one issue."""

    NOTHING = "nothing"
    OPEN = "open"
    UPDATE = "update"
    REOPEN = "reopen"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Notice:
    """`news` are those that the issue did not list: an edit notifies nobody, so they are said."""

    act: Act
    reason: str
    news: tuple[Ending, ...] = ()


def notice(ending: Sequence[Ending], listed: Collection[Listed] | None, *, is_open: bool) -> Notice:
    """`listed` is what the issue tells now; None: there is no issue."""
    if listed is None:
        if not ending:
            return Notice(Act.NOTHING, "no note ends soon")
        return Notice(Act.OPEN, "notes end soon, and there is no issue")
    if not ending:
        if is_open:
            return Notice(Act.CLOSE, "nothing that it listed ends soon any more")
        return Notice(Act.NOTHING, "no note ends soon")
    news = tuple(each for each in ending if each.listed not in listed)
    if not news and not is_open:
        return Notice(Act.NOTHING, "somebody closed it knowing all of them")
    if not is_open:
        return Notice(Act.REOPEN, "notes end soon that it does not tell of", news)
    if not news and len(ending) == len(listed):
        return Notice(Act.NOTHING, "it tells of all of them")
    return Notice(Act.UPDATE, "what ends soon has changed", news)
