"""Looks at what became of what the notes describe, at the end of a write job.

One job per repository at a time. What GitHub refuses for now is tried later and holds no other
write back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot import notes_text as words
from bot.errors import Fault, UserError
from bot.facts import JobState
from bot.handover import ATTEMPTS, pause
from bot.notes.note import Job
from bot.settings import Settings
from bot.work.hearing import permits
from bot.work.memory import Known, Memory, Waiting
from bot.work.note_look import NoteLook
from bot.work.note_wants import DeleteNote, Due, NoteWants, RetireSubject
from bot.work.notices import Notices
from bot.work.places import Place
from bot.work.telling import reply_key
from bot.work.visit import Open
from bot.work.writing import Written

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Lifespans:
    """Listens to `bot.work.committing`, which calls `after` whatever the job came to.

    `committed` is told of each commit on a default branch, once the repository is closed again.
    """

    wants: NoteWants
    memory: Memory
    notices: Notices
    open: Open
    committed: Callable[[Known], None]
    now: Callable[[], datetime]

    def landed(self, known: Known, written: Written, waiting: Sequence[Waiting]) -> None:
        """Nothing: no bullet ends a note."""

    def refused(self, known: Known, waiting: Sequence[Waiting], reason: str) -> None:
        """Nothing: notes are committed on their own."""

    def after(self, known: Known, opened: Open) -> None:
        due = self.wants.due(known.id, self.now())
        if not due:
            return
        over, new_commit = due, False
        try:
            with self.open(known) as place:
                settings = place.settings()
                if settings is not None and permits(settings, place.repository):
                    new_commit = self._look(known, place, settings, due)
            if new_commit:
                self.committed(known)
        except Fault as fault:
            log.warning("repository %d: lifespans of notes: %s", known.id, fault)
            over = self._wait(known, due, fault)
            self._refuse(known, over, words.BROKE)
        except UserError as error:  # tomorrow's look finds whether it was mended
            log.warning("repository %d: lifespans of notes: %s", known.id, error)
            self._refuse(known, due, str(error))
        self.wants.done([each.id for each in over])

    def _wait(self, known: Known, due: Sequence[Due], fault: Fault) -> tuple[Due, ...]:
        """Has what may still succeed tried again; the others, which were tried often enough."""
        again = [each for each in due if fault.retry and each.attempt + 1 < ATTEMPTS]
        if again:
            wait = pause(again[0].attempt + 1, fault.retry_after, 0)
            self.wants.later(known.id, [each.id for each in again], self.now() + wait)
        return tuple(each for each in due if each not in again)

    def _look(self, known: Known, place: Place, settings: Settings, due: Sequence[Due]) -> bool:
        def elsewhere(job: Job) -> JobState | None:
            others = self.memory.of_installation(known.installation)
            name = job.repository.casefold()
            other = next((o for o in others if o.here and o.full_name.casefold() == name), None)
            if other is None:
                return None
            with self.open(other) as there:
                return there.forge.job_state(job.number)

        wants = [each.want for each in due]
        look = NoteLook(known, place, settings, wants, self.notices, elsewhere, self.now())
        return look.look()

    def _refuse(self, known: Known, due: Sequence[Due], reason: str) -> None:
        """To those who asked for something that is not done."""
        for each in due:
            match each.want:
                case RetireSubject(number=number, comment=comment):
                    key = reply_key(comment)
                case DeleteNote(issue=number):
                    key = "refused"
                case _:
                    continue
            self.notices.say(known.id, number, key, words.refused(reason), self.now())
