"""Pull-request mode: when the rolling pull request is touched, and when it is no draft any more.

Pure: settings, a clock and GitHub's present state in, decisions with their reasons out (SPEC 10).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.facts import BranchRule, OwnPullRequest
from bot.lessons.bullet import Verdict
from bot.lessons.edit import Evidence
from bot.lessons.orders import Order
from bot.settings import Settings


def is_wanted(settings: Settings, rules: Iterable[BranchRule]) -> bool:
    """Whether commits go to a pull request before any push was refused.

    A push that bypasses a required check or the queue would make every open branch out of date.
    """
    if settings.mode == "auto":
        return any(rule.strict or rule.type == "merge_queue" for rule in rules)
    return settings.mode == "pull_request"


def is_pressed(evidence: Iterable[Evidence], orders: Sequence[Order]) -> bool:
    """Whether a person asked for it: by Keep, `/lesson` or an order."""
    return bool(orders) or any(each.channel is Verdict.FOUNDER_NOTE for each in evidence)


@dataclass(frozen=True, slots=True)
class Hold:
    """Nothing is written before `until`. `approved`: so that what was approved can be merged."""

    until: datetime
    approved: bool = False


def hold(
    settings: Settings,
    now: datetime,
    *,
    pressed: bool,
    written_at: datetime | None,
    approved_at: datetime | None,
) -> Hold | None:
    """Why the pull request is left alone now. `written_at`: of our last commit anywhere.

    An approval holds back everything, other evidence waits for its turn.
    """
    rolling = settings.rolling
    if approved_at is not None and now < approved_at + rolling.quiet_after_approval:
        return Hold(approved_at + rolling.quiet_after_approval, approved=True)
    if pressed or written_at is None or now >= written_at + rolling.every:
        return None
    return Hold(written_at + rolling.every)


def is_ready(pull: OwnPullRequest, changes: int, settings: Settings, now: datetime) -> bool:
    """Whether the draft has ended: by its age or by what it holds."""
    rolling = settings.rolling
    return now >= pull.created_at + rolling.ready_after or changes >= rolling.ready_at


def may_open(pulls: Sequence[OwnPullRequest], *, housekeeping_alone: bool) -> bool:
    """Retirements have no source to decline: after a closed proposal they wait for a lesson."""
    return not housekeeping_alone or not pulls or pulls[0].merged
