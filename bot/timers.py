"""Work that comes round: one plain thread per timer. It must not know what the work is."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)


class Timers:
    """Runs each piece of work every so many seconds, first after one period, until `stop`.

    A run that fails is logged, and the next one comes as if nothing had happened. Every process of
    a fleet runs its own timers, so the work has to bear being done twice.
    """

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def schedule(self, name: str, every_seconds: float, work: Callable[[], object]) -> None:
        def rounds() -> None:
            while not self._stopping.wait(every_seconds):
                try:
                    work()
                except Exception:
                    log.exception("timer %s failed; it runs again in %g s", name, every_seconds)

        thread = threading.Thread(target=rounds, name=f"timer-{name}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def stop(self, grace: float = 5.0) -> None:
        """No further runs; waits at most `grace` seconds per timer for one that is under way."""
        self._stopping.set()
        for thread in self._threads:
            thread.join(grace)
