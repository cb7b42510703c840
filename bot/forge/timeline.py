"""What a timeline tells: when the merger acted, and what a dismissed review had said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from bot.facts import Account, PullRequest, ReviewState
from bot.forge import answers

# GitHub reports a removal from the queue also when the queue merges, at the moment it does.
MERGED_FROM_QUEUE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Dismissal:
    verdict: ReviewState
    at: datetime


@dataclass(frozen=True, slots=True)
class Act:
    by: Account
    at: datetime


@dataclass(frozen=True, slots=True)
class Timeline:
    """`armed` and `queued` are what stood at the end; `dismissals` by review id."""

    dismissals: dict[int, Dismissal]
    armed: Act | None = None
    queued: Act | None = None

    def acted(self, pull: PullRequest) -> PullRequest:
        """The merged pull request with the person who armed or queued it, and when (SPEC 4).

        Auto-merge comes first: where both stand, it was the person and the queue the machine.
        """
        act = self.armed or self.queued
        if pull.merged_at is None or act is None:
            return pull
        return replace(pull, merged_by=act.by, acted_at=act.at)


def timeline(events: Iterable[dict[str, Any]], merged_at: datetime | None) -> Timeline:
    """Reads the events of `GET /repos/{owner}/{repo}/issues/{number}/timeline`, oldest first."""
    dismissals: dict[int, Dismissal] = {}
    armed = queued = None
    for event in events:
        match event.get("event"):
            case "review_dismissed":
                said = event["dismissed_review"]
                dismissals[said["review_id"]] = Dismissal(
                    ReviewState(said["state"].lower()), answers.time(event["created_at"])
                )
            case "auto_merge_enabled" | "auto_squash_enabled" | "auto_rebase_enabled":
                armed = _act(event)
            case "auto_merge_disabled":
                armed = None
            case "added_to_merge_queue":
                queued = _act(event)
            case "removed_from_merge_queue" if not _by_the_merge(event, merged_at):
                queued = None
    return Timeline(dismissals, armed, queued)


def _act(event: dict[str, Any]) -> Act:
    return Act(answers.account(event["actor"]), answers.time(event["created_at"]))


def _by_the_merge(event: dict[str, Any], merged_at: datetime | None) -> bool:
    return (
        merged_at is not None
        and abs(answers.time(event["created_at"]) - merged_at) <= MERGED_FROM_QUEUE
    )
