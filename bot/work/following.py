"""The thread that goes on reading GitHub's list of deliveries, quicker while it finds some."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.errors import Fault, UserError
from bot.work.recovery import Step

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds between two pages. The App may ask GitHub 5,000 times an hour, for everything."""

    quickest: float
    slowest: float

    def after(self, last: float, step: Step) -> float:
        """At once where there is more, soon where something came, else slower each time."""
        if step.more or step.taken:
            return self.quickest
        return min(max(last, self.quickest) * 2, self.slowest)

    def refused(self, last: float, fault: Fault | UserError) -> float:
        wanted = fault.retry_after if isinstance(fault, Fault) else None
        return max(min(max(last, self.quickest) * 2, self.slowest), wanted or 0.0)


POLLING = Pace(quickest=2.0, slowest=60.0)
RECOVERING = Pace(quickest=2.0, slowest=600.0)


class Following:
    """Does `first`, then `step` again and again, until `stop`. What fails is logged and goes on."""

    def __init__(
        self, first: Sequence[Callable[[], object]], step: Callable[[], Step], pace: Pace
    ) -> None:
        self._first = first
        self._step = step
        self._pace = pace
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="following", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, grace: float = 5.0) -> None:
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(grace)

    def _run(self) -> None:
        for work in self._first:
            if self._stopping.is_set():
                return
            try:
                work()
            except (Fault, UserError) as error:
                log.warning("the start is not complete: %s", error)
            except Exception:
                log.exception("the start is not complete")
        wait = 0.0
        while not self._stopping.wait(wait):
            try:
                wait = self._pace.after(wait, self._step())
            except (Fault, UserError) as error:
                wait = self._pace.refused(wait, error)
                log.warning("GitHub's list of deliveries: %s Again in %.0f s.", error, wait)
            except Exception:
                log.exception("GitHub's list of deliveries")
                wait = self._pace.slowest
