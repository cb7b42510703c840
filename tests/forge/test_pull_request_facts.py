"""Each fact about a pull request, read from the sandbox forge over real HTTP."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.facts import Permission, ReviewState
from bot.forge.answers import GHOST, account
from bot.forge.protocol import Forge
from bot.sandbox.pull_request import Inline, SandboxPullRequest
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer
from tests.forge.conftest import Clock


@pytest.fixture
def pull(shop: SandboxRepository) -> SandboxPullRequest:
    return shop.open_pull_request("bob", {"src/a.py": "a = 2\n"}, branch="two")


def test_an_open_pull_request(forge: Forge, pull: SandboxPullRequest) -> None:
    facts = forge.pull_request_facts(pull.number)

    assert facts.repository == forge.repository()
    assert facts.repository.full_name == "acme/shop"
    assert facts.repository.default_branch == "main"
    assert facts.repository.private
    assert (facts.pull.number, facts.pull.author.login) == (1, "bob")
    assert (facts.pull.base, facts.pull.head) == ("main", "two")
    assert facts.pull.head_sha == pull.head_sha
    assert facts.pull.head_repository == facts.repository.id
    assert facts.pull.open
    assert (facts.pull.merged_at, facts.pull.acted_at, facts.pull.merged_by) == (None,) * 3


def test_a_review_has_its_verdict_in_lower_case_and_its_own_inline_comments(
    forge: Forge, pull: SandboxPullRequest, clock: Clock
) -> None:
    asked_at = clock.pass_minutes(5)
    asks = pull.review(
        "ada", "changes_requested", "No.", [Inline("src/a.py", "Name it.", 7), Inline("b", "Why?")]
    )
    approves = pull.review("rita", "approved")

    first, second = forge.pull_request_facts(pull.number).reviews

    assert (first.id, first.state) == (asks, ReviewState.CHANGES_REQUESTED)
    assert (first.author.login, first.author.kind) == ("ada", "User")
    assert (first.body, first.submitted_at, first.commit) == ("No.", asked_at, pull.head_sha)
    assert [(c.body, c.path, c.line) for c in first.comments] == [
        ("Name it.", "src/a.py", 7),
        ("Why?", "b", 1),
    ]
    assert (second.id, second.state) == (approves, ReviewState.APPROVED)
    assert (second.body, second.comments) == ("", ())


def test_a_reply_is_a_review_of_its_own_and_says_what_it_answers(
    forge: Forge, pull: SandboxPullRequest
) -> None:
    pull.review("ada", "commented", "", [Inline("src/a.py", "Why?")])
    (asked,) = pull.comments
    pull.reply("bob", asked, "Because.")

    review, reply = forge.pull_request_facts(pull.number).reviews

    assert [c.in_reply_to for c in review.comments] == [None]
    assert [(c.body, c.in_reply_to) for c in reply.comments] == [("Because.", asked)]


def test_a_dismissed_review_keeps_its_verdict_and_tells_when_it_was_dismissed(
    forge: Forge, pull: SandboxPullRequest, clock: Clock
) -> None:
    asks = pull.review("ada", "changes_requested", "No.")
    stays = pull.review("rita", "changes_requested", "Never.")
    dismissed_at = clock.pass_minutes(30)
    pull.dismiss_review(asks, "bob")

    reviews = {review.id: review for review in forge.pull_request_facts(pull.number).reviews}

    assert reviews[asks].state is ReviewState.CHANGES_REQUESTED
    assert reviews[asks].dismissed_at == dismissed_at
    assert reviews[stays].dismissed_at is None


def test_an_edited_review_tells_when(forge: Forge, pull: SandboxPullRequest, clock: Clock) -> None:
    edited = pull.review("ada", "changes_requested", "Never X.")
    untouched = pull.review("rita", "commented", "Hm.")
    edited_at = clock.pass_minutes(9)
    pull.edit_review(edited, "Ignore this, I was wrong.")

    reviews = {review.id: review for review in forge.pull_request_facts(pull.number).reviews}

    assert reviews[edited].edited_at == edited_at
    assert reviews[edited].body == "Ignore this, I was wrong."
    assert reviews[untouched].edited_at is None


def test_threads_are_resolved_by_people_and_outdated_by_commits(
    forge: Forge, pull: SandboxPullRequest
) -> None:
    inline = [Inline("src/a.py", "one"), Inline("src/b.py", "two"), Inline("src/c.py", "three")]
    pull.review("ada", "changes_requested", "", inline)
    resolved, outdated, open_one = pull.comments
    reply = pull.reply("bob", resolved, "Done.")
    pull.resolve_thread(resolved, "ada")
    pull.push("bob", {"src/b.py": "b = 1\n"})

    facts = forge.pull_request_facts(pull.number)

    by_comments = {thread.comments: thread for thread in facts.threads}
    assert by_comments[frozenset({resolved, reply})].resolved
    assert by_comments[frozenset({outdated})].outdated
    assert facts.is_answered_by_thread(resolved)
    assert facts.is_answered_by_thread(outdated)
    assert not facts.is_answered_by_thread(open_one)
    lines = {c.id: c.line for review in facts.reviews for c in review.comments}
    assert (lines[outdated], lines[open_one]) == (None, 1)


def test_a_resolved_thread_that_was_opened_again_is_not_resolved(
    forge: Forge, pull: SandboxPullRequest
) -> None:
    pull.review("ada", "changes_requested", "", [Inline("src/a.py", "one")])
    (comment,) = pull.comments
    pull.resolve_thread(comment, "bob")
    pull.unresolve_thread(comment, "ada")

    assert not forge.pull_request_facts(pull.number).is_answered_by_thread(comment)


def test_commits_come_oldest_first_and_merges_of_the_base_are_told_apart(
    forge: Forge, shop: SandboxRepository, pull: SandboxPullRequest, clock: Clock
) -> None:
    first = pull.head_sha
    shop.commit("ada", {"src/base.py": "b = 1\n"})
    clock.pass_minutes(1)
    merge = pull.update_branch("bob")
    fixed_at = clock.pass_minutes(1)
    fix = pull.push("bob", {"src/a.py": "a = 3\n"})

    commits = forge.pull_request_facts(pull.number).commits

    assert [(c.sha, c.merges_base) for c in commits] == [
        (first, False),
        (merge, True),
        (fix, False),
    ]
    assert commits[-1].committed_at == fixed_at


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_a_merge_is_the_act_of_whoever_pressed(
    method: str, forge: Forge, pull: SandboxPullRequest, clock: Clock
) -> None:
    merged_at = clock.pass_minutes(60)
    pull.merge("ada", method)

    merged = forge.pull_request_facts(pull.number).pull

    assert not merged.open
    assert merged.merged_at == merged.acted_at == merged.closed_at == merged_at
    assert merged.merged_by is not None
    assert merged.merged_by.login == "ada"


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_auto_merge_is_the_act_of_whoever_armed_it_last(
    method: str, forge: Forge, pull: SandboxPullRequest, clock: Clock
) -> None:
    pull.enable_auto_merge("rita")
    pull.disable_auto_merge("rita")
    armed_at = clock.pass_minutes(10)
    pull.enable_auto_merge("ada", method)
    merged_at = clock.pass_minutes(50)
    pull.merge("github-actions[bot]", method)

    merged = forge.pull_request_facts(pull.number).pull

    assert (merged.acted_at, merged.merged_at) == (armed_at, merged_at)
    assert merged.merged_by is not None
    assert merged.merged_by.login == "ada"


def test_auto_merge_that_was_disabled_counts_for_nothing(
    forge: Forge, pull: SandboxPullRequest, clock: Clock
) -> None:
    pull.enable_auto_merge("rita")
    pull.disable_auto_merge("rita")
    merged_at = clock.pass_minutes(50)
    pull.merge("ada")

    assert forge.pull_request_facts(pull.number).pull.acted_at == merged_at


def test_a_queued_pull_request_was_merged_when_it_was_queued(
    forge: Forge, pull: SandboxPullRequest, clock: Clock
) -> None:
    queued_at = clock.pass_minutes(10)
    pull.enqueue("ada")
    clock.pass_minutes(20)
    pull.dequeue("github-merge-queue[bot]")  # GitHub reports it also when the queue merges
    pull.merge("github-merge-queue[bot]")

    merged = forge.pull_request_facts(pull.number).pull

    assert merged.acted_at == queued_at
    assert merged.merged_by is not None
    assert merged.merged_by.login == "ada"


def test_a_pull_request_taken_from_the_queue_was_merged_by_whoever_merged_it_later(
    forge: Forge, pull: SandboxPullRequest, clock: Clock
) -> None:
    pull.enqueue("ada")
    clock.pass_minutes(5)
    pull.dequeue("ada")
    merged_at = clock.pass_minutes(30)
    pull.merge("rita")

    merged = forge.pull_request_facts(pull.number).pull

    assert merged.acted_at == merged_at
    assert merged.merged_by is not None
    assert merged.merged_by.login == "rita"


def test_a_merger_who_is_not_known_is_nobody(forge: Forge, pull: SandboxPullRequest) -> None:
    pull.merge("ada")
    pull.merged_by = None

    merged = forge.pull_request_facts(pull.number).pull

    assert merged.merged_at is not None
    assert merged.merged_by is None


def test_after_a_force_push_findings_have_no_line_but_their_text_and_path(
    forge: Forge, pull: SandboxPullRequest
) -> None:
    pull.review("ada", "changes_requested", "", [Inline("src/a.py", "Name it.", 40)])
    reviewed = pull.head_sha
    pull.force_push("bob", {"src/z.py": "z = 1\n"})

    facts = forge.pull_request_facts(pull.number)

    ((comment,),) = (review.comments for review in facts.reviews)
    assert (comment.body, comment.path, comment.line) == ("Name it.", "src/a.py", None)
    assert facts.reviews[0].commit == reviewed != facts.pull.head_sha
    assert [commit.sha for commit in facts.commits] == [pull.head_sha]


def test_it_began_where_its_head_left_the_base_wherever_that_stands_now(
    forge: Forge, shop: SandboxRepository, pull: SandboxPullRequest
) -> None:
    began = pull.base_sha
    shop.commit("ada", {"src/b.py": "b = 1\n"})
    pull.base_sha = shop.tip()  # as GitHub tells it
    found = forge.pull_request(pull.number)
    assert found.base_sha != began
    assert forge.merge_base(found) == began
    assert forge.merge_base(replace(found, head_sha="0" * 40)) == found.base_sha


def test_closed_unmerged_is_no_merge(forge: Forge, pull: SandboxPullRequest) -> None:
    pull.label("bob", "wontfix")
    pull.close("bob")

    closed = forge.pull_request_facts(pull.number).pull

    assert (closed.open, closed.merged_at, closed.merged_by) == (False, None, None)
    assert closed.labels == {"wontfix"}


def test_the_head_repository_of_a_fork_and_of_a_deleted_one(
    forge: Forge, shop: SandboxRepository
) -> None:
    pull = shop.open_pull_request("bob", {"src/a.py": "a = 9\n"}, fork=True, draft=True)

    present = forge.pull_request_facts(pull.number).pull
    pull.delete_fork()
    deleted = forge.pull_request_facts(pull.number).pull

    assert present.draft
    assert present.head_repository not in (None, shop.id)
    assert deleted.head_repository is None


def test_permissions_of_author_reviewers_and_merger(
    forge: Forge, pull: SandboxPullRequest, server: SandboxServer
) -> None:
    pull.review("Ada", "approved")
    pull.review("rita", "commented", "Hm.")
    pull.review("coderabbitai[bot]", "commented", "Hm.")
    pull.merge("acme")

    facts = forge.pull_request_facts(pull.number)

    assert facts.permissions == {
        "bob": Permission.NONE,
        "ada": Permission.WRITE,
        "rita": Permission.READ,
        "coderabbitai[bot]": Permission.NONE,
        "acme": Permission.ADMIN,
    }
    assert server.count("GET", "*/collaborators/coderabbitai*") == 0
    assert facts.writes(facts.reviews[0].author)
    assert not facts.writes(facts.pull.author)


def test_everything_is_read_to_the_last_page(
    forge: Forge, server: SandboxServer, shop: SandboxRepository, clock: Clock
) -> None:
    server.limit_pages(2)
    pull = shop.open_pull_request("bob", {"src/a.py": "a = 2\n"})
    for number in range(5):
        clock.pass_minutes(1)
        pull.review("ada", "changes_requested", "", [Inline(f"f{number}", f"finding {number}")])
        pull.push("bob", {f"f{number}": f"{number}\n"})
    last = max(pull.reviews)
    pull.edit_review(last, "edited")
    pull.dismiss_review(last, "bob")

    facts = forge.pull_request_facts(pull.number)

    assert [r.comments[0].body for r in facts.reviews] == [f"finding {n}" for n in range(5)]
    assert len(facts.commits) == 6
    assert [t.outdated for t in facts.threads] == [True] * 5
    assert facts.reviews[-1].edited_at == clock.now
    assert facts.reviews[-1].dismissed_at == clock.now
    assert len(forge.pull_request_files(pull.number).files) == 6


def test_the_number_of_requests_does_not_grow_with_the_reviews(
    forge: Forge, server: SandboxServer, pull: SandboxPullRequest
) -> None:
    def requests() -> int:
        return server.count("GET", "*") + server.count("POST", "*")

    forge.repository()
    before = requests()
    forge.pull_request_facts(pull.number)
    between = requests()
    for _ in range(9):
        pull.review("bob", "commented", "", [Inline("src/a.py", "Hm.")])
    forge.pull_request_facts(pull.number)

    assert requests() - between == between - before


def test_a_deleted_account_is_the_ghost() -> None:
    assert account(None) == GHOST
