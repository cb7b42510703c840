"""Who may teach, what counts, what was answered, what was merged over."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.channels.review import judge, remarks, to_distill
from bot.channels.trust import Worth, standing
from bot.distill.model import Distilled
from bot.facts import (
    Account,
    Commit,
    InlineComment,
    Permission,
    PullRequest,
    PullRequestFacts,
    Repository,
    Review,
    ReviewState,
    Thread,
)
from bot.lessons.lesson import Lesson
from bot.settings import Evidence, Reviewer, Settings

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
ALICE = Account(1, "alice")  # writes
BOB = Account(2, "bob")  # writes, opens the pull request
CAROL = Account(3, "carol")  # writes, merges
EVE = Account(4, "eve")  # nobody
RABBIT = Account(5, "rabbit[bot]", "Bot")
US = Account(6, "lessonkeeper[bot]", "Bot")
SHOP = Repository(11, "acme", "shop", "main", "https://forge/acme/shop.git")
LISTED = Settings(reviewers=(Reviewer("rabbit[bot]"),))


def at(hours: float) -> datetime:
    return NOON + timedelta(hours=hours)


def review(
    author: Account = ALICE,
    state: ReviewState = ReviewState.CHANGES_REQUESTED,
    number: int = 70,
    hours: float = 0,
    body: str = "Close the session.",
    comments: tuple[InlineComment, ...] = (),
) -> Review:
    return Review(number, author, state, body, at(hours), "a" * 40, comments)


def facts(*reviews: Review, **pull: object) -> PullRequestFacts:
    base = PullRequest(12, BOB, "main", "fix", "b" * 40, head_repository=11)
    return PullRequestFacts(
        repository=SHOP,
        pull=replace(base, **pull),  # type: ignore[arg-type]
        reviews=reviews,
        permissions={
            "alice": Permission.WRITE,
            "bob": Permission.WRITE,
            "carol": Permission.ADMIN,
            "eve": Permission.READ,
        },
    )


def merged(found: PullRequestFacts, by: Account = CAROL, hours: float = 10) -> PullRequestFacts:
    pull = replace(found.pull, open=False, merged_at=at(hours), merged_by=by, closed_at=at(hours))
    return replace(found, pull=pull)


def distilled(*reviews: Review, comment: int | None = None) -> dict[str, Distilled]:
    return {
        r.source: Distilled((Lesson("Close the session in a finally block.", comment=comment),))
        for r in reviews
    }


# --- who may teach -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("author", "state", "settings", "worth"),
    [
        (ALICE, ReviewState.CHANGES_REQUESTED, Settings(), Worth.STRONG),
        (ALICE, ReviewState.COMMENTED, Settings(), Worth.WEAK),
        (ALICE, ReviewState.COMMENTED, Settings(people=Evidence.STRONG), Worth.STRONG),
        (ALICE, ReviewState.COMMENTED, Settings(people=Evidence.IGNORE), Worth.IGNORED),
        (ALICE, ReviewState.APPROVED, Settings(), Worth.IGNORED),
        (ALICE, ReviewState.PENDING, Settings(), Worth.IGNORED),
        (BOB, ReviewState.CHANGES_REQUESTED, Settings(), Worth.IGNORED),
        (EVE, ReviewState.CHANGES_REQUESTED, Settings(), Worth.IGNORED),
        (RABBIT, ReviewState.CHANGES_REQUESTED, Settings(), Worth.IGNORED),
        (RABBIT, ReviewState.COMMENTED, LISTED, Worth.WEAK),
        (RABBIT, ReviewState.CHANGES_REQUESTED, LISTED, Worth.STRONG),
        (US, ReviewState.CHANGES_REQUESTED, LISTED, Worth.IGNORED),
        (ALICE, ReviewState.CHANGES_REQUESTED, Settings(agents=("Alice",)), Worth.IGNORED),
        (ALICE, ReviewState.CHANGES_REQUESTED, Settings(founders=("alice",)), Worth.OFFERED),
    ],
)
def test_who_may_teach(
    author: Account, state: ReviewState, settings: Settings, worth: Worth
) -> None:
    given = review(author, state)
    assert standing(given, facts(given), settings, US).worth is worth


def test_an_unlisted_bot_is_named_so_that_somebody_can_list_it() -> None:
    given = review(RABBIT)
    assert (
        "@rabbit[bot] is not listed under reviewers"
        in standing(given, facts(given), Settings()).reason
    )


def test_lines_decide_for_an_account_that_reviews_under_its_owners_name() -> None:
    me = Reviewer("bob", asks="Verdict: changes requested", passes="Verdict: approved")
    settings = Settings(reviewers=(me,), agents=("bob",), founders=("bob",))
    asks = review(BOB, ReviewState.COMMENTED, body="Close it.\n  Verdict: changes requested  ")
    passes = review(BOB, ReviewState.COMMENTED, body="Verdict: approved")
    talks = review(BOB, ReviewState.COMMENTED, body="I said Verdict: approved before.")
    assert standing(asks, facts(asks), settings).worth is Worth.STRONG
    assert standing(passes, facts(passes), settings).worth is Worth.IGNORED
    assert standing(talks, facts(talks), settings).worth is Worth.OFFERED


def test_a_bots_review_from_outside_waits_for_a_writers_merge() -> None:
    given = review(RABBIT)
    outside = facts(given, author=EVE, head_repository=99)
    assert standing(given, outside, LISTED).worth is Worth.HELD
    gone = facts(given, author=EVE, head_repository=None)
    assert standing(given, gone, LISTED).worth is Worth.HELD
    assert standing(given, merged(outside), LISTED).worth is Worth.STRONG
    assert standing(given, merged(outside, by=RABBIT), LISTED).worth is Worth.HELD


# --- what is a finding -------------------------------------------------------------------------


def test_findings_are_the_body_and_the_inline_comments_and_replies_are_none() -> None:
    given = review(
        body="",
        comments=(
            InlineComment(9, "Second.", "b.py", None),
            InlineComment(8, "First.", "a.py", 3),
            InlineComment(10, "Thanks!", "a.py", 3, in_reply_to=8),
        ),
    )
    assert [(r.text, r.comment, r.path) for r in remarks(given)] == [
        ("First.", 8, "a.py"),
        ("Second.", 9, "b.py"),
    ]
    assert to_distill(facts(given), Settings()) == (given,)
    silent = review(body="  ")
    assert to_distill(facts(silent), Settings()) == ()


def test_the_date_is_the_reviews_and_the_path_is_the_comments() -> None:
    given = review(comments=(InlineComment(8, "First.", "a.py", 3),), hours=5)
    judged = judge(facts(given), distilled(given, comment=8), Settings())
    assert judged.evidence[0].at == at(5)
    assert judged.evidence[0].path == "a.py"
    assert judged.evidence[0].source == given.source


# --- merged over -------------------------------------------------------------------------------


def one(found: PullRequestFacts, settings: Settings = LISTED, comment: int | None = None) -> object:
    """Why the first review's finding does not count; None when it does."""
    invalid = (
        judge(found, distilled(*found.reviews, comment=comment), settings, US).evidence[0].invalid
    )
    return invalid.why if invalid else None


def test_a_person_merging_over_an_open_verdict_overrides() -> None:
    assert one(merged(facts(review()))) == "merged_over"


def test_a_closed_pull_request_overrides_nothing() -> None:
    assert one(facts(review(), open=False, closed_at=at(9))) is None


def test_merges_by_bots_and_agents_override_nothing_unless_listed() -> None:
    found = facts(review())
    assert one(merged(found, by=RABBIT)) is None
    agents = replace(LISTED, agents=("carol",))
    assert one(merged(found), agents) is None
    assert one(merged(found), replace(agents, merge_actors=("carol",))) == "merged_over"


def test_an_approval_by_the_same_reviewer_settles_it() -> None:
    found = facts(review(), review(state=ReviewState.APPROVED, number=71, hours=2, body=""))
    assert one(merged(found)) is None


def test_an_approval_by_somebody_else_or_a_comment_does_not() -> None:
    approved = review(CAROL, ReviewState.APPROVED, 71, 2, body="")
    commented = review(ALICE, ReviewState.COMMENTED, 72, 3, body="Another remark.")
    found = merged(facts(review(), approved, commented))
    source = found.reviews[0].source
    judged = judge(found, {source: distilled(found.reviews[0])[source]}, LISTED, US)
    assert judged.evidence[0].invalid is not None


def test_a_review_given_after_the_merge_was_armed_is_not_merged_over() -> None:
    late = merged(facts(review(hours=5)))
    armed = replace(late, pull=replace(late.pull, acted_at=at(1)))
    assert one(armed) is None
    assert one(late) == "merged_over"


def test_a_body_finding_is_answered_by_a_later_commit_that_is_no_merge_of_the_base() -> None:
    found = merged(facts(review()))
    fix = Commit("c" * 40, at(1))
    update = Commit("d" * 40, at(2), merges_base=True)
    early = Commit("e" * 40, at(-1))
    assert one(replace(found, commits=(fix,))) is None
    assert one(replace(found, commits=(early, update))) == "merged_over"


@pytest.mark.parametrize(
    ("thread", "why"),
    [
        (Thread(frozenset({8}), resolved=True), None),
        (Thread(frozenset({8}), outdated=True), None),
        (Thread(frozenset({8})), "merged_over"),
        (Thread(frozenset({9}), resolved=True), "merged_over"),
    ],
)
def test_an_inline_finding_is_answered_by_its_thread(thread: Thread, why: str | None) -> None:
    given = review(comments=(InlineComment(8, "First.", "a.py", 3),))
    found = replace(merged(facts(given)), threads=(thread,), commits=(Commit("c" * 40, at(1)),))
    assert one(found, comment=8) == why


def test_what_a_later_review_repeats_was_not_answered() -> None:
    fix = Commit("c" * 40, at(1))
    found = merged(facts(review(), review(number=71, hours=2)))
    assert one(replace(found, commits=(fix,))) == "merged_over"


# --- dismissed ---------------------------------------------------------------------------------


def test_a_dismissed_review_counts_only_where_it_was_answered() -> None:
    gone = replace(review(), dismissed_at=at(3))
    assert one(facts(gone)) == "dismissed"
    assert one(replace(facts(gone), commits=(Commit("c" * 40, at(1)),))) is None


# --- weak evidence matures ---------------------------------------------------------------------


def test_a_weak_finding_matures_when_answered_and_merged() -> None:
    given = review(RABBIT, ReviewState.COMMENTED)
    fix = (Commit("c" * 40, at(1)),)

    def matured(found: PullRequestFacts, settings: Settings = LISTED) -> bool:
        return judge(found, distilled(given), settings, US).evidence[0].matured

    assert matured(replace(merged(facts(given), by=RABBIT), commits=fix))
    assert not matured(merged(facts(given)))
    assert not matured(replace(facts(given), commits=fix))
    label = replace(LISTED, merged_label="merged")
    closed = facts(given, open=False, closed_at=at(9), labels=frozenset({"merged"}))
    assert matured(replace(closed, commits=fix), label)


def test_every_review_is_accounted_for() -> None:
    found = facts(review(), review(RABBIT, number=71), review(EVE, number=72))
    told = judge(found, {}, Settings(), US).told
    assert [(t.review, t.standing.worth) for t in told] == [
        (70, Worth.STRONG),
        (71, Worth.IGNORED),
        (72, Worth.IGNORED),
    ]
