"""One look at the notes of a repository: what became of what they describe, and so of them.

Everything is decided from how jobs, directories and the tree are now. Knows a place, no queue.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from bot import notes_text as words
from bot.channels.rolling import is_wanted
from bot.errors import UserError
from bot.facts import JobState
from bot.git.notes import read_notes
from bot.git.policy import Way
from bot.git.store import GitTree, read_store
from bot.lessons import event_files
from bot.lessons.rows import NoteRow
from bot.notes.lifespan import Findings, as_told, endings, flags, is_asked
from bot.notes.note import Job, Kind, Note, own_number
from bot.notes.subjects import is_about, named
from bot.settings import Settings
from bot.work.checklists import ask, close_if_done
from bot.work.memory import Known
from bot.work.note_proposals import propose
from bot.work.note_wants import DeleteNote, LookAtAll, LookAtJob, NoteWant, RetireSubject
from bot.work.note_writes import ENDING, Decide, NoteWrite
from bot.work.notices import Notices
from bot.work.places import Place
from bot.work.telling import reply_key
from bot.work.writing import Refused

log = logging.getLogger(__name__)

NOTICE = "notes"  # the key of our comment on the job that notes end with

_Want = TypeVar("_Want", bound=NoteWant)


@dataclass(frozen=True, slots=True)
class NoteLook:
    """`elsewhere` tells of a job of another repository, None where it is not for us to see."""

    known: Known
    place: Place
    settings: Settings
    wants: Sequence[NoteWant]
    notices: Notices
    elsewhere: Callable[[Job], JobState | None]
    now: datetime

    def look(self) -> bool:
        """Whether the default branch has a new commit of it.

        Raises what `bot.work.writing.apply` and the forge raise.
        """
        with self.place.branch() as branch:
            head = branch.head()
            if head is None:
                return False
            notes = read_notes(branch.clone, head, ENDING).notes
            events = read_store(branch.clone, head, self.known.id).snapshot.events
            stories = [note for note in notes.values() if note.kind is Kind.LESSON]
            gone = GitTree(branch.clone, head).gone(named(note.subject) for note in stories)
        closings = self._closings(notes.values())
        # First the checklists: a story that stands flagged is on one.
        flagged = flags(event_files.read(events))
        retired = {
            subject: commit.committed_at
            for subject, commit in gone.items()
            if self._list_gone(subject, stories, flagged)
        }
        for want in self._of(RetireSubject):
            if self._list_retired(want, stories):
                retired[named(want.subject)] = self.now
        ticked = {want.path: want.issue for want in self._of(DeleteNote)}
        sweeping = bool(self._of(LookAtAll))
        if not (closings or retired or ticked or (sweeping and notes)):
            return False
        findings = Findings(closings, retired, ticked, sweeping)
        write, pull = self._write(findings)
        self._tell(write, findings, pull)
        for issue in set(ticked.values()) if write.direct else ():
            close_if_done(self.place, issue, {note.path for note in write.left})
        return write.direct and bool(write.commit)

    def _of(self, kind: type[_Want]) -> list[_Want]:
        return [want for want in self.wants if isinstance(want, kind)]

    # what is asked of the forge

    def _closings(self, notes: Iterable[Note]) -> dict[Job, datetime | None]:
        """When each job was closed that there is a reason to ask about."""
        everything = bool(self._of(LookAtAll))
        numbers = {want.number for want in self._of(LookAtJob)}
        found: dict[Job, datetime | None] = {}
        for job in sorted({note.job for note in notes if note.kind is Kind.CONTEXT and note.job}):
            if not everything and self._number(job) not in numbers:
                continue
            try:
                state = self._state(job)
            except UserError as error:  # of one job: the others go on
                log.warning("repository %d: %s is not known: %s", self.known.id, job, error)
                continue
            if state is not None:
                found[job] = state.closed_at
            else:
                log.warning("repository %d: a note names %s, which is gone", self.known.id, job)
        return found

    def _number(self, job: Job) -> int | None:
        return own_number(job, self.place.repository.full_name)

    def _state(self, job: Job) -> JobState | None:
        number = self._number(job)
        if number is not None:
            return self.place.forge.job_state(number)
        return self.elsewhere(job)

    # stories

    def _list_gone(
        self, subject: str, stories: Sequence[Note], flagged: Mapping[str, NoteRow]
    ) -> bool:
        """Puts the stories about a directory that is gone on its checklist, once each."""
        named_it = [note for note in stories if is_about(note, subject)]
        new = [note for note in named_it if not is_asked(note, subject, flagged)]
        try:
            if new:
                ask(self.place, subject, new, words.directory_gone(subject), again=False)
        except UserError as error:  # issues are turned off here: the notes stay
            log.warning("repository %d: no checklist of notes: %s", self.known.id, error)
            return False
        return bool(new)

    def _list_retired(self, want: RetireSubject, stories: Sequence[Note]) -> bool:
        """Does the same for a person, whatever was on it before, and answers."""
        named_it = [note for note in stories if is_about(note, want.subject)]
        answer = words.nothing_names(want.subject)
        try:
            if named_it:
                why = words.subject_retired(want.login, want.subject)
                number = ask(self.place, want.subject, named_it, why, again=True)
                answer = words.listed_in(number, len(named_it))
        except UserError as error:
            answer, named_it = words.refused(str(error)), []
        self._say(want.number, reply_key(want.comment), answer)
        return bool(named_it)

    # what is written and said

    def _write(self, findings: Findings) -> tuple[NoteWrite, int | None]:
        """A commit; where that may not be, a pull request, with its number."""
        settings, author, now = self.settings, self.place.author, self.now
        signer = f"{author.name} <{author.email}>"

        def decide(notes: Mapping[str, Note], flagged: Mapping[str, NoteRow]) -> Sequence[NoteRow]:
            return endings(notes.values(), flagged, findings, now, settings.notes.grace)

        branch = self.place.repository.default_branch
        rules = self.place.forge.branch_rules(branch) if settings.mode == "auto" else ()
        if not is_wanted(settings, rules):
            try:
                return self._commit(NoteWrite(decide, signer)), None
            except Refused as refused:
                ways = refused.refusal.ways
                if settings.mode != "auto" or Way.PULL_REQUEST not in ways or Way.NONE in ways:
                    raise
        return self._propose(findings, decide, signer)

    def _propose(
        self, findings: Findings, decide: Decide, signer: str
    ) -> tuple[NoteWrite, int | None]:
        """No flag gets into the tree this way: what was told on a job counts as one."""
        told = {
            job: closed_at
            for job, closed_at in findings.closings.items()
            if closed_at is not None and self._is_told(job)
        }
        reopened = [str(job) for job, closed_at in findings.closings.items() if closed_at is None]

        def ends(notes: Mapping[str, Note], flagged: Mapping[str, NoteRow]) -> Sequence[NoteRow]:
            return decide(notes, {**flagged, **as_told(notes.values(), told)})

        return propose(self.place, self.known.id, ends, signer, reopened)

    def _is_told(self, job: Job) -> bool:
        number = self._number(job)
        return number is None or self.notices.has(self.known.id, number, NOTICE)

    def _commit(self, write: NoteWrite) -> NoteWrite:
        defaults = self.place.owner_defaults()
        with self.place.branch() as branch:
            write.write(branch, repository=self.known.id, owner_defaults=defaults)
        return write

    def _tell(self, write: NoteWrite, findings: Findings, pull: int | None) -> None:
        """Each job that notes end with is told in one comment, which is kept up to date."""
        for job, closed_at in findings.closings.items():
            number = self._number(job)
            if number is None:
                continue  # who reads another repository may not read the notes of this one
            deleted = self._of_job(number, write.deleted()) if write.direct else []
            left = self._of_job(number, write.left if write.direct else write.notes.values())
            said = [words.deleted(deleted, write.commit)] if deleted else []
            if left and closed_at is not None:
                flags = [write.flagged[note.path].at for note in left if note.path in write.flagged]
                since = max(flags, default=closed_at)
                said.append(words.closed(left, since + self.settings.notes.grace))
            elif left and self._is_told(job):
                said.append(words.reopened(left))
            if said:
                self._say(number, NOTICE, "\n\n".join(said))
        for issue in set(findings.ticked.values()):
            ended = write.deleted(f"#{issue}")
            if ended and pull is not None:
                self._say(issue, "proposed", words.proposed_in(pull))
            elif ended:
                key = f"deleted:{write.commit[:12]}"
                self._say(issue, key, words.deleted(ended, write.commit))

    def _of_job(self, number: int, notes: Iterable[Note]) -> list[Note]:
        """Of those, the notes that name it, in one way or another."""
        return [note for note in notes if note.job and self._number(note.job) == number]

    def _say(self, number: int, key: str, body: str) -> None:
        self.notices.say(self.known.id, number, key, body, self.now)
