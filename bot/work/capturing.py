"""Capture in one call that proves itself: built, indexed, found, pushed, read back (SPEC 7).

The push is the last step that can fail; what comes after it can only doubt. The same call again is
safe: a note that is there already is found, not written twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from bot.distill.quarantine import quarantine
from bot.distill.redact import redact
from bot.errors import Fault, UserError
from bot.git.clone import Clone, Kind
from bot.git.plan import Built, Outcome, Plan, Published
from bot.git.remote import Changed, RemoteFault
from bot.git.store import Store, read_store
from bot.lessons.belonging import recorded
from bot.lessons.rows import NoteRow
from bot.lessons.store import Edit
from bot.notes.capture import Capture, State, Step
from bot.notes.draft import Given, drafted
from bot.notes.note import LARGEST, Note, print_note
from bot.notes.note import Kind as NoteKind
from bot.notes_text import commit_message
from bot.search.model import Index, Lost
from bot.settings import Settings
from bot.work.looked_up import blob_of, bring_up, forget_prepared, page_of
from bot.work.writing import Read, Written, apply

log = logging.getLogger(__name__)

CAPTURED = "captured"


class Provable(Protocol):
    """A branch on which a commit can be looked at before it is published."""

    @property
    def clone(self) -> Clone: ...

    @property
    def branch(self) -> str: ...

    def head(self) -> str | None: ...

    def publish(self, plan: Plan, built: Built) -> Published: ...


def checked(given: Given, now: datetime, *, agent: bool = False) -> Note | Capture:
    """The note without secrets; a capture that failed where it may not be kept.

    A story is a lesson, and what an `agent` proposes as one waits for a person (SPEC 9).
    """
    try:
        if len(given.text) > LARGEST:
            message = f"It has {len(given.text)} characters, more than 1 MB."
            raise UserError(message, remedy="Keep what is worth finding, in several notes.")
        clean = replace(
            given,
            text=redact(given.text).text,
            title=redact(given.title).text,
            subject=redact(given.subject).text,
            failure_class=redact(given.failure_class).text,
        )
        said = (given.title, given.subject, given.failure_class, given.text)
        reason = quarantine("\n\n".join(said))
        if reason is not None:
            raise UserError(reason, remedy="A person can write it into the repository by hand.")
        note = drafted(clean, now.date())
        if agent and note.kind is NoteKind.LESSON:
            raise UserError(
                "A story is a lesson, and a lesson waits for a person.",
                remedy="Call keep_lesson, or capture it as the context of your job: when that"
                " closes, people are asked about it.",
            )
        return note
    except UserError as error:
        return Capture(State.NOT_SAVED, step=Step.CHECK, error=error)


@dataclass(slots=True)
class Capturing:
    """One call, under the lock of the repository. What goes `on` the branch is proven on the way.

    Implements `bot.work.writing.Branch`. `tip` asks anew where the branch stands after the push.
    `proposes`: the branch is not the default one, so nothing of it may be found yet.
    """

    note: Note
    on: Provable
    tip: Callable[[], str | None]
    index: Index
    repository: int
    now: datetime
    signer: str | None = None
    proposes: bool = False
    step: Step = Step.COMMIT
    commit: str = ""
    settings: Settings = field(default_factory=Settings)
    _outcome: Outcome | None = None

    @property
    def clone(self) -> Clone:
        return self.on.clone

    @property
    def branch(self) -> str:
        return self.on.branch

    def head(self) -> str | None:
        return self.on.head()

    def capture(
        self, owner_defaults: Mapping[str, object] | None = None, read: Read = read_store
    ) -> Capture:
        """Raises nothing that the steps raise: the answer names it."""
        try:
            written = apply(
                self,
                self._edit,
                self._say,
                repository=self.repository,
                owner_defaults=owner_defaults,
                read=read,
            )
            if written.commit is None:
                return self._there()
            self.step = Step.READ_BACK
            return self._read_back(written)
        except (UserError, Fault) as error:
            return self._failed(error)

    def publish(self, plan: Plan) -> Published:
        self.step = Step.COMMIT
        published = self.on.publish(plan, self._prove)
        self._outcome = published.outcome
        return published

    # before the push

    def _edit(self, store: Store, settings: Settings) -> Edit:
        self.settings = settings
        if store.commit is not None:
            self.step = Step.INDEX
            if not self.proposes:
                self._bring_up(store.commit)
            forget_prepared(self.index, self.repository)
            self.step = Step.COMMIT
            if self.clone.read(store.commit, self.note.path).kind is Kind.REGULAR:
                return Edit({}, counts={})
        changes = {self.note.path: print_note(self.note)}
        row = self._row()
        if not self.proposes:  # two proposals that end one file of rows would conflict
            changes |= recorded(store.snapshot, [row])
        return Edit(changes, counts={}, rows=(row,), readable=True)

    def _say(self, _: Edit, settings: Settings) -> str:
        return commit_message(
            [self._row()],
            {self.note.path: self.note},
            settings.commit,
            direct=not self.proposes,
            signer=self.signer,
        )

    def _row(self) -> NoteRow:
        return NoteRow(self.now.replace(microsecond=0), self.note.path, CAPTURED)

    def _bring_up(self, commit: str) -> None:
        arguments = self.repository, self.clone, commit, self.settings, self.now.date()
        try:
            bring_up(self.index, *arguments)
        except Lost as lost:
            log.error("%s; it is filled anew", lost)
            bring_up(self.index, *arguments)

    def _prove(self, commit: str) -> None:
        """The commit is built, and nobody sees it yet: it has to be found."""
        self.commit = commit
        self.step = Step.INDEX
        file = self.clone.read(commit, self.note.path)
        page = page_of(file.path, file.data, blob_of(file.blob or ""))
        self.index.prepare(self.repository, commit, [page])
        self.step = Step.FIND
        if not self.index.holds(self.repository, self.note.slug, commit):
            raise Fault("the index does not find what it was just given", retry=False)
        self.step = Step.PUSH

    # after the push

    def _read_back(self, written: Written) -> Capture:
        try:
            tip = self.tip()
        except (UserError, Fault) as error:
            return self._doubt(error)
        self.commit = written.commit or self.commit
        if tip is None or not self._stands(tip):
            raise Changed
        try:
            self.index.settle(self.repository, self.commit, landed=not self.proposes)
            if not self.proposes:
                self._bring_up(tip)
        except Fault as fault:
            return self._doubt(fault)
        return Capture(State.CAPTURED, self.note.path, self.commit, detail=written.detail)

    def _stands(self, tip: str) -> bool:
        file = self.clone.read(tip, self.note.path)
        return self.clone.is_ancestor(self.commit, tip) and file.data == print_note(self.note)

    def _there(self) -> Capture:
        """Nothing was to be written: it stands there, and the index was just brought up to it."""
        found = self.clone.last_committed(self.on.head() or "", self.note.path)
        return Capture(State.CAPTURED, self.note.path, found.sha if found else None)

    def _doubt(self, error: UserError | Fault) -> Capture:
        return Capture(State.NOT_CONFIRMED, self.note.path, self.commit, self.step, error)

    def _is_unknown(self, error: UserError | Fault) -> bool:
        """Whether the push may have landed all the same."""
        return self._outcome is Outcome.UNKNOWN or isinstance(error, RemoteFault)

    def _failed(self, error: UserError | Fault) -> Capture:
        if self.step is Step.PUSH and self._is_unknown(error):
            return self._doubt(error)
        if isinstance(error, Changed):
            self.step = Step.READ_BACK
        if self.commit:
            with suppress(Fault):  # whoever brings the index up next settles it
                self.index.settle(self.repository, self.commit, landed=False)
        return Capture(State.NOT_SAVED, self.note.path, None, self.step, error)
