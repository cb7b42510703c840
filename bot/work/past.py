"""Reads past pull requests as the review feature would have: one by one, resumable, in memory.

Writes nothing into a repository: what they want is handed back for one write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, takewhile

from bot.channels.review import judge, to_distill
from bot.distill.model import Distilled
from bot.facts import PastPullRequest, Review
from bot.forge.errors import RateLimited
from bot.git.store import Store
from bot.lessons.store import Edit, write
from bot.settings import Settings
from bot.work.codec import Wanted
from bot.work.distilling import Distillers, distill, remembered
from bot.work.memory import Known, Memory
from bot.work.places import Place
from bot.work.readings import PastReadings

TOGETHER = 25  # pull requests per opening: some 200 requests, well within a token's life

Open = Callable[[Known], AbstractContextManager[Place]]


def reviewed(
    place: Place, *, since: datetime | None = None, merged: bool = False, most: int | None = None
) -> tuple[PastPullRequest, ...]:
    """Those that were reviewed, of those updated since then, at most so many; oldest first."""
    listed = place.forge.past_pull_requests(merged=merged)
    recent = takewhile(lambda pull: since is None or pull.updated_at >= since, listed)
    found = [pull for pull in islice(recent, most) if pull.reviews]
    return tuple(sorted(found, key=lambda pull: pull.number))


def learned(store: Store, wanted: Sequence[Wanted], settings: Settings, now: datetime) -> Edit:
    """What all of it makes of the store."""
    return write(
        store.snapshot,
        [evidence for each in wanted for evidence in each.evidence],
        settings,
        now.date(),
        present=[present for each in wanted for present in each.present],
        past=True,
    )


@dataclass(frozen=True, slots=True)
class Past:
    """Wired once; `open` is called anew from time to time, because tokens end."""

    memory: Memory
    readings: PastReadings
    distillers: Distillers
    open: Open
    now: Callable[[], datetime]

    def read(
        self,
        known: Known,
        settings: Settings,
        pulls: Sequence[PastPullRequest],
        *,
        limited: Callable[[RateLimited], None],
        done: Callable[[], None] = lambda: None,
    ) -> tuple[Wanted, ...]:
        """What each of them wants in the store, in their order; `done` is called after each.

        `limited` is called where GitHub's limit is reached: it waits, or raises to stop.
        """
        found: list[Wanted] = []
        while len(found) < len(pulls):
            try:
                for wanted in self._some(known, settings, pulls[len(found) :]):
                    found.append(wanted)
                    done()
            except RateLimited as limit:
                limited(limit)
        return tuple(found)

    def _some(
        self, known: Known, settings: Settings, pulls: Iterable[PastPullRequest]
    ) -> Iterator[Wanted]:
        with self.open(known) as place:
            for pull in islice(pulls, TOGETHER):
                kept = self.readings.of(
                    known.id, pull.number, pull.updated_at, settings, self.now()
                )
                yield kept or self._read(known, place, settings, pull)

    def _read(
        self, known: Known, place: Place, settings: Settings, pull: PastPullRequest
    ) -> Wanted:
        facts = place.forge.pull_request_facts(pull.number)
        distilled = {
            review.source: self._distilled(known.id, review, settings)
            for review in to_distill(facts, settings, place.us)
        }
        judged = judge(facts, distilled, settings, place.us)
        wanted = Wanted(judged.evidence, judged.present)
        self.readings.keep(known.id, pull.number, pull.updated_at, settings, wanted, self.now())
        return wanted

    def _distilled(self, repository: int, review: Review, settings: Settings) -> Distilled:
        return remembered(
            self.memory,
            repository,
            review.source,
            self.now(),
            lambda: distill(review, self.distillers(settings, repository), settings),
        )
