"""What a note of a person comes to (SPEC 9): kept as typed, offered, held back, or refused.

Pure, and the same wherever the note was written; who wrote it is asked elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.channels.questions import Kind
from bot.distill.model import Distilled, Lesson
from bot.distill.note import as_typed, first_sentence, suggested
from bot.distill.quarantine import quarantine
from bot.distill.validate import Refused


@dataclass(frozen=True, slots=True)
class Note:
    """`kind` is NOTE where its writer decides by writing it; `why` and `excerpt` tell of a
    quarantined one."""

    kind: Kind
    lesson: Lesson | None
    why: str = ""
    excerpt: str = ""


def typed(text: str, characters: int, *, agent: bool = False) -> Note | Refused:
    """`/lesson TEXT`: the text as it is; an agent's is only offered."""
    checked = as_typed(text, characters)
    if isinstance(checked, Refused):
        return checked
    lesson = Lesson(checked.text)
    if reason := quarantine(text):
        return Note(Kind.QUARANTINED, lesson, reason, checked.text)
    return Note(Kind.PROPOSED if agent else Kind.NOTE, lesson)


def offered(text: str, found: Distilled, characters: int, *, agent: bool = False) -> Note | Refused:
    """`/revise TEXT`: what was distilled of it, and where that is nothing its first sentence."""
    kind = Kind.PROPOSED if agent else Kind.OFFERED
    if found.lessons:
        return Note(kind, found.lessons[0])
    if found.quarantined:
        held = found.quarantined[0]
        return Note(Kind.QUARANTINED, suggested(held.text, characters), held.reason, held.text)
    if (lesson := first_sentence(text, characters)) and not quarantine(lesson.sentence):
        return Note(kind, lesson)
    return Refused(found.ignored or "")
