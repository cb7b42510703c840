"""A repository of its own owner, so that what befalls one installation befalls one test."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import timedelta

from bot.demo.stage import Stage, until
from bot.facts import Permission
from bot.sandbox import records
from bot.sandbox.pull_request import Inline
from bot.sandbox.repository import SandboxRepository

SETTINGS = "commit_every: 0\n"
_OWNERS = itertools.count(1)
_TOPICS = {
    "session": "Close the database session of `src/db.py` in a `finally` block, on every path.",
    "cursor": "Never keep the cursor of `src/cursor.py` open while another cursor is waiting.",
    "lock": "Release the lock of `src/lock.py` before you call out to the payment service.",
}


@dataclass
class Estate:
    """What one owner has, and what our bot wrote there."""

    stage: Stage
    owner: str
    shop: SandboxRepository

    @property
    def installation(self) -> records.Installation:
        assert self.shop.installation is not None
        return self.shop.installation

    def review(self, topic: str = "session") -> int:
        """A review that gives one lesson; the number of its pull request."""
        pull = self.shop.open_pull_request("ben", {"src/db.py": f"{topic}\n"})
        pull.review("ada", "changes_requested", "", [Inline("src/db.py", _TOPICS[topic], 1)])
        return pull.number

    def settle(self) -> None:
        """Posts and waits until nothing is left to do; pauses between tries take no time."""
        self.stage.post()
        until(self._idle)
        self.stage.post()
        until(self._idle)

    def _idle(self) -> bool:
        if self.stage.server.idle():
            return True
        due = self.stage.server.inbox.next_due()
        if due is not None and due > self.stage.clock():
            self.stage.clock.move(due - self.stage.clock() + timedelta(seconds=1))
        return False

    def subjects(self, branch: str | None = None) -> list[str]:
        """Of our commits on a branch, oldest first."""
        commits = self.shop.bare.commits(self.shop.tip(branch))
        messages = [commit.message.splitlines()[0] for commit in commits]
        return [text for text in messages if text.startswith("chore(lessons)")]

    def file(self, path: str = ".agent-corp/lessons.md") -> str:
        return self.shop.bare.read(self.shop.tip(), path).decode()


def make_estate(
    stage: Stage,
    *,
    settings: str | None = SETTINGS,
    installed: bool = True,
    owners: str | None = None,
    owners_installed: bool = True,
) -> Estate:
    """`settings` are those of the repository "<owner>/shop"; None: it has no such file.

    `owners` are those of all repositories of the owner, there before the App looks at the first.
    """
    owner = f"owner-{next(_OWNERS)}"
    if owners is not None:
        make_repository(stage, f"{owner}/.github", owners, installed=owners_installed)
    shop = make_repository(stage, f"{owner}/shop", settings, installed=installed)
    return Estate(stage, owner, shop)


def make_repository(
    stage: Stage, name: str, settings: str | None = SETTINGS, *, installed: bool = True
) -> SandboxRepository:
    files: dict[str, str | bytes] = {"src/db.py": "a = 1\n"}
    if settings is not None:
        files[".github/lessonkeeper.yml"] = settings
    made = stage.forge.create_repository(name, files, installed=installed)
    for login in ("ada", "ben"):
        made.set_permission(login, Permission.WRITE)
    stage.post()
    return made
