"""The review feature: what a pull request's reviews teach, read anew on every event about it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

from bot.channels.review import Judged, judge, to_distill
from bot.distill.model import Distilled
from bot.facts import Review
from bot.settings import Settings
from bot.work.distilling import Distillers, distill
from bot.work.feature import Scene
from bot.work.memory import Known, Memory
from bot.work.outbox import Outbox
from webhooks.events import (
    Event,
    PullRequestChanged,
    ReviewChanged,
    ReviewCommentChanged,
    ThreadChanged,
)

log = logging.getLogger(__name__)


def pull_request_of(event: Event) -> int | None:
    """The pull request whose lessons may have changed; None for every other event."""
    match event:
        case ReviewChanged() | ReviewCommentChanged() | ThreadChanged():
            return event.pull_request
        case PullRequestChanged(action="closed" | "labeled" | "reopened"):
            return event.number
    return None


@dataclass(frozen=True, slots=True)
class Reviews:
    """`debounce`: a review's inline comments arrive beside it, in any order."""

    memory: Memory
    outbox: Outbox
    distillers: Distillers
    debounce: timedelta

    def wait(self, event: Event) -> timedelta | None:
        if pull_request_of(event) is None:
            return None
        reviewed = isinstance(event, ReviewChanged | ReviewCommentChanged)
        return self.debounce if reviewed else timedelta(0)

    def hear(self, event: Event, scene: Scene) -> None:
        number = pull_request_of(event)
        if number is not None:
            self.read(scene, number)

    def read(self, scene: Scene, number: int) -> Judged:
        """Judges a pull request as it stands now and keeps the outcome for the write."""
        facts = scene.place.forge.pull_request_facts(number)
        us = scene.place.us
        distilled = {
            review.source: self._distilled(scene.known.id, review, scene.settings)
            for review in to_distill(facts, scene.settings, us)
        }
        judged = judge(facts, distilled, scene.settings, us)
        _log(scene.known, number, judged)
        if judged.present:
            self.outbox.keep(
                scene.known,
                scene.settings,
                f"pr:{number}",
                judged.evidence,
                present=judged.present,
            )
        return judged

    def _distilled(self, repository: int, review: Review, settings: Settings) -> Distilled:
        """What the distiller said of this very text, asked at most once."""
        known = self.memory.distilled(repository, review.source)
        if known is None:
            known = distill(review, self.distillers(settings, repository), settings)
            self.memory.keep_distilled(repository, review.source, known, self.outbox.now())
        return known


def _log(known: Known, number: int, judged: Judged) -> None:
    for each in judged.told:
        found = each.distilled
        came = f"{len(found.lessons)} lessons" if found else "not read"
        why = f" ({found.ignored})" if found and found.ignored else ""
        log.info(
            "repository %d #%d: review %d by account %d: %s, %s%s",
            known.id, number, each.review, each.by.id, each.standing.reason, came, why,
        )  # fmt: skip
