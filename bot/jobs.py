"""The queue: each job begins as soon as it is given, in a thread of its own.

It is in memory alone: what a crash must not lose is in the ledgers. It knows numbers, not payloads;
what a job means is the handover's, and which jobs may run beside each other its ledgers say.
"""

from __future__ import annotations

import enum
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bot.errors import Fault
from bot.niceness import give_way

log = logging.getLogger(__name__)

DEATHS = 4  # that weigh as one try: a death says little against the work beside which it came


class Kind(enum.StrEnum):
    """HEAR jobs read facts and distil; WRITE jobs write, of a repository one at a time."""

    HEAR = "hear"
    WRITE = "write"


AT_ONCE = {
    Kind.HEAR: 8,  # distilling waits for a model most of the time
    Kind.WRITE: 4,  # git is processor and disk
}


@dataclass(frozen=True, slots=True)
class Job:
    """One try of one piece of work. `key` is the repository id, `number` what its ledger calls it.

    Its id is `<name>/<attempt>`: a new try is a new attempt, and what an older one comes to is
    ignored. `deaths` counts the attempts before it in which the process died.
    """

    kind: Kind
    key: str
    number: int
    name: str
    attempt: int = 1
    deaths: int = 0

    @property
    def id(self) -> str:
        return f"{self.name}/{self.attempt}"

    @property
    def tries(self) -> int:
        """By which pauses grow and patience ends; 1 is the first."""
        return self.attempt - self.deaths + self.deaths // DEATHS


class Queue(Protocol):
    """Gives each job to `run`, once."""

    def start(self, run: Callable[[Job], None]) -> None: ...

    def enqueue(self, job: Job) -> None:
        """Raises Fault where nothing more can be begun."""

    def capacity(self, kind: Kind) -> int:
        """How many jobs of this kind to give it at once; the others wait in their ledger."""

    def stop(self, grace: float) -> None:
        """Wait at most `grace` seconds for what runs; what has not ended by then is left to end."""


class Threads:
    """A thread for each job, which ends with it: at rest there is none."""

    def __init__(self) -> None:
        self._run: Callable[[Job], None] | None = None
        self._running: set[threading.Thread] = set()

    def start(self, run: Callable[[Job], None]) -> None:
        self._run = run

    def enqueue(self, job: Job) -> None:
        # A daemon: what outlasts its grace must not keep the process from ending.
        thread = threading.Thread(target=self._work, args=(job,), name=job.id, daemon=True)
        self._running.add(thread)
        try:
            thread.start()
        except RuntimeError as error:  # no more threads, says the kernel
            self._running.discard(thread)
            raise Fault(f"{job.id} could not be begun: {error}") from error

    def _work(self, job: Job) -> None:
        give_way()
        try:
            if self._run is None:
                raise Fault("the queue runs without its handlers")
            self._run(job)
        except Exception:  # its ledger still says that it runs, which is what a rescue looks for
            log.exception("what %s came to could not be recorded", job.id)
        finally:
            self._running.discard(threading.current_thread())

    def capacity(self, kind: Kind) -> int:
        return AT_ONCE[kind]

    def stop(self, grace: float) -> None:
        end = time.monotonic() + grace
        for thread in tuple(self._running):
            thread.join(max(0.0, end - time.monotonic()))
