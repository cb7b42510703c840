"""The write job: everything that is ready in one repository, as one commit; an order as its own.

One at a time per repository. A source that is in the events of the tree is never applied again, so
a crash anywhere costs at most the same work once more.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from bot.errors import UserError
from bot.git.store import Store
from bot.lessons.store import Edit, write
from bot.metrics import Metrics
from bot.settings import Settings
from bot.texts import commit_message
from bot.work.memory import Known, Memory, Waiting
from bot.work.places import Place
from bot.work.writing import Written, apply
from bot.writes import Writes

log = logging.getLogger(__name__)

EVIDENCE_WAITS = timedelta(days=7)  # for a commit that it can travel with


Open = Callable[[Known], AbstractContextManager[Place]]


class Listener(Protocol):
    """Who wants to know what a write came to, to tell it to people. Both may come repeatedly."""

    def landed(self, known: Known, written: Written, waiting: Sequence[Waiting]) -> None:
        """What these came to, written or not. Keeps it; asks nothing of a forge."""

    def refused(self, known: Known, waiting: Sequence[Waiting], reason: str) -> None:
        """These stay undone until a person mends something: `reason` is for that person."""

    def after(self, known: Known) -> None:
        """The job ends, whatever it came to: the time to talk. Raises nothing of the forge's."""


@dataclass(frozen=True, slots=True)
class Committing:
    """Wired once; `commit` is called for each write job."""

    memory: Memory
    writes: Writes
    open: Open
    metrics: Metrics
    now: Callable[[], datetime]
    listeners: Sequence[Listener] = ()

    def commit(self, repository: int) -> None:
        """Writes what waits. Raises UserError (parked: it waits on) and Fault (tried again)."""
        known = self.memory.known(repository)
        if known is None or not known.here:
            return
        waiting = self.memory.waiting(repository)
        try:
            if self._is_due(known, waiting):
                self._write_all(known, waiting)
        except UserError as error:
            for each in self.listeners:
                each.refused(known, waiting, str(error))
            raise
        finally:
            for each in self.listeners:
                each.after(known)

    def _is_due(self, known: Known, waiting: Sequence[Waiting]) -> bool:
        """Whether anything has to be written by now; all that waits is then written with it."""
        times = [each.write_at for each in waiting]
        times += [known.housekeeping_at] if known.housekeeping_at is not None else []
        if times and min(times) > self.now():
            self.writes.request(known.id, min(times))
            return False
        return bool(times)

    def _write_all(self, known: Known, waiting: Sequence[Waiting]) -> None:
        orders = [each for each in waiting if each.wanted.orders]
        together = tuple(each for each in waiting if not each.wanted.orders)
        with self.open(known) as place:
            if together or known.housekeeping_at is not None:
                self._write(known, place, together, housekeeping=known.housekeeping_at is not None)
            # A person's order is a commit of its own: it can be read and reverted alone.
            for each in sorted(orders, key=lambda w: w.since):
                self._write(known, place, (each,))

    def _write(
        self,
        known: Known,
        place: Place,
        waiting: tuple[Waiting, ...],
        *,
        housekeeping: bool = False,
    ) -> None:
        now = self.now()
        evidence = tuple(e for each in waiting for e in each.wanted.evidence)
        present = tuple(p for each in waiting for p in each.wanted.present)
        orders = tuple(o for each in waiting for o in each.wanted.orders)
        shown = tuple(row for each in waiting for row in each.wanted.shown)
        today = max([now, *(e.at for e in evidence)]).date()

        def decide(store: Store, settings: Settings) -> Edit:
            return write(
                store.snapshot,
                evidence,
                settings,
                today,
                present=present,
                orders=orders,
                records=shown,
                housekeeping=housekeeping,
            )

        due = min([*(each.since for each in waiting), known.committed_at or now]) + EVIDENCE_WAITS
        with place.branch() as branch:
            signer = f"{place.author.name} <{place.author.email}>"

            def say(edit: Edit, settings: Settings) -> str:
                return commit_message(edit, settings.commit, direct=True, signer=signer)

            alone = bool(orders) or now >= due
            written = apply(branch, decide, say, repository=known.id, evidence_alone=alone)
        for each in self.listeners:
            each.landed(known, written, waiting)
        if written.commit is None and written.edit.rows:
            self.writes.request(known.id, due)  # they travel with an earlier commit, if one comes
            return
        if housekeeping:
            self.memory.housekeeping_done(known.id)
        if written.commit is not None:
            self.memory.committed(known.id, now)
            self.metrics.writes.inc()
            log.info(
                "repository %d: committed %s: %s",
                known.id, written.commit, dict(written.edit.counts),
            )  # fmt: skip
        elif waiting:
            self.metrics.zero_writes.inc()
        self.memory.written(known.id, waiting)
