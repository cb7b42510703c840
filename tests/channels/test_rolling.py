"""When the rolling pull request is touched, and when it is no draft any more."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.channels.rolling import Hold, hold, is_pressed, is_ready, is_wanted, may_open
from bot.facts import BranchRule, OwnPullRequest
from bot.lessons.bullet import Verdict
from bot.lessons.edit import Evidence
from bot.lessons.lesson import Lesson
from bot.lessons.orders import Retire
from bot.settings.file import read

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
PLAIN = read(b"version: 1\n")
STRICT = BranchRule("required_status_checks", 1, "acme/shop", strict=True)
LOOSE = BranchRule("required_status_checks", 1, "acme/shop")
QUEUE = BranchRule("merge_queue", 1, "acme/shop")
PULL = BranchRule("pull_request", 1, "acme/shop")


def pull(
    *,
    age: timedelta = HOUR,
    is_open: bool = True,
    merged: bool = False,
) -> OwnPullRequest:
    return OwnPullRequest(
        number=1,
        node="PR_1",
        head_sha="a" * 40,
        base="main",
        title="",
        body="",
        draft=True,
        open=is_open,
        merged=merged,
        created_at=NOW - age,
    )


def evidence(channel: Verdict) -> Evidence:
    return Evidence("comment:1", 1, "", channel, "", 7, NOW, Lesson("Pin every action."))


@pytest.mark.parametrize(
    ("mode", "rules", "wanted"),
    [
        ("auto", [], False),
        ("auto", [PULL, LOOSE], False),  # the App may bypass them: a push will tell
        ("auto", [STRICT], True),
        ("auto", [QUEUE], True),
        ("direct", [STRICT, QUEUE], False),
        ("pull_request", [], True),
    ],
)
def test_the_mode_and_the_rules_decide(mode: str, rules: list[BranchRule], wanted: bool) -> None:
    assert is_wanted(read(f"mode: {mode}\n".encode()), rules) is wanted


def test_keep_and_orders_are_presses_and_reviews_are_not() -> None:
    assert is_pressed([evidence(Verdict.FOUNDER_NOTE)], [])
    assert is_pressed([], [Retire("3f9a2c1d", 7, NOW)])
    assert not is_pressed([evidence(Verdict.CHANGES_REQUESTED), evidence(Verdict.CI_FIX)], [])


def test_other_evidence_waits_a_day_and_a_press_does_not() -> None:
    written = NOW - HOUR
    held = hold(PLAIN, NOW, pressed=False, written_at=written, approved_at=None)
    assert held == Hold(written + 24 * HOUR)
    assert hold(PLAIN, NOW, pressed=True, written_at=written, approved_at=None) is None
    later = written + 24 * HOUR
    assert hold(PLAIN, later, pressed=False, written_at=written, approved_at=None) is None
    assert hold(PLAIN, NOW, pressed=False, written_at=None, approved_at=None) is None


def test_an_approval_holds_back_even_a_press() -> None:
    approved = NOW - HOUR
    held = hold(PLAIN, NOW, pressed=True, written_at=None, approved_at=approved)
    assert held == Hold(approved + 24 * HOUR, approved=True)
    later = approved + 24 * HOUR
    assert hold(PLAIN, later, pressed=True, written_at=None, approved_at=approved) is None


def test_a_draft_ends_by_age_or_by_what_it_holds() -> None:
    assert not is_ready(pull(), 4, PLAIN, NOW)
    assert is_ready(pull(), 5, PLAIN, NOW)
    assert is_ready(pull(age=timedelta(days=7)), 1, PLAIN, NOW)


def test_after_a_no_only_a_lesson_opens_another() -> None:
    closed, merged = pull(is_open=False), pull(is_open=False, merged=True)
    assert may_open([], housekeeping_alone=True)
    assert may_open([merged, closed], housekeeping_alone=True)
    assert not may_open([closed, merged], housekeeping_alone=True)
    assert may_open([closed], housekeeping_alone=False)
