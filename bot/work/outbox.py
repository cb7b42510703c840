"""Asks for a write at the time that the settings allow it: at most one per `commit_every`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.lessons.orders import Order
from bot.lessons.store import Evidence, Outcome, Present
from bot.settings import Settings
from bot.work.codec import Wanted
from bot.work.memory import Known, Memory


@dataclass(frozen=True, slots=True)
class Outbox:
    """Where features leave what has to be written."""

    memory: Memory
    now: Callable[[], datetime]

    def keep(
        self,
        known: Known,
        settings: Settings,
        subject: str,
        evidence: tuple[Evidence, ...],
        *,
        present: tuple[Present, ...] = (),
        orders: tuple[Order, ...] = (),
        outcomes: tuple[Outcome, ...] = (),
        at_once: bool = False,
    ) -> None:
        """What `subject` says now, in place of what it said before. `at_once`: a person pressed."""
        now = self.now()
        at = now if at_once else self.write_at(known, settings)
        wanted = Wanted(evidence, present, orders, outcomes=outcomes)
        self.memory.want(known.id, subject, wanted, now, at)

    def housekeeping(self, known: Known, settings: Settings) -> None:
        self.memory.want_housekeeping(known.id, self.write_at(known, settings))

    def write_at(self, known: Known, settings: Settings) -> datetime:
        now = self.now()
        if known.committed_at is None:
            return now
        return max(now, known.committed_at + settings.commit_every)
