"""The present files of a block, for many readers: fetched at most every few seconds.

Where GitHub does not answer, what was seen last is served, with a line that says so. Knows no
reader; a repository that is not there for the App any more has no files, whatever was seen.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from bot.errors import Fault, UserError
from bot.forge.errors import Gone
from bot.git.plan import Outcome
from bot.git.remote import RemoteFault
from bot.work.hearing import permits
from bot.work.memory import Known
from bot.work.pitfalls import Files, files_of
from bot.work.places import Place

log = logging.getLogger(__name__)

FRESH = timedelta(seconds=5)  # a page that an agent opens twice is fetched once
STALE = timedelta(hours=1)  # how long the last seen is served while GitHub does not answer
REPOSITORIES = 64  # whose files are kept in memory, each a few hundred kilobytes
FETCHES = 3  # at once: of the web server's eight threads the receiver of webhooks needs some
TURN = 10.0  # seconds to wait for one of them

Open = Callable[[Known], AbstractContextManager[Place]]


@dataclass(frozen=True, slots=True)
class Seen:
    """The files at the tip of the default branch, at a time. `acts`: the App may write there."""

    files: Files
    acts: bool
    at: datetime


@dataclass(slots=True)
class _Repository:
    seen: Seen | None = None
    asked_at: datetime | None = None
    turn: threading.Lock = field(default_factory=threading.Lock)


class Freshness:
    """To be shared between threads."""

    def __init__(self, open_: Open, now: Callable[[], datetime]) -> None:
        self._open = open_
        self._now = now
        self._lock = threading.Lock()
        self._repositories: OrderedDict[int, _Repository] = OrderedDict()
        self._fetches = threading.BoundedSemaphore(FETCHES)

    def seen(self, known: Known) -> tuple[Seen, str]:
        """The files, and what to tell of their age, mostly nothing.

        Raises Gone where the App may not read there, and Fault where GitHub does not answer and
        nothing young enough was seen.
        """
        entry = self._entry(known.id)
        # Who finds another at it takes what was seen before rather than wait.
        if entry.turn.acquire(blocking=entry.seen is None):
            try:
                if entry.asked_at is None or not self._is_fresh(entry.asked_at):
                    entry.asked_at = self._now()
                    self._look(known, entry)
            finally:
                entry.turn.release()
        seen = entry.seen
        if seen is None or seen.at <= self._now() - STALE:
            raise Fault("GitHub does not answer", retry_after=FRESH.total_seconds())
        if entry.asked_at is None or seen.at >= entry.asked_at:
            return seen, ""
        return seen, _age(seen)

    def look_again(self, known: Known, place: Place) -> Seen:
        """The files as an opened place has them now: something was written there.

        Raises the errors of the forge and the git room.
        """
        entry = self._entry(known.id)
        with entry.turn:  # a reader's older look must not be the last
            entry.asked_at = self._now()
            entry.seen = self._seen_in(known, place)
            return entry.seen

    def _entry(self, repository: int) -> _Repository:
        with self._lock:
            entry = self._repositories.setdefault(repository, _Repository())
            self._repositories.move_to_end(repository)
            while len(self._repositories) > REPOSITORIES:
                self._repositories.popitem(last=False)
            return entry

    def _is_fresh(self, at: datetime) -> bool:
        return timedelta(0) <= self._now() - at < FRESH

    def _look(self, known: Known, entry: _Repository) -> None:
        if not self._fetches.acquire(timeout=TURN):
            raise Fault("too many repositories are read at once", retry_after=TURN)
        try:
            entry.seen = self._fetched(known)
        except Fault as fault:
            if isinstance(fault, RemoteFault) and fault.outcome is Outcome.GONE:
                entry.seen = None
                raise Gone("The repository cannot be read.") from fault
            log.warning("repository %d: its block is served as last seen: %s", known.id, fault)
        except UserError:  # gone, suspended, a missing permission: nothing is served any more
            entry.seen = None
            raise
        finally:
            self._fetches.release()

    def _fetched(self, known: Known) -> Seen:
        with self._open(known) as place:
            return self._seen_in(known, place)

    def _seen_in(self, known: Known, place: Place) -> Seen:
        if not (known.here or place.repository.archived):  # public: anybody may read it
            raise Gone("The App is not in the repository.")
        defaults: dict[str, object] = {}
        try:
            defaults = dict(place.owner_defaults())
        except UserError as error:
            log.info("repository %d: its owner's file is broken: %s", known.id, error)
        with place.branch() as branch:
            files = files_of(branch.clone, branch.head(), defaults)
        acts = files.settled and permits(files.settings, place.repository)
        return Seen(files, acts, self._now())


def _age(seen: Seen) -> str:
    at = seen.at.astimezone(UTC)
    commit = f" (commit {seen.files.commit[:12]})" if seen.files.commit else ""
    return f"GitHub does not answer: this is the state of {at:%Y-%m-%d %H:%M} UTC{commit}."
