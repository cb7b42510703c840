"""Where the App is, read from GitHub and kept in the memory; events only say when to look.

Work waits while an installation is suspended, is dropped where a repository is gone or archived,
and goes on when it comes back. Knows no channel.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from bot.errors import Fault, UserError
from bot.forge.app import App
from bot.forge.errors import Archived, Gone, Suspended
from bot.git.plan import Outcome
from bot.git.remote import RemoteFault
from bot.inbox import Inbox
from bot.work.memory import Known, Memory
from bot.work.places import Place
from bot.writes import Writes

log = logging.getLogger(__name__)


class Opening(Protocol):
    def __call__(
        self, known: Known, since: datetime | None = None
    ) -> AbstractContextManager[Place]: ...


@dataclass(frozen=True, slots=True)
class Presence:
    """`opening` opens a repository where it is known; `forget_owner` drops what was read of one.

    `arrived` is told the repositories that an installation is in, again and again.
    """

    memory: Memory
    inbox: Inbox
    writes: Writes
    app: App
    opening: Opening
    forget_owner: Callable[[str], None]
    now: Callable[[], datetime]
    arrived: Callable[[int, Collection[int], datetime], None] = lambda *_: None

    @contextmanager
    def open(
        self,
        known: Known,
        heard_as: tuple[int, str] | None = None,
        since: datetime | None = None,
    ) -> Iterator[Place]:
        """The place of a repository; where that is now, is remembered.

        `heard_as` is the installation and the full name that a delivery gave it, which may be newer
        or older than what is known. `since` is that of `Places.open`. Raises the errors of the
        forge room.
        """
        places = [known]
        if heard_as is not None:
            heard = replace(known, installation=heard_as[0], full_name=heard_as[1])
            stays = known.here and heard.installation == known.installation
            places = [known, heard] if stays else [*self._moved(known, heard), heard, known]
        with ExitStack() as stack:
            found, place = self._first(list(dict.fromkeys(places)), since, stack)
            self._note(found, place)
            yield place

    def _first(
        self, places: list[Known], since: datetime | None, stack: ExitStack
    ) -> tuple[Known, Place]:
        *others, last = places
        for each in others:
            try:
                return each, stack.enter_context(self.opening(each, since))
            except (Gone, Suspended) as error:
                log.info("repository %d is not where it was: %s", each.id, error)
        return last, stack.enter_context(self.opening(last, since))

    def _moved(self, known: Known, heard: Known) -> Iterator[Known]:
        """Where GitHub says that the App is in it: a public repository opens from anywhere."""
        for each in dict.fromkeys((heard.full_name, known.full_name)):
            with suppress(Gone):
                installation = self.app.repository_installation(each).id
                yield replace(known, installation=installation, full_name=each)

    def _note(self, found: Known, place: Place) -> None:
        known = self.memory.known(found.id)
        if place.repository.archived:
            self.drop(found.id, "the repository is archived")
            return
        name = place.repository.full_name
        if known != replace(found, full_name=name, here=True):
            self.memory.meet(found.id, found.installation, name)
        if known is not None and not known.here:
            self.resume([found.id])

    @contextmanager
    def during(self, repository: int) -> Iterator[None]:
        """Around a job: parks it where the installation is suspended, drops it where nothing is.

        What GitHub says in passing is not believed: it is asked once more before work is dropped.
        """
        try:
            yield
        except Suspended:
            known = self.memory.known(repository)
            if known is not None:
                self.memory.leave(installation=known.installation)
            raise
        except (Gone, Archived, RemoteFault) as error:
            if isinstance(error, RemoteFault) and error.outcome is not Outcome.GONE:
                raise
            if not self._is_over(repository):
                raise
            self.drop(repository, str(error))

    def _is_over(self, repository: int) -> bool:
        known = self.memory.known(repository)
        if known is None:
            return False
        try:
            with self.open(known) as place:
                return place.repository.archived
        except Gone:
            return True

    def drop(self, repository: int, reason: str) -> None:
        """Leaves a repository with all that waits for it. One line in the log, however often."""
        known = self.memory.known(repository)
        waited = self.memory.drop(repository)
        self.inbox.drop_parked(repository, self.now(), reason)
        if waited or (known is not None and known.here):
            log.info("repository %d: its work is dropped: %s", repository, reason)

    def resume(self, repositories: Collection[int]) -> None:
        """What is parked there may go now: it runs again."""
        now = self.now()
        heard = self.inbox.unpark(now, repositories)
        for repository in self.memory.with_waiting(repositories):
            self.writes.request(repository, now)
        if heard:
            log.info("%d parked deliveries run again", heard)

    def repaired(self, known: Known) -> None:
        """Something of ours was pushed there: what waited for a repair is tried again."""
        owner, _, name = known.full_name.partition("/")
        repositories = [known.id]
        if name == ".github":
            self.forget_owner(owner)
            repositories = [each.id for each in self.memory.of_installation(known.installation)]
        self.resume(repositories)

    def look(self, known: Known, heard_as: tuple[int, str]) -> None:
        """A repository was moved, archived or brought back. Raises the errors of the forge room."""
        with self.open(known, heard_as) as place:
            archived = place.repository.archived
        if not archived:
            self.resume([known.id])

    def look_at(self, installation: int) -> None:
        """An installation came, went or changed. Raises the errors of the forge room."""
        known = {each.id for each in self.memory.of_installation(installation)}
        try:
            if self.app.installation(installation).suspended:
                raise Suspended("The installation is suspended.")
            # Not the cached one: permissions may have changed.
            self.app.installation_token(installation, fresh=True)
            there = {each.id: each for each in self.app.repositories(installation)}
        except Suspended:
            self.memory.leave(installation=installation)
            log.info("installation %d is suspended: its work waits", installation)
            return
        except Gone:
            there = {}
        for number in known - there.keys():
            self.drop(number, "the App is not installed there any more")
        for each in there.values():
            if each.archived:
                self.drop(each.id, "the repository is archived")
            else:
                self.memory.meet(each.id, installation, each.full_name)
        working = [each.id for each in there.values() if not each.archived]
        self.resume(working)
        self.arrived(installation, working, self.now())

    def reconcile(self) -> None:
        """Every installation looked at; one that cannot be keeps no other back. Raises Fault."""
        listed = {each.id for each in self.app.installations()}
        for installation in sorted(listed | self.memory.installations()):
            try:
                self.look_at(installation)
            except (UserError, Fault) as error:
                log.warning("installation %d could not be looked at: %s", installation, error)
