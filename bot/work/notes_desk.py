"""What readers save: notes, and that a note was found true. On the default branch, or proposed.

Reads who asks and what the settings say; what a note may be is decided by `bot.work.capturing`.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import BoundedSemaphore

from bot.channels.rolling import is_wanted
from bot.errors import Fault, UserError
from bot.git.store import read_store
from bot.notes.capture import Capture, State, Step
from bot.notes.draft import Given
from bot.notes.note import Note, own_number
from bot.search.model import Index
from bot.settings import Settings
from bot.work.captured_notes import Proposals, propose
from bot.work.capturing import Capturing, Provable, checked
from bot.work.confirming import confirm
from bot.work.memory import Known
from bot.work.places import MirrorBranch, Place
from bot.work.proposing import is_way_round
from bot.work.showing import Access, Admitted
from bot.work.writing import Refused

log = logging.getLogger(__name__)

MOST_AN_HOUR = 60  # notes of one reader: each is a commit, and somebody reads the history
AT_ONCE = 3  # of the web server's eight threads the receiver of webhooks needs some
TURN = 10.0  # seconds to wait for one of them

Open = Callable[[Known], AbstractContextManager[Place]]


@dataclass(frozen=True, slots=True)
class NotesDesk:
    """Wired once; called by many threads. None: whoever holds the token may not do that there."""

    access: Access
    index: Index
    open: Open
    now: Callable[[], datetime]
    saved: dict[tuple[int, str], deque[datetime]] = field(default_factory=dict)  # of this process
    turns: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(AT_ONCE))

    def capture(self, token: str, full_name: str | None, given: Given) -> Capture | None:
        """Raises Fault where it cannot be told who asks."""
        admitted = self._admitted(token, full_name)
        if admitted is None:
            return None
        note = checked(given, self.now(), agent=True)
        if isinstance(note, Capture):
            return note
        try:
            mine = self._room(admitted)
        except UserError as error:
            return Capture(State.NOT_SAVED, note.path, step=Step.CHECK, error=error)
        found = self._kept(admitted, note.path, lambda look: look.capture(note))
        if found.error is None:
            mine.append(self.now())
        return found

    def confirm(self, token: str, full_name: str | None, path: str) -> Capture | None:
        """Raises Fault where it cannot be told who asks."""
        admitted = self._admitted(token, full_name)
        if admitted is None:
            return None
        return self._kept(admitted, path, lambda look: look.confirm(path))

    def _room(self, admitted: Admitted) -> deque[datetime]:
        """When this reader saved notes. Raises UserError where those of the last hour are many."""
        mine = self.saved.setdefault((admitted.known.id, admitted.reader.name), deque())
        while mine and mine[0] <= self.now() - timedelta(hours=1):
            mine.popleft()
        if len(mine) >= MOST_AN_HOUR:
            raise UserError(
                f"You saved {len(mine)} notes within the last hour.",
                remedy="Go on later, and put what belongs together into one note.",
            )
        return mine

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self.turns.acquire(timeout=TURN):
            raise Fault("too many notes are saved at once", retry_after=TURN)
        try:
            yield
        finally:
            self.turns.release()

    def _admitted(self, token: str, full_name: str | None) -> Admitted | None:
        admitted = self.access.admit(token, full_name)
        return admitted if admitted is not None and admitted.reader.captures else None

    def _kept(self, admitted: Admitted, path: str, keep: Callable[[_Writing], Capture]) -> Capture:
        try:
            with self._turn(), self.open(admitted.known) as place:
                settings = place.settings() if admitted.seen.acts else None
                if settings is None:
                    raise UserError(
                        "The settings of this repository do not let Lessonkeeper write.",
                        remedy="A person turns it on in .github/lessonkeeper.yml.",
                    )
                found = keep(_Writing(place, settings, self.index, admitted.known.id, self.now()))
        except (UserError, Fault) as error:
            found = Capture(State.NOT_SAVED, path, step=Step.COMMIT, error=error)
        log.info(
            "repository %d: %s: a note of reader %s",
            admitted.known.id, found.state.value, admitted.reader.name,
        )  # fmt: skip
        return found


@dataclass(frozen=True, slots=True)
class _Writing:
    """One write into an opened repository, the way that its rules and settings want."""

    place: Place
    settings: Settings
    index: Index
    repository: int
    now: datetime

    @property
    def signer(self) -> str:
        return f"{self.place.author.name} <{self.place.author.email}>"

    def capture(self, note: Note) -> Capture:
        own = own_number(note.job, self.place.repository.full_name) if note.job else None
        if own is not None and self.place.forge.job_state(own) is None:
            remedy = "Name the issue or pull request that you work on."
            error = UserError(f"There is no #{own} here.", remedy=remedy)
            return Capture(State.NOT_SAVED, note.path, step=Step.CHECK, error=error)
        if self._is_proposed():
            return self._propose_note(note)
        with self.place.branch() as branch:
            found = self._capturing(note, branch, branch.head).capture(self.place.owner_defaults())
        if isinstance(found.error, Refused) and is_way_round(found.error, self.settings):
            return self._propose_note(note)
        return found

    def confirm(self, path: str) -> Capture:
        if not self._is_proposed():
            try:
                with self.place.branch() as branch:
                    return self._confirm(path, branch, branch.head)
            except Refused as refused:
                if not is_way_round(refused, self.settings):
                    raise
        return propose(self.place, path, lambda on: self._confirm(path, on, on.tip))

    def _is_proposed(self) -> bool:
        auto, branch = self.settings.mode == "auto", self.place.repository.default_branch
        return is_wanted(self.settings, self.place.forge.branch_rules(branch) if auto else ())

    def _propose_note(self, note: Note) -> Capture:
        def keep(on: Proposals) -> Capture:
            return self._capturing(note, on, on.tip).capture(
                self.place.owner_defaults(), read=on.read
            )

        return propose(self.place, note.path, keep)

    def _capturing(self, note: Note, on: Provable, tip: Callable[[], str | None]) -> Capturing:
        return Capturing(
            note,
            on,
            tip,
            self.index,
            self.repository,
            self.now,
            self.signer,
            proposes=isinstance(on, Proposals),
        )

    def _confirm(
        self, path: str, on: MirrorBranch | Proposals, tip: Callable[[], str | None]
    ) -> Capture:
        return confirm(
            path,
            on,
            tip,
            self.now,
            repository=self.repository,
            owner_defaults=self.place.owner_defaults(),
            signer=self.signer,
            proposes=isinstance(on, Proposals),
            read=on.read if isinstance(on, Proposals) else read_store,
        )
