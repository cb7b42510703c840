"""The server wired together: receiver, inbox, queue, workers. The one place that knows them all.

The sandbox runs the same server with another forge and another clock.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from bot.database import connect, migrate
from bot.errors import Fault, UserError
from bot.executor import Executor
from bot.handover import Handover
from bot.inbox import Inbox, Status
from bot.jobs import DbosQueue, Kind, Queue
from bot.metrics import Metrics
from bot.timers import Timers
from bot.work.committing import Committing
from bot.work.distilling import Distillers
from bot.work.feature import Feature
from bot.work.hearing import Hearing
from bot.work.looking import Looks
from bot.work.memory import Memory
from bot.work.outbox import Outbox
from bot.work.places import Places
from bot.work.presence import Presence
from bot.work.reviewing import Reviews
from bot.work.rounds import Rounds
from bot.work.settings_check import SettingsCheck
from bot.writer import Writer
from bot.writes import Writes
from webhooks.reception import Reception
from webhooks.signature import Secrets
from webhooks.site import site

DEBOUNCE = timedelta(seconds=5)  # a review's inline comments arrive beside it, in any order
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """What differs between a server for GitHub and one for a sandbox."""

    data: Path
    database: str
    places: Places
    secrets: Secrets
    distillers: Callable[[Memory], Distillers]
    now: Callable[[], datetime]
    app_id: int | None = None
    debounce: timedelta = DEBOUNCE
    executor: str | None = None


class Server:
    """`web` answers HTTP once `start` has run; `stop` leaves nothing half done."""

    def __init__(self, parts: Parts, queue: Callable[[str], Queue] | None = None) -> None:
        self._parts = parts
        engine = connect(parts.database)
        migrate(engine)
        self._engine = engine
        self._writer = Writer(engine)
        bell = threading.Event()
        self.inbox = Inbox(engine, self._writer, bell)
        self.writes = Writes(engine, self._writer, bell)
        self.memory = Memory(engine, self._writer)
        self.metrics = Metrics(self.inbox.counts)
        self._executor = Executor(parts.data, parts.executor)
        outbox = Outbox(self.memory, parts.now)
        self.features: tuple[Feature, ...] = (
            Reviews(self.memory, outbox, parts.distillers(self.memory), parts.debounce),
            Looks(outbox),
        )
        self.presence = Presence(
            self.memory,
            self.inbox,
            self.writes,
            parts.places.app,
            parts.places.open,
            parts.places.forget_owner,
            parts.now,
        )
        self._settings_check = SettingsCheck()
        self._hearing = Hearing(
            self.inbox,
            self.memory,
            self.presence,
            self.features,
            (self._settings_check,),
            self._settings_check.tell,
            parts.places.bot,
        )
        self._committing = Committing(
            self.memory, self.writes, self.presence.open, self.metrics, parts.now
        )
        name = self._executor.name
        self.handover = Handover(
            {Kind.HEAR: self.inbox, Kind.WRITE: self.writes},
            queue(name) if queue else DbosQueue(parts.database, name),
            {Kind.HEAR: self._hear, Kind.WRITE: self._write},
            self.metrics,
            bell,
            parts.now,
        )
        self._timers = Timers()
        self._rounds = Rounds(engine, self._writer)
        self.reception = Reception(self.inbox, self._hearing.wait)
        self.web = site(self.reception, parts.secrets, self.metrics, parts.app_id, parts.now)

    def start(self) -> None:
        self.handover.start()
        self._timers.schedule("rounds", HOUR.total_seconds(), self.round)

    def round(self) -> None:
        """What is due of the daily work; begun by the clock, not by how long the server runs."""
        now = self._parts.now()
        if self._rounds.begin("housekeeping", DAY, now):
            self.inbox.unpark(now)  # a person may have mended what no delivery tells of
            self.housekeeping()
        if self._rounds.begin("prune", DAY, now):
            self.prune()

    def stop(self, grace: float = 20.0) -> None:
        """Hands nothing more over and gives running work `grace` seconds."""
        self._timers.stop()
        self.handover.stop(grace)
        self._writer.close()
        self._engine.dispose()
        self._executor.release()

    def idle(self) -> bool:
        """Whether nothing waits that could be worked on now; asked in the order that work goes."""
        counts = self.inbox.counts()
        if counts[Status.RECEIVED] or counts[Status.HANDED]:
            return False
        due = self.writes.next_due()
        return (due is None or due > self._parts.now()) and not self.writes.running()

    def housekeeping(self) -> None:
        """Expiry and vanished files, in every repository the App is in."""
        for known in self.memory.here():
            self.memory.want_housekeeping(known.id, self._parts.now())

    def prune(self) -> None:
        now = self._parts.now()
        self.inbox.prune(now)
        self.memory.prune(now)
        self.handover.collect()

    def _hear(self, _kind: Kind, _key: str, number: int) -> None:
        self._hearing.hear(number)

    def _write(self, _kind: Kind, key: str, _number: int) -> None:
        repository = int(key)
        try:
            with self.presence.during(repository):
                self._committing.commit(repository)
        except UserError as error:
            self._tell(repository, error)
            raise

    def _tell(self, repository: int, error: UserError) -> None:
        """Says it in the repository as well, where it is about a file there."""
        known = self.memory.known(repository)
        if known is None or error.file is None:
            return
        try:
            with self.presence.open(known) as place:
                self._settings_check.tell(place, error)
        except (UserError, Fault) as why:
            log.warning("repository %d: %s could not be told: %s", repository, error, why)
