"""A queue without threads; and waiting for one of its own process or another."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable

from bot.jobs import Job, Kind

PATIENCE = 30.0  # seconds until a test gives up; no test is faster or slower for it


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.01)


class InlineQueue:
    """In the thread of the test: `drain` runs what waits."""

    def __init__(self) -> None:
        self._waiting: deque[Job] = deque()
        self._run: Callable[[Job], None] | None = None

    def start(self, run: Callable[[Job], None]) -> None:
        self._run = run

    def enqueue(self, job: Job) -> None:
        self._waiting.append(job)

    def drain(self) -> int:
        """Run every waiting job, those that they enqueue included; how many ran."""
        ran = 0
        while self._run is not None and self._waiting:
            self._run(self._waiting.popleft())
            ran += 1
        return ran

    def capacity(self, kind: Kind) -> int:
        return sys.maxsize

    def stop(self, grace: float) -> None:
        self._waiting.clear()
