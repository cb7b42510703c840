"""What the onboarding makes of what it saw: who is listed, and which mode."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.channels.onboarding import proposed, seen
from bot.facts import BranchRule, PastPullRequest, PastReview
from bot.settings import Reviewer, Settings

AT = datetime(2026, 11, 2, tzinfo=UTC)
US = "lessonkeeper[bot]"


def pulls(
    count: int, author: str = "ben", reviewers: tuple[str, ...] = (), *, from_here: bool = True
) -> list[PastPullRequest]:
    reviews = tuple(PastReview(login, login.endswith("[bot]"), AT) for login in reviewers)
    return [
        PastPullRequest(n, author, author.endswith("[bot]"), AT, True, from_here, reviews)
        for n in range(count)
    ]


def test_a_bot_that_reviewed_three_is_a_reviewer_however_often_it_spoke_in_each() -> None:
    often = pulls(3, reviewers=("rabbit[bot]",))
    seldom = pulls(2, reviewers=("owl[bot]", "owl[bot]"))
    assert seen([*often, *seldom], US).reviewers == {"rabbit[bot]": 3}


def test_people_need_no_listing() -> None:
    assert seen(pulls(9, reviewers=("ada",)), US).reviewers == {}


@pytest.mark.parametrize(
    ("author", "from_here", "count", "listed"),
    [
        ("agent[bot]", True, 3, True),
        ("agent[bot]", True, 2, False),
        ("agent[bot]", False, 3, False),
        ("ben", True, 3, False),
        ("dependabot[bot]", True, 3, False),
        ("renovate[bot]", True, 3, False),
        (US, True, 3, False),
    ],
)
def test_an_app_that_opened_three_from_branches_here_is_an_agent(
    author: str, from_here: bool, count: int, listed: bool
) -> None:
    found = seen(pulls(count, author, from_here=from_here), US)
    assert (author in found.agents) is listed


def test_what_the_owner_listed_is_not_listed_twice() -> None:
    mine = Reviewer("Rabbit[bot]", comments=True)
    owner = Settings(reviewers=(mine,), agents=("Agent[bot]",))
    found = seen(pulls(3, "agent[bot]", ("rabbit[bot]", "owl[bot]")), US)
    settings = proposed(owner, found, ())
    assert settings.reviewers == (mine, Reviewer("owl[bot]"))
    assert settings.agents == ("Agent[bot]",)


@pytest.mark.parametrize(
    ("rule", "mode"),
    [
        (BranchRule("pull_request", 1, "acme/shop"), "pull_request"),
        (BranchRule("merge_queue", 1, "acme/shop"), "pull_request"),
        (BranchRule("required_status_checks", 1, "acme/shop", strict=True), "pull_request"),
        (BranchRule("required_status_checks", 1, "acme/shop"), "auto"),
        (BranchRule("required_signatures", 1, "acme/shop"), "auto"),
    ],
)
def test_rules_that_ask_for_pull_requests_decide_the_mode(rule: BranchRule, mode: str) -> None:
    assert proposed(Settings(), seen([], US), (rule,)).mode == mode
    assert proposed(Settings(mode="direct"), seen([], US), ()).mode == "direct"
