"""One review or note through the distiller that its repository's settings name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.channels.review import remarks
from bot.channels.trust import verdict
from bot.distill.model import Budget, Distilled, Distiller, Remark
from bot.distill.offline import Offline
from bot.distill.pipeline import distill_review
from bot.facts import Review, ReviewState
from bot.settings import Settings
from bot.work.feature import Scene
from bot.work.memory import Memory


class Distillers(Protocol):
    """Which distiller a repository's settings name. Raises UserError where it is not set up."""

    def __call__(self, settings: Settings, repository: int) -> Distiller: ...


class Unlimited:
    """A person's own calls from the command line are not counted."""

    def take(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Chosen:
    """`offline` always; `claude` with the operator's `key`, each repository on its daily budget."""

    key: str | None = None
    base_url: str | None = None
    budget: Callable[[int, int], Budget] = lambda repository, calls: Unlimited()

    def __call__(self, settings: Settings, repository: int) -> Distiller:
        if settings.distiller == "offline":
            return Offline()
        # The SDK weighs 50 MB and seconds of start: only a server that asks Claude carries it.
        from bot.distill.claude import Claude

        return Claude(
            key=self.key,
            model=settings.claude.model,
            budget=self.budget(repository, settings.claude.calls_per_day),
            base_url=self.base_url,
        )


def remembered(
    memory: Memory, repository: int, source: str, now: datetime, make: Callable[[], Distilled]
) -> Distilled:
    """What a distiller said of the very text that `source` names, asked at most once."""
    known = memory.distilled(repository, source)
    if known is None:
        known = make()
        memory.keep_distilled(repository, source, known, now)
    return known


def distilled_note(
    memory: Memory,
    distillers: Distillers,
    scene: Scene,
    source: str,
    text: str,
    now: datetime,
) -> Distilled:
    """What is left of a person's note, one sentence at most."""
    settings, repository = scene.settings, scene.known.id
    return remembered(
        memory,
        repository,
        source,
        now,
        lambda: distill_review(
            distillers(settings, repository),
            (Remark(text),),
            limit=1,
            characters=settings.store.characters,
        ),
    )


def distill(review: Review, distiller: Distiller, settings: Settings) -> Distilled:
    """The sentences of one review, whoever wrote it; approvals give none."""
    if verdict(review, settings) is ReviewState.APPROVED:
        return Distilled(ignored="It is an approval.")
    found = remarks(review)
    if not found:
        return Distilled(ignored="It says nothing.")
    store = settings.store
    return distill_review(distiller, found, limit=store.per_review, characters=store.characters)
