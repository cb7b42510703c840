"""The issues that ask which stories end with their subject: one for each subject, ever.

Found again by marker and author; what people wrote into one stays.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace

from bot import notes_text as words
from bot.notes.note import Note
from bot.notes.subjects import boxes, is_done, key_of
from bot.work.places import Place

log = logging.getLogger(__name__)


def ask(place: Place, subject: str, notes: Sequence[Note], why: str, *, again: bool) -> int:
    """Sees to it that the checklist of a subject lists these notes; its number.

    `again`: a person asks, so one that was closed is opened again; otherwise people are done with
    it. Raises what the forge raises, Gone where issues are turned off.
    """
    key = key_of(subject)
    found = place.forge.find_issue(key, place.us)
    if found is None:
        title, body = words.checklist_title(subject), words.checklist(subject, notes, why)
        found = place.forge.open_issue(title, body, key=key)
        log.info(
            "repository %d: #%d lists the notes of a subject", place.repository.id, found.number
        )
    elif found.open or again:
        listed = boxes(found.body)
        more = [words.box(note) for note in notes if note.path not in listed]
        body = "\n".join([found.body, *more])
        place.forge.edit_issue(found, replace(found, body=body, open=True))
    return found.number


def close_if_done(place: Place, number: int, there: Collection[str]) -> None:
    """Closes a checklist of which no note is left; `there` are the paths of all that are."""
    found = place.forge.own_issue(number, place.us)
    if found is not None and found.open and is_done(found.body, there):
        place.forge.edit_issue(found, replace(found, open=False))
