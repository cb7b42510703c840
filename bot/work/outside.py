"""The outside feature: a pull request by somebody who may not write that touches what agents read
of us is warned about, once per head.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.channels.outside import AgentFile, agent_files_in, is_outside, ours_in, reworded
from bot.check_run_text import from_outside
from bot.facts import PullRequest, PullRequestFacts
from bot.work.feature import Scene
from bot.work.sections import Sections
from bot.work.settings_check import PROPOSED
from webhooks.events import Event, PullRequestChanged

OUTSIDE = "outside:"  # then the head


@dataclass(frozen=True, slots=True)
class Outside:
    sections: Sections
    now: Callable[[], datetime]

    def wait(self, event: Event) -> timedelta | None:
        match event:
            case PullRequestChanged(action=action) if action in PROPOSED:
                return timedelta(0)
        return None

    def hear(self, event: Event, scene: Scene) -> None:
        if not isinstance(event, PullRequestChanged):
            return
        forge = scene.place.forge
        pull = forge.pull_request(event.number)
        if not is_outside(_facts(scene, pull), scene.place.us):
            return
        files = forge.pull_request_files(event.number).files
        paths = ours_in(files)
        touched = agent_files_in(files, scene.settings.include)
        base = forge.merge_base(pull) if touched else ""
        included = reworded(
            AgentFile(path, forge.content(path, base), forge.content(path, pull.head_sha))
            for path in touched
        )
        if paths or included:
            key, head = f"{OUTSIDE}{pull.head_sha}", pull.head_sha
            warning = from_outside(paths, included)
            self.sections.once(scene.known.id, event.number, key, warning, self.now(), head)


def _facts(scene: Scene, pull: PullRequest) -> PullRequestFacts:
    """With the author's permission, where the head is in another repository."""
    here = scene.place.repository
    if pull.head_repository == here.id:
        return PullRequestFacts(here, pull)
    login = pull.author.login
    permission = scene.place.forge.permission(login)
    return PullRequestFacts(here, pull, permissions={login.lower(): permission})
