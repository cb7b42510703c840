"""A branch of our own that is made anew: moved only from the very tip that was seen."""

from __future__ import annotations

from dataclasses import replace

from bot.git.mirror import Mirror
from bot.git.plan import Outcome, Plan
from bot.git.publish import GitPush
from tests.git.conftest import BOT, Origin, Person, git

BRANCH = "lessonkeeper/lessons"


def publisher(mirror: Mirror) -> GitPush:
    return GitPush(mirror, mirror.lock, author=BOT, committer=BOT)


def plan(mirror: Mirror, text: bytes, replaces: str | None = None) -> Plan:
    return Plan(BRANCH, mirror.fetch("main"), {"a.md": text}, "chore: a\n", replaces)


def test_the_tip_that_was_seen_gives_way(ann: Person, mirror: Mirror, origin: Origin) -> None:
    first = publisher(mirror).publish(plan(mirror, b"1\n", replaces=""))
    assert first.outcome is Outcome.LANDED
    ann.commit({"README.md": b"moved\n"})
    second = publisher(mirror).publish(plan(mirror, b"2\n", replaces=first.commit))
    assert second.outcome is Outcome.LANDED
    assert origin.tip(BRANCH) == second.commit
    assert origin.show("a.md", BRANCH) == b"2\n"
    assert git(origin.directory, "rev-parse", f"{BRANCH}^") == origin.tip()


def test_a_tip_that_nobody_saw_stays(ann: Person, mirror: Mirror, origin: Origin) -> None:
    seen = publisher(mirror).publish(plan(mirror, b"1\n", replaces="")).commit
    newer = publisher(mirror).publish(plan(mirror, b"2\n", replaces=seen)).commit
    ann.commit({"README.md": b"moved\n"})
    again = plan(mirror, b"3\n", replaces=seen)
    assert publisher(mirror).publish(again).outcome is Outcome.BEHIND
    assert publisher(mirror).publish(replace(again, replaces="")).outcome is Outcome.BEHIND
    assert origin.tip(BRANCH) == newer


def test_a_branch_of_ours_is_removed_once_and_again(
    ann: Person, mirror: Mirror, origin: Origin
) -> None:
    publisher(mirror).publish(plan(mirror, b"1\n", replaces=""))
    for _ in range(2):
        publisher(mirror).remove(BRANCH)
    assert git(origin.directory, "branch", "--list", BRANCH) == ""


def test_two_commits_merge_or_conflict(ann: Person, mirror: Mirror, origin: Origin) -> None:
    ours = publisher(mirror).publish(plan(mirror, b"1\n", replaces="")).commit
    assert ours
    ann.commit({"README.md": b"moved\n"})
    apart = mirror.fetch("main")
    assert apart
    assert mirror.merges(apart, ours)
    ann.commit({"a.md": b"theirs\n"})
    both = mirror.fetch("main")
    assert both
    assert not mirror.merges(both, ours)
