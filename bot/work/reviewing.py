"""The review feature: what a pull request's reviews teach, read anew on every event about it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from bot.channels.questions import of_reviews, set_aside
from bot.channels.recall import Line
from bot.channels.review import Judged, judge, merged_at, to_distill
from bot.channels.trust import Worth
from bot.distill.model import Distilled
from bot.distill.offline import Offline
from bot.facts import PullRequestFacts, Review
from bot.lessons.store import Outcome
from bot.settings import Settings
from bot.work.distilling import Distillers, distill, remembered
from bot.work.feature import Scene
from bot.work.memory import Known, Memory
from bot.work.outbox import Outbox
from bot.work.questions import Questions
from bot.work.shown import shown_for
from bot.work.turns import Turns
from bot.work.unlisted import Unlisted
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
    questions: Questions
    distillers: Distillers
    debounce: timedelta
    unlisted: Unlisted
    turns: Turns = field(default_factory=Turns)

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
        with self.turns.of(scene.known.id, number):
            return self._read(scene, number)

    def _read(self, scene: Scene, number: int) -> Judged:
        facts = scene.place.forge.pull_request_facts(number)
        us = scene.place.us
        distilled = {
            review.source: self._distilled(scene.known.id, review, scene.settings)
            for review in to_distill(facts, scene.settings, us)
        }
        says = any(each.lessons for each in distilled.values())
        ended = not facts.pull.open
        shown = shown_for(scene, self.memory, facts.pull) if says or ended else ()
        judged = judge(facts, distilled, scene.settings, us, shown)
        self._ask(scene, facts, distilled)
        _log(scene.known, number, judged)
        self.unlisted.note(scene.known.id, judged.told, scene.settings, us, self.outbox.now())
        if judged.present:
            self.outbox.keep(
                scene.known,
                scene.settings,
                f"pr:{number}",
                judged.evidence,
                present=judged.present,
                outcomes=self._outcome(scene, facts, judged, shown),
            )
        return judged

    def _outcome(
        self, scene: Scene, facts: PullRequestFacts, judged: Judged, shown: tuple[Line, ...]
    ) -> tuple[Outcome, ...]:
        """What the pull request had been shown, once something can be said of it: a review found
        something, or it was closed."""
        pull = facts.pull
        at = merged_at(facts, scene.settings) or pull.closed_at
        if at is None and not judged.evidence:
            return ()
        merged = merged_at(facts, scene.settings) is not None
        files = scene.place.forge.pull_request_files(pull.number).files if shown else ()
        paths = {path for each in files for path in (each.path, each.previous) if path}
        return (
            Outcome(
                pr=pull.number,
                at=at or max(each.at for each in judged.evidence),
                merged=merged,
                closed=not pull.open,
                shown=frozenset(line.id for line in shown if line.id),
                paths=frozenset(paths),
            ),
        )

    def _distilled(self, repository: int, review: Review, settings: Settings) -> Distilled:
        return remembered(
            self.memory,
            repository,
            review.source,
            self.outbox.now(),
            lambda: distill(review, self.distillers(settings, repository), settings),
        )

    def _ask(
        self, scene: Scene, facts: PullRequestFacts, distilled: Mapping[str, Distilled]
    ) -> None:
        """Leaves to a person what only a person may keep."""
        now, us, settings = self.outbox.now(), scene.place.us, scene.settings
        aside = {
            # No model sees what a stranger's pull request made a bot say, before a person has.
            review.source: distill(review, Offline(), settings)
            if worth is Worth.HELD
            else self._distilled(scene.known.id, review, settings)
            for review, worth in set_aside(facts, settings, us, now)
        }
        asked = of_reviews(facts, {**distilled, **aside}, settings, us, now)
        self.questions.ask(scene.known.id, facts.pull.number, "review:", asked, now)


def _log(known: Known, number: int, judged: Judged) -> None:
    for each in judged.told:
        found = each.distilled
        came = f"{len(found.lessons)} lessons" if found else "not read"
        why = f" ({found.ignored})" if found and found.ignored else ""
        log.info(
            "repository %d #%d: review %d by account %d: %s, %s%s",
            known.id, number, each.review, each.by.id, each.standing.reason, came, why,
        )  # fmt: skip
