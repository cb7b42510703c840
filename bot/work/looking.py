"""The tree feature: what stands on the default branch is looked at after each push and merge."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from bot.work.feature import Scene
from bot.work.outbox import Outbox
from webhooks.events import Event, PullRequestChanged, Pushed


@dataclass(frozen=True, slots=True)
class Looks:
    """Bullets whose files appeared, moved or went; expiry comes along."""

    outbox: Outbox

    def wait(self, event: Event) -> timedelta | None:
        match event:
            case Pushed(deleted=False, branch=branch) if not branch.startswith(
                "gh-readonly-queue/"  # where a merge queue tries commits
            ):
                return timedelta(0)
            case PullRequestChanged(action="closed", merged=True):
                return timedelta(0)
        return None

    def hear(self, event: Event, scene: Scene) -> None:
        if isinstance(event, Pushed) and event.branch != scene.place.repository.default_branch:
            return
        self.outbox.housekeeping(scene.known, scene.settings)
