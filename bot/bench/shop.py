"""The one repository of a generated year: its pull requests as facts, and what is made of them.

Here the code that the server runs decides: judging, the write, the block. Nothing is counted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.bench.stream import Event
from bot.channels.review import judge
from bot.distill.model import Distilled
from bot.facts import (
    Account,
    Commit,
    Permission,
    PullRequest,
    PullRequestFacts,
    Repository,
    Review,
    ReviewState,
)
from bot.lessons import event_files
from bot.lessons.block import Block
from bot.lessons.lesson import Lesson
from bot.lessons.orders import Order
from bot.lessons.pitfalls import block_of
from bot.lessons.standing import is_standing
from bot.lessons.store import LESSONS, Edit, Outcome, Snapshot, write
from bot.lessons.tree import Fate
from bot.settings import Settings

SHOP = Repository(1, "acme", "shop", "main", "")
_REVIEWERS = [Account(n, f"reviewer-{n}") for n in (11, 12, 13)]
_AUTHOR, MERGER = Account(20, "author"), Account(21, "merger")
_PEOPLE = {a.login: Permission.WRITE for a in (*_REVIEWERS, _AUTHOR, MERGER)}


@dataclass(slots=True)
class Branch:
    """The default branch as a set of paths."""

    paths: set[str]
    fates: dict[str, Fate] = field(default_factory=dict)
    commit: str = "0" * 40

    def has(self, path: str) -> bool:
        return path in self.paths

    def expect(self, paths: Collection[str]) -> None:
        """Nothing to look up."""

    def matching(self, pattern: str) -> bool:
        return any(p.rsplit("/", 1)[-1] == pattern for p in self.paths)

    def fate(self, path: str) -> Fate | None:
        return self.fates.get(path)


def block(now: Snapshot, at: datetime, paths: Sequence[str]) -> Block:
    """The block of a task that touches `paths`; with none, the newest."""
    return block_of(
        now.lessons, now.events, None, Settings(), at.date(), standing=now.standing, paths=paths
    )


def edit(now: Snapshot, event: Event, shown: Block, orders: Sequence[Order]) -> Edit:
    """What the merged pull request writes, which had `shown` before it, and the day's orders."""
    facts, distilled = _facts(event)
    judged = judge(facts, distilled, Settings())
    ids = frozenset(item.id for item in shown.items if item.id)
    merged_at = facts.pull.merged_at or event.at
    outcome = Outcome(event.number, merged_at, True, True, ids, frozenset(event.touches))
    return write(
        now,
        judged.evidence,
        Settings(),
        merged_at.date(),
        present=judged.present,
        orders=orders,
        outcomes=[outcome],
        housekeeping=True,
    )


def applied(now: Snapshot, edit: Edit) -> Snapshot:
    """The store once the edit is committed."""
    events, standing, markers = dict(now.events), dict(now.standing), dict(now.markers)
    lessons = now.lessons
    for path, data in edit.changes.items():
        if path == LESSONS:
            lessons = data
            continue
        kept = standing if is_standing(path) else markers
        if path.startswith(event_files.FOLDER):
            kept = events
        if data is None:
            kept.pop(path, None)
        else:
            kept[path] = data
    return replace(now, lessons=lessons, events=events, standing=standing, markers=markers)


def _facts(event: Event) -> tuple[PullRequestFacts, dict[str, Distilled]]:
    merged = event.at + timedelta(hours=6)
    reviewer = _REVIEWERS[event.number % len(_REVIEWERS)]
    asks = ReviewState.CHANGES_REQUESTED
    body = "\n\n".join(text for _, text in event.findings)
    review = Review(event.number, reviewer, asks, body, event.at, f"{event.number:040x}")
    fix = () if event.over else (Commit("f" * 40, event.at + timedelta(hours=2)),)
    facts = PullRequestFacts(
        repository=SHOP,
        pull=PullRequest(
            event.number, _AUTHOR, "main", "topic", "f" * 40, head_repository=SHOP.id, open=False,
            merged_at=merged, merged_by=MERGER, acted_at=merged, closed_at=merged,
        ),
        reviews=(review,) if event.findings else (),
        commits=fix,
        permissions=_PEOPLE,
    )  # fmt: skip
    lessons = tuple(Lesson(text) for _, text in event.findings)
    return facts, {review.source: Distilled(lessons)}
