"""The write job: everything that is ready in one repository, as one commit; an order as its own.

One at a time per repository. A source that is in the events of the tree is never applied again, so
a crash anywhere costs at most the same work once more.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from bot.channels.rolling import is_pressed
from bot.errors import UserError
from bot.facts import OwnPullRequest
from bot.forge.errors import Archived
from bot.git.policy import Way
from bot.git.store import SETTINGS, Store
from bot.lessons.store import Edit
from bot.metrics import Metrics
from bot.settings import Settings
from bot.texts import commit_message
from bot.work.hearing import permits
from bot.work.memory import Known, Memory, Waiting
from bot.work.places import Place
from bot.work.proposing import Proposing, is_way, is_way_round
from bot.work.rolling import ROLLING, declined_since
from bot.work.visit import Open, Visit
from bot.work.wants import Wants
from bot.work.writing import Refused, Written, apply
from bot.writes import Writes

log = logging.getLogger(__name__)

EVIDENCE_WAITS = timedelta(days=7)  # for a commit that it can travel with


class Listener(Protocol):
    """Who wants to know what a write came to, to tell it to people. Both may come repeatedly."""

    def landed(self, known: Known, written: Written, waiting: Sequence[Waiting]) -> None:
        """What these came to, written or not. Keeps it; asks nothing of a forge."""

    def refused(self, known: Known, waiting: Sequence[Waiting], reason: str) -> None:
        """These stay undone until a person mends something: `reason` is for that person."""

    def after(self, known: Known, opened: Open) -> None:
        """The job ends, whatever it came to: the time to talk. Raises nothing of the forge's.

        `opened` gives the place of the job itself: what came to it since is not seen there.
        """


@dataclass(frozen=True, slots=True)
class Committing:
    """Wired once; `commit` is called for each write job."""

    memory: Memory
    writes: Writes
    open: Open
    metrics: Metrics
    now: Callable[[], datetime]
    listeners: Sequence[Listener] = ()

    @property
    def proposing(self) -> Proposing:
        return Proposing(self.memory, self.writes, self.now)

    def commit(self, repository: int) -> None:
        """Writes what waits. Raises UserError (parked: it waits on) and Fault (tried again)."""
        known = self.memory.known(repository)
        if known is None or not known.here:
            return
        waiting = self.memory.waiting(repository)
        with closing(Visit(self.open)) as visit:
            try:
                if self._is_due(known, waiting):
                    self._write_all(known, waiting, visit.open)
            except UserError as error:
                for each in self.listeners:
                    each.refused(known, waiting, str(error))
                raise
            finally:
                for each in self.listeners:
                    each.after(known, visit.open)

    def _is_due(self, known: Known, waiting: Sequence[Waiting]) -> bool:
        """Whether anything has to be written by now; all that waits is then written with it."""
        times = [each.write_at for each in waiting]
        times += [known.housekeeping_at] if known.housekeeping_at is not None else []
        if times and min(times) > self.now():
            self.writes.request(known.id, min(times))
            return False
        return bool(times)

    def _write_all(self, known: Known, waiting: Sequence[Waiting], opened: Open) -> None:
        with opened(known) as place:
            settings = place.settings()
            if place.repository.archived:
                raise Archived("The repository is archived.")
            if settings is None or not permits(settings, place.repository):
                self._hold(known, waiting)
                return
            pulls = place.forge.own_pull_requests(ROLLING, place.us)
            if is_way(place, settings, pulls):
                self._propose(known, place, pulls)
            elif self._may_commit(known, waiting, settings):
                try:
                    self._commit(known, place, waiting, pulls)
                except Refused as refused:
                    if not is_way_round(refused, settings):
                        raise
                    self._propose(known, place, pulls, signed=Way.SIGNED in refused.refusal.ways)

    def _hold(self, known: Known, waiting: Sequence[Waiting]) -> None:
        """The settings were taken away, or switched off, after something was decided."""
        self.memory.housekeeping_done(known.id)
        if waiting:
            raise UserError(
                "the settings do not let the App write here.",
                remedy=f"What waits is written once {SETTINGS} says `enabled: true`.",
            )

    def _may_commit(self, known: Known, waiting: Sequence[Waiting], settings: Settings) -> bool:
        """Whether `commit_every` lets a commit be made now. What came while the last one was being
        written did not know of it."""
        evidence = [e for each in waiting for e in each.wanted.evidence]
        pressed = is_pressed(evidence, [o for each in waiting for o in each.wanted.orders])
        at = (known.committed_at or self.now()) + settings.commit_every
        if pressed or known.committed_at is None or at <= self.now():
            return True
        self.writes.request(known.id, at)
        return False

    def _propose(
        self,
        known: Known,
        place: Place,
        pulls: Sequence[OwnPullRequest],
        *,
        signed: bool = False,
    ) -> None:
        proposed = self.proposing.propose(known, place, pulls, signed=signed)
        if proposed.written is None:
            return
        for each in self.listeners:
            each.landed(known, proposed.written, proposed.fresh)
        if proposed.written.commit is not None:
            self.metrics.writes.inc()
            log.info(
                "repository %d: proposed %s: %s",
                known.id, proposed.written.commit, dict(proposed.written.edit.counts),
            )  # fmt: skip
        elif proposed.fresh:
            self.metrics.zero_writes.inc()

    def _commit(
        self,
        known: Known,
        place: Place,
        waiting: Sequence[Waiting],
        pulls: Sequence[OwnPullRequest],
    ) -> None:
        orders = [each for each in waiting if each.wanted.orders]
        together = tuple(each for each in waiting if not each.wanted.orders)
        if together or known.housekeeping_at is not None:
            tidy = known.housekeeping_at is not None
            self._write(known, place, together, pulls, housekeeping=tidy)
        # A person's order is a commit of its own: it can be read and reverted alone.
        for each in sorted(orders, key=lambda w: w.since):
            self._write(known, place, (each,), pulls)

    def _write(
        self,
        known: Known,
        place: Place,
        waiting: tuple[Waiting, ...],
        pulls: Sequence[OwnPullRequest],
        *,
        housekeeping: bool = False,
    ) -> None:
        now = self.now()

        due = min([*(each.since for each in waiting), known.committed_at or now]) + EVIDENCE_WAITS
        with place.branch() as branch:
            signer = f"{place.author.name} <{place.author.email}>"

            def decide(store: Store, settings: Settings) -> Edit:
                at = store.commit
                declined = declined_since(branch, at, pulls, known.id) if at else ()
                wants = Wants(waiting, now, declined)
                return wants.edit(store, settings, housekeeping=housekeeping)

            def say(edit: Edit, settings: Settings) -> str:
                return commit_message(edit, settings.commit, direct=True, signer=signer)

            alone = any(each.wanted.orders for each in waiting) or now >= due
            written = apply(
                branch,
                decide,
                say,
                repository=known.id,
                evidence_alone=alone,
                owner_defaults=place.owner_defaults(),
            )
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
