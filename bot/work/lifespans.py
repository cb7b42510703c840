"""Ends looked-up notes with what they describe, at the end of a write job, and tells people.

One job per repository at a time. Everything is decided from how jobs, directories and the tree are
now; what GitHub refuses for now is tried later and holds no other write back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from bot import notes_text as words
from bot.errors import Fault, UserError
from bot.facts import JobState
from bot.git.notes import read_notes
from bot.git.store import GitTree, read_store
from bot.handover import ATTEMPTS, pause
from bot.lessons import rows
from bot.lessons.rows import NoteRow
from bot.notes.lifespan import Findings, flags, is_asked
from bot.notes.note import Job, Kind, Note, own_number
from bot.notes.subjects import is_about, named
from bot.settings import Settings
from bot.work.checklists import ask, close_if_done
from bot.work.hearing import permits
from bot.work.memory import Known, Memory, Waiting
from bot.work.note_wants import (
    DeleteNote,
    Due,
    LookAtAll,
    LookAtJob,
    NoteWant,
    NoteWants,
    RetireSubject,
)
from bot.work.note_writes import ENDING, NoteWrite
from bot.work.notices import Notices
from bot.work.places import Place
from bot.work.telling import reply_key
from bot.work.writing import Written

log = logging.getLogger(__name__)

NOTICE = "notes"  # the key of our comment on the job that notes end with

Open = Callable[[Known], AbstractContextManager[Place]]
_Want = TypeVar("_Want", bound=NoteWant)


@dataclass(frozen=True, slots=True)
class Lifespans:
    """Listens to `bot.work.committing`, which calls `after` whatever the job came to."""

    wants: NoteWants
    memory: Memory
    notices: Notices
    open: Open
    now: Callable[[], datetime]

    def landed(self, known: Known, written: Written, waiting: Sequence[Waiting]) -> None:
        """Nothing: no bullet ends a note."""

    def refused(self, known: Known, waiting: Sequence[Waiting], reason: str) -> None:
        """Nothing: notes are committed on their own."""

    def after(self, known: Known) -> None:
        due = self.wants.due(known.id, self.now())
        if not due:
            return
        ids = [each.id for each in due]
        try:
            with self.open(known) as place:
                settings = place.settings()
                if settings is not None and permits(settings, place.repository):
                    _Look(self, known, place, settings, due).look()
        except Fault as fault:
            log.warning("repository %d: lifespans of notes: %s", known.id, fault)
            if fault.retry and due[0].attempt + 1 < ATTEMPTS:
                wait = pause(due[0].attempt + 1, fault.retry_after, 0)
                self.wants.later(known.id, ids, self.now() + wait)
                return
        except UserError as error:  # tomorrow's look finds whether it was mended
            log.warning("repository %d: lifespans of notes: %s", known.id, error)
            self._refuse(known, due, error)
        self.wants.done(ids)

    def _refuse(self, known: Known, due: Sequence[Due], error: UserError) -> None:
        """To those who asked for something that has to be done in another way now."""
        for each in due:
            match each.want:
                case RetireSubject(number=number, comment=comment):
                    key = reply_key(comment)
                case DeleteNote(issue=number):
                    key = "refused"
                case _:
                    continue
            self.notices.say(known.id, number, key, words.refused(str(error)), self.now())


@dataclass(frozen=True, slots=True)
class _Look:
    """One look at the notes of one repository, and what is done about them."""

    by: Lifespans
    known: Known
    place: Place
    settings: Settings
    due: Sequence[Due]

    def look(self) -> None:
        with self.place.branch() as branch:
            head = branch.head()
            if head is None:
                return
            notes = read_notes(branch.clone, head, ENDING).notes
            events = read_store(branch.clone, head, self.known.id).snapshot.events
            stories = [note for note in notes.values() if note.kind is Kind.LESSON]
            gone = GitTree(branch.clone, head).gone(named(note.subject) for note in stories)
        closings = self._closings(notes.values())
        # First the checklists: a story that stands flagged is on one.
        flagged = flags(rows.read(events))
        retired = {
            subject: commit.committed_at
            for subject, commit in gone.items()
            if self._list_gone(subject, stories, flagged)
        }
        for want in self._of(RetireSubject):
            if self._list_retired(want, stories):
                retired[named(want.subject)] = self.by.now()
        ticked = {want.path: want.issue for want in self._of(DeleteNote)}
        sweeping = bool(self._of(LookAtAll))
        write = self._write(Findings(closings, retired, ticked, sweeping))
        self._tell(write, closings)
        for issue in set(ticked.values()):
            close_if_done(self.place, issue, {note.path for note in write.left})

    def _of(self, kind: type[_Want]) -> list[_Want]:
        return [each.want for each in self.due if isinstance(each.want, kind)]

    # what is asked of the forge

    def _closings(self, notes: Iterable[Note]) -> dict[Job, datetime | None]:
        """When each job was closed that there is a reason to ask about."""
        everything = bool(self._of(LookAtAll))
        numbers = {want.number for want in self._of(LookAtJob)}
        found: dict[Job, datetime | None] = {}
        for job in sorted({note.job for note in notes if note.kind is Kind.CONTEXT and note.job}):
            if not everything and self._number(job) not in numbers:
                continue
            state = self._state(job)
            if state is not None:
                found[job] = state.closed_at
            else:
                log.warning(
                    "repository %d: a note names %s, which is not there", self.known.id, job
                )
        return found

    def _number(self, job: Job) -> int | None:
        return own_number(job, self.place.repository.full_name)

    def _state(self, job: Job) -> JobState | None:
        number = self._number(job)
        if number is not None:
            return self.place.forge.job_state(number)
        others = self.by.memory.of_installation(self.known.installation)
        name = job.repository.casefold()
        other = next((o for o in others if o.here and o.full_name.casefold() == name), None)
        if other is None:
            return None
        with self.by.open(other) as place:
            return place.forge.job_state(job.number)

    # stories

    def _list_gone(
        self, subject: str, stories: Sequence[Note], flagged: Mapping[str, NoteRow]
    ) -> bool:
        """Puts the stories about a directory that is gone on its checklist, once each."""
        named_it = [note for note in stories if is_about(note, subject)]
        new = [note for note in named_it if not is_asked(note, subject, flagged)]
        if new:
            ask(self.place, subject, new, words.directory_gone(subject), again=False)
        return bool(new)

    def _list_retired(self, want: RetireSubject, stories: Sequence[Note]) -> bool:
        """Does the same for a person, whatever was on it before, and answers."""
        named_it = [note for note in stories if is_about(note, want.subject)]
        answer = words.nothing_names(want.subject)
        if named_it:
            why = words.subject_retired(want.login, want.subject)
            number = ask(self.place, want.subject, named_it, why, again=True)
            answer = words.listed_in(number, len(named_it))
        self._say(want.number, reply_key(want.comment), answer)
        return bool(named_it)

    # what is written and said

    def _write(self, findings: Findings) -> NoteWrite:
        author = self.place.author
        write = NoteWrite(findings, self.by.now(), signer=f"{author.name} <{author.email}>")
        with self.place.branch() as branch:
            write.write(
                branch, repository=self.known.id, owner_defaults=self.place.owner_defaults()
            )
        return write

    def _tell(self, write: NoteWrite, closings: Mapping[Job, datetime | None]) -> None:
        """Each job that notes end with is told in one comment, which is kept up to date."""
        grace = self.settings.notes.grace
        for job, closed_at in closings.items():
            number = self._number(job)
            if number is None:
                continue  # who reads another repository may not read the notes of this one
            left = [note for note in write.left if note.job == job]
            deleted = write.deleted(str(job))
            if deleted:
                self._say(number, NOTICE, words.deleted(deleted, write.commit))
            elif left and closed_at is not None:
                self._say(number, NOTICE, words.closed(left, closed_at + grace))
            elif left and self.by.notices.has(self.known.id, number, NOTICE):
                self._say(number, NOTICE, words.reopened(left))
        for issue in set(write.findings.ticked.values()):
            deleted = write.deleted(f"#{issue}")
            if deleted:
                self._say(
                    issue, f"deleted:{write.commit[:12]}", words.deleted(deleted, write.commit)
                )

    def _say(self, number: int, key: str, body: str) -> None:
        self.by.notices.say(self.known.id, number, key, body, self.by.now())
