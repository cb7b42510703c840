"""The write job: everything that is ready in one repository, as one commit.

One at a time per repository. A source that is in the events of the tree is never applied again, so
a crash anywhere costs at most the same work once more.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.git.store import Store
from bot.lessons.store import Edit, write
from bot.metrics import Metrics
from bot.settings import Settings
from bot.texts import commit_message
from bot.work.memory import Known, Memory
from bot.work.places import Place
from bot.work.writing import apply
from bot.writes import Writes

log = logging.getLogger(__name__)

EVIDENCE_WAITS = timedelta(days=7)  # for a commit that it can travel with


Open = Callable[[Known], AbstractContextManager[Place]]


@dataclass(frozen=True, slots=True)
class Committing:
    """Wired once; `commit` is called for each write job."""

    memory: Memory
    writes: Writes
    open: Open
    metrics: Metrics
    now: Callable[[], datetime]

    def commit(self, repository: int) -> None:
        """Writes what waits. Raises UserError (parked: it waits on) and Fault (tried again)."""
        known = self.memory.known(repository)
        if known is None or not known.here:
            return
        waiting = self.memory.waiting(repository)
        if not waiting and not known.housekeeping:
            return
        now = self.now()
        evidence = tuple(e for each in waiting for e in each.wanted.evidence)
        present = tuple(p for each in waiting for p in each.wanted.present)
        orders = tuple(o for each in waiting for o in each.wanted.orders)
        today = max([now, *(e.at for e in evidence)]).date()

        def decide(store: Store, settings: Settings) -> Edit:
            return write(
                store.snapshot,
                evidence,
                settings,
                today,
                present=present,
                orders=orders,
                housekeeping=known.housekeeping,
            )

        since = [each.since for each in waiting]
        due = min([*since, known.committed_at or now]) + EVIDENCE_WAITS
        with self.open(known) as place, place.branch() as branch:
            signer = f"{place.author.name} <{place.author.email}>"

            def say(edit: Edit, settings: Settings) -> str:
                return commit_message(edit, settings.commit, direct=True, signer=signer)

            written = apply(branch, decide, say, repository=repository, evidence_alone=now >= due)
        if written.commit is None and written.edit.rows:
            self.writes.request(repository, due)  # they travel with an earlier commit, if one comes
            return
        if known.housekeeping:
            self.memory.housekeeping_done(repository)
        if written.commit is not None:
            self.memory.committed(repository, now)
            self.metrics.writes.inc()
            log.info(
                "repository %d: committed %s: %s",
                repository, written.commit, dict(written.edit.counts),
            )  # fmt: skip
        elif waiting:
            self.metrics.zero_writes.inc()
        self.memory.written(repository, waiting)
