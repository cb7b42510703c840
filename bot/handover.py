"""Between the ledgers (inbox, writes) and the queue: hands work over until it exists, and records
what each try came to. It knows neither GitHub nor DBOS, nor what the work is.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Protocol

from bot.errors import Fault, UserError
from bot.jobs import Job, Kind, Queue, State
from bot.logs import about
from bot.metrics import Metrics

log = logging.getLogger(__name__)

Handler = Callable[[Kind, str, int], None]
"""Does the work of (kind, key, number). Raises Fault (tried again) or UserError (parked)."""

ATTEMPTS = 64  # with these pauses at least a day: an outage of a day loses nothing
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(hours=1)
POLL = timedelta(seconds=1)  # sees what another process stored; this one's work rings the bell
STRANDED = timedelta(minutes=1)  # how long handed work may be silent before the queue is asked
BATCH = 100
KEEP_JOBS = timedelta(days=1)  # the inbox is the long memory


class Ledger(Protocol):
    """Where work waits until its job has ended. Every change names the try it is about."""

    def next_due(self) -> datetime | None: ...

    def claim(self, now: datetime, limit: int) -> list[Job]: ...

    def stranded(self, before: datetime, limit: int) -> list[Job]: ...

    def still_waits(self, job: Job, now: datetime) -> None: ...

    def wants(self, job: Job) -> bool: ...

    def done(self, job: Job, now: datetime) -> None: ...

    def again(self, job: Job, at: datetime, reason: str) -> None: ...

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
    """Runs the pump of one process. `handlers` says what is done for each kind of job.

    `bell` is the event that the ledgers set when work is waiting. `heartbeats`: where several
    processes share one database.
    """

    def __init__(
        self,
        ledgers: Mapping[Kind, Ledger],
        queue: Queue,
        handlers: Mapping[Kind, Handler],
        metrics: Metrics,
        bell: threading.Event,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        heartbeats: Heartbeats | None = None,
    ) -> None:
        self._heartbeats = heartbeats
        self._ledgers = ledgers
        self._queue = queue
        self._handlers = handlers
        self._metrics = metrics
        self._bell = bell
        self._now = now
        self._given: dict[Kind, set[str]] = {kind: set() for kind in ledgers}  # to the queue
        self._begun: set[str] = set()  # here, and not ended
        self._stopping = False
        self._thread = threading.Thread(target=self._pump, name="handover", daemon=True)

    def start(self) -> None:
        """Start the queue and the pump, and look at once for what a crash left between the two."""
        if self._heartbeats is not None:
            self._heartbeats.beat()  # before any work: who dies at it must be missed
        self._queue.start(self.work)
        self.rescue(self._now())
        self._thread.start()

    def stop(self, grace: float) -> None:
        """Hand nothing more over, then give running work `grace` seconds.

        What has not ended by then is taken over by others, as after a death.
        """
        self._stopping = True
        self._bell.set()
        if self._thread.is_alive():
            self._thread.join()
        # With a grace the queue first looks after a second, which a stop at rest need not take.
        runs = self._begun or any(self._given.values())
        self._queue.stop(grace if runs else 0)
        if self._heartbeats is not None and not self._begun:
            with suppress(Fault):  # the database is gone: others will see the silence
                self._heartbeats.leave()

    def sweep(self, now: datetime) -> timedelta:
        """Hand over what is due; how long until more may be due."""
        wait = POLL
        for kind, ledger in self._ledgers.items():
            due = ledger.next_due()
            room = min(self._queue.capacity(kind) - len(self._given[kind]), BATCH)
            if due is None or room <= 0:  # a job that ends rings the bell
                continue
            if due > now:
                wait = min(wait, due - now)
                continue
            jobs = ledger.claim(now, room)
            for job in jobs:
                self._given[kind].add(job.id)
                self._queue.enqueue(job)
            wait = timedelta(0) if len(jobs) == BATCH else wait
        return wait

    def rescue(self, before: datetime) -> None:
        """Ask the queue about work handed over before this time and not heard of since."""
        now = self._now()
        for ledger in self._ledgers.values():
            for job in ledger.stranded(before, BATCH):
                match self._queue.state(job):
                    case State.ABSENT:  # the process died between claiming it and enqueueing it
                        ledger.again(job, now, "handed over anew")
                    case State.WAITING:
                        ledger.still_waits(job, now)
                    case State.ENDED:  # what it came to could not be recorded
                        self._broke(ledger, job, Fault("the work ended without an answer"))
                    case State.KILLED:  # by it, or by what a machine goes through: later, again
                        self._broke(ledger, job, Fault("its process died of it, or beside it"))

    def take_over(self, executor: str) -> int:
        """Has what a dead process had begun tried anew, here or elsewhere; how many jobs."""
        jobs = self._queue.abandon(executor)
        for job in jobs:
            died = Fault("the process that worked on it died")
            self._broke(self._ledgers[job.kind], job, died)  # it may be what killed it
        log.warning("%s has died; %d of its jobs are tried anew", executor, len(jobs))
        return len(jobs)

    def collect(self) -> None:
        """Forget ended jobs; for a timer."""
        while self._queue.collect(self._now() - KEEP_JOBS):
            pass

    def work(self, job: Job) -> None:
        """One try: called by the queue. Whatever it comes to is in the ledger when it returns."""
        ledger = self._ledgers[job.kind]
        self._begun.add(job.id)
        try:
            if ledger.wants(job):
                self._try(ledger, job)
        finally:
            self._begun.discard(job.id)
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
        now = self._now()
        if fault.retry and job.attempt < ATTEMPTS:
            self._metrics.faults.labels(job.kind, "retried").inc()
            jitter = random.random()  # nosec B311
            wait = pause(job.attempt, fault.retry_after, jitter)
            ledger.again(job, now + wait, str(fault))
        else:
            self._metrics.faults.labels(job.kind, "failed").inc()
            ledger.failed(job, now, str(fault))

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
                if now - looked >= STRANDED:
                    looked = now
                    self.rescue(now - STRANDED)
            except Exception:  # the pump is what everything waits for: it outlives a lost database
                log.exception("handing over broke; it goes on in %g s", POLL.total_seconds())
            self._bell.wait(wait.total_seconds())
