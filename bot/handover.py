"""Between the ledgers (inbox, writes) and the queue: hands work over until it exists, and records
what each try came to. It knows neither GitHub nor what the work is.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from bot.errors import Fault, UserError
from bot.jobs import DEATHS, Job, Kind, Queue
from bot.logs import about
from bot.metrics import Metrics

log = logging.getLogger(__name__)

Handler = Callable[[Kind, str, int], None]
"""Does the work of (kind, key, number). Raises Fault (tried again) or UserError (parked)."""

ATTEMPTS = 64  # with these pauses at least a day: an outage of a day loses nothing
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(hours=1)
POLL = timedelta(seconds=1)  # sees what another process stored; this one's work rings the bell
RESCUE = timedelta(minutes=1)  # how often what could not be recorded is looked for
NAMELESS = 3 * RESCUE  # a live process of a release that wrote no names renews the time each minute
BATCH = 100


class Ledger(Protocol):
    """Where work waits until its job has ended. Every change names the try it is about."""

    def next_due(self) -> datetime | None: ...

    def claim(self, executor: str, now: datetime, limit: int) -> list[Job]:
        """What is due, from now on in that process's hands; no other process gets the same."""

    def handed(self, executor: str | None, before: datetime | None = None) -> list[Job]:
        """What that process has in its hands (None: it left no name), taken before that time."""

    def done(self, job: Job, now: datetime) -> None: ...

    def again(self, job: Job, at: datetime, reason: str) -> None:
        """Its next attempt is due then; `job.deaths` is kept."""

    def failed(self, job: Job, now: datetime, reason: str) -> None: ...

    def parked(self, job: Job, now: datetime, reason: str) -> None: ...


def pause(attempt: int, retry_after: float | None, jitter: float) -> timedelta:
    """How long to wait after this try (1 is the first): doubling, halved by at most `jitter` 0…1.

    A pause that the other side asked for is kept in full, whatever the backoff says.
    """
    doubled = min(FIRST_PAUSE * (1 << min(attempt - 1, 20)), LONGEST_PAUSE)
    waited = doubled * (1 - jitter / 2)
    return max(waited, timedelta(seconds=retry_after or 0) * (1 + jitter / 10))


class Heartbeats(Protocol):
    """Who of several processes is alive. Methods that change something raise Fault."""

    def due(self) -> bool: ...

    def beat(self) -> None: ...

    def dead(self) -> Sequence[str]: ...

    def bury(self, name: str) -> None: ...

    def leave(self) -> None: ...


class Handover:
    """Runs the pump of the process `name`. `handlers` says what is done for each kind of job.

    No other live process may have that name, and the next life of this one has to have it again
    (bot/executor.py): what the ledgers say is in its hands when it starts, it died of or beside.
    `bell` is the event that the ledgers set when work is waiting. `heartbeats`: where several
    processes share one database.
    """

    def __init__(
        self,
        name: str,
        ledgers: Mapping[Kind, Ledger],
        queue: Queue,
        handlers: Mapping[Kind, Handler],
        metrics: Metrics,
        bell: threading.Event,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        heartbeats: Heartbeats | None = None,
    ) -> None:
        self._name = name
        self._heartbeats = heartbeats
        self._ledgers = ledgers
        self._queue = queue
        self._handlers = handlers
        self._metrics = metrics
        self._bell = bell
        self._now = now
        self._given: dict[Kind, set[str]] = {kind: set() for kind in ledgers}  # and not ended
        self._stopping = False
        self._thread = threading.Thread(target=self._pump, name="handover", daemon=True)

    def start(self) -> None:
        """Start the queue and the pump, and take up what an earlier life left."""
        if self._heartbeats is not None:
            self._heartbeats.beat()  # before any work: who dies at it must be missed
        self._queue.start(self.work)
        self.take_over(self._name)
        self._thread.start()

    def stop(self, grace: float) -> None:
        """Hand nothing more over, then give running work `grace` seconds.

        What has not ended by then is taken over by others, as after a death.
        """
        self._stopping = True
        self._bell.set()
        if self._thread.is_alive():
            self._thread.join()
        self._queue.stop(grace)
        if self._heartbeats is not None:
            with suppress(Exception):  # the database is gone: others will see the silence
                if not self._has_in_hand():
                    self._heartbeats.leave()

    def sweep(self, now: datetime) -> timedelta:
        """Hand over what is due; how long until more may be due."""
        wait = POLL
        for kind, ledger in self._ledgers.items():
            room = min(self._queue.capacity(kind) - len(self._given[kind]), BATCH)
            if room <= 0:  # a job that ends rings the bell
                continue
            due = ledger.next_due()
            if due is None:
                continue
            if due > now:
                wait = min(wait, due - now)
                continue
            jobs = ledger.claim(self._name, now, room)
            for job in jobs:
                self._give(job)
            wait = timedelta(0) if len(jobs) == BATCH else wait
        return wait

    def _give(self, job: Job) -> None:
        self._given[job.kind].add(job.id)
        try:
            self._queue.enqueue(job)
        except Fault:
            self._given[job.kind].discard(job.id)
            raise

    def rescue(self, now: datetime) -> None:
        """Has tried anew what the ledgers believe to run, and nobody runs."""
        for kind, ledger in self._ledgers.items():
            given = frozenset(self._given[kind])  # as it was before the ledger is asked
            for job in ledger.handed(self._name):
                if job.id not in given:
                    self._broke(ledger, job, Fault("the work ended without an answer"))
            for job in ledger.handed(None, now - NAMELESS):
                ledger.again(job, now, "handed over anew")

    def take_over(self, executor: str) -> int:
        """Has what a dead process had in hand tried anew, here or elsewhere; how many jobs."""
        taken = 0
        for ledger in self._ledgers.values():
            for job in ledger.handed(executor):
                self._died(ledger, job)
                taken += 1
        if taken:
            log.warning("%s has died; %d of its jobs are tried anew", executor, taken)
        return taken

    def _has_in_hand(self) -> bool:
        return any(ledger.handed(self._name) for ledger in self._ledgers.values())

    def work(self, job: Job) -> None:
        """One try: called by the queue. Whatever it comes to is in the ledger when it returns."""
        ledger = self._ledgers[job.kind]
        try:
            self._try(ledger, job)
        finally:
            self._given[job.kind].discard(job.id)
            self._bell.set()

    def _try(self, ledger: Ledger, job: Job) -> None:
        try:
            with about(job.id):
                self._handlers[job.kind](job.kind, job.key, job.number)
        except UserError as error:
            log.info("%s is parked: %s", job.id, error)
            self._metrics.faults.labels(job.kind, "parked").inc()
            ledger.parked(job, self._now(), str(error))
        except Fault as fault:
            self._broke(ledger, job, fault)
        except Exception as error:
            log.exception("%s broke", job.id)
            self._broke(ledger, job, Fault(f"unexpected {type(error).__name__}"))
        else:
            ledger.done(job, self._now())

    def _broke(self, ledger: Ledger, job: Job, fault: Fault) -> None:
        log.warning("%s broke: %s", job.id, fault)
        jitter = random.random()  # nosec B311
        wait = pause(job.tries, fault.retry_after, jitter) if fault.retry else None
        self._end(ledger, job, wait, str(fault))

    def _died(self, ledger: Ledger, job: Job) -> None:
        """The job may be what the process died of, or was in hand beside it."""
        job = replace(job, deaths=job.deaths + 1)
        jitter = random.random()  # nosec B311
        wait = timedelta(0) if job.deaths % DEATHS else pause(job.tries, None, jitter)
        self._end(ledger, job, wait, "the process that worked on it died")

    def _end(self, ledger: Ledger, job: Job, wait: timedelta | None, reason: str) -> None:
        """Has it tried anew after a wait, if it has one and was not tried too often."""
        now = self._now()
        if wait is not None and job.tries < ATTEMPTS:
            self._metrics.faults.labels(job.kind, "retried").inc()
            ledger.again(job, now + wait, reason)
        else:
            self._metrics.faults.labels(job.kind, "failed").inc()
            ledger.failed(job, now, reason)

    def _look_at_others(self) -> None:
        if self._heartbeats is None or not self._heartbeats.due():
            return
        self._heartbeats.beat()
        for name in self._heartbeats.dead():
            self.take_over(name)
            self._heartbeats.bury(name)

    def _pump(self) -> None:
        looked = self._now()
        while not self._stopping:
            self._bell.clear()
            wait = POLL
            try:
                now = self._now()
                wait = self.sweep(now)
                self._look_at_others()
                if now - looked >= RESCUE:
                    looked = now
                    self.rescue(now)
            except Exception:  # the pump is what everything waits for: it outlives a lost database
                log.exception("handing over broke; it goes on in %g s", POLL.total_seconds())
            self._bell.wait(wait.total_seconds())
