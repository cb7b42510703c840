"""What CI did with a pull request, read from the sandbox forge over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bot.facts import ChangedFile, Job
from bot.forge.app import App
from bot.forge.protocol import Forge
from bot.sandbox.ci import ACTIONS, EXIT_CODE, Ci
from bot.sandbox.pull_request import SandboxPullRequest
from bot.sandbox.records import Annotation
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer
from tests.forge.conftest import Clock

TEST = Job(ACTIONS, "CI", "test")


@pytest.fixture
def pull(shop: SandboxRepository) -> SandboxPullRequest:
    return shop.open_pull_request("ada", {"src/a.py": "a = 2\n"}, branch="two")


@pytest.fixture
def ci(shop: SandboxRepository) -> Ci:
    return Ci(shop)


@pytest.fixture
def small_pages(server: SandboxServer) -> Iterator[None]:
    server.limit_pages(1)
    yield
    server.limit_pages(100)


def test_every_run_of_every_head_is_read(
    forge: Forge, pull: SandboxPullRequest, ci: Ci, clock: Clock, small_pages: None
) -> None:
    first, pushed = pull.head_sha, clock.now
    ended = clock.pass_minutes(3)
    failed = ci.finish(pull, "test", "failure")
    clock.pass_minutes(3)
    again = ci.finish(pull, "test", "failure")
    second = pull.push("ada", {"src/a.py": "a = 3\n"})
    passed = ci.finish(pull, "test", "success")
    ci.finish(pull, "lint", "skipped")

    facts = forge.pull_request_jobs(pull.number)

    assert [(r.id, r.head, r.conclusion) for r in facts.runs[:3]] == [
        (failed, first, "failure"),
        (again, first, "failure"),
        (passed, second, "success"),
    ]
    assert facts.runs[0].job == TEST
    assert facts.runs[0].completed_at == ended
    assert facts.runs[0].pushed_at >= pushed
    assert facts.runs[3].conclusion == "skipped"
    assert facts.pull.number == pull.number
    assert facts.writes(facts.pull.author)


def test_one_question_is_enough_where_nothing_failed(
    forge: Forge, pull: SandboxPullRequest, ci: Ci, server: SandboxServer
) -> None:
    ci.finish(pull, "test", "failure")
    ci.finish(pull, "test", "success")
    forge.repository()
    asked = server.count("GET", "*")
    assert forge.pull_request_jobs(pull.number).runs == ()
    assert server.count("POST", "/graphql") == 1
    assert server.count("GET", "*") == asked + 1


def test_a_head_that_was_pushed_away_is_read_as_well(
    forge: Forge, pull: SandboxPullRequest, ci: Ci
) -> None:
    gone = pull.head_sha
    ci.finish(pull, "test", "failure")
    pull.force_push("ada", {"src/a.py": "a = 3\n"})
    ci.finish(pull, "test", "success")
    runs = forge.pull_request_jobs(pull.number).runs
    assert [(run.head, run.passed) for run in runs] == [(gone, False), (pull.head_sha, True)]


def test_what_was_done_between_two_heads(
    forge: Forge, pull: SandboxPullRequest, clock: Clock
) -> None:
    before = pull.head_sha
    clock.pass_minutes(1)
    pull.push("ada", {"src/a.py": "a = 3\nb = 4\n", "src/b.py": "b\n"})
    after = pull.push("renovate[bot]", {"src/b.py": None})

    found = forge.between(pull.number, before, after)

    assert [(c.author.login, c.author.kind) for c in found.commits if c.author] == [
        ("ada", "User"),
        ("renovate[bot]", "Bot"),
    ]
    assert not any(commit.merges_base for commit in found.commits)
    assert found.files == (ChangedFile("src/a.py", 3),)
    assert found.complete


def test_a_merge_of_the_base_is_told_apart(
    forge: Forge, shop: SandboxRepository, pull: SandboxPullRequest
) -> None:
    before = pull.head_sha
    shop.commit("ada", {"README.md": "New\n"})
    after = pull.update_branch("ada")
    assert any(c.merges_base for c in forge.between(pull.number, before, after).commits)


def test_an_amended_commit_changed_what_differs_from_the_one_before(
    forge: Forge, shop: SandboxRepository
) -> None:
    pull = shop.open_pull_request("ada", {"src/a.py": "a = 2\n", "b.py": "b\n", "c.py": "c\n"})
    before = pull.head_sha
    after = pull.force_push("ada", {"src/a.py": "a = 3\n", "b.py": "b\n"})

    found = forge.between(pull.number, before, after)

    assert found.files == (ChangedFile("src/a.py", 2), ChangedFile("c.py", 1, gone=True))
    assert [commit.merges_base for commit in found.commits] == [False]


def test_a_rebase_onto_a_newer_base_counts_as_a_merge_of_it(
    forge: Forge, shop: SandboxRepository, pull: SandboxPullRequest
) -> None:
    before = pull.head_sha
    shop.commit("ada", {"README.md": "New\n"})
    after = pull.force_push("ada", {"src/a.py": "a = 3\n"})
    found = forge.between(pull.number, before, after)
    assert [commit.merges_base for commit in found.commits] == [True, False]


def test_a_commit_that_github_forgot_is_no_fault(forge: Forge, pull: SandboxPullRequest) -> None:
    assert not forge.between(pull.number, "4" * 40, pull.head_sha).complete


def test_titles_are_those_of_failures(forge: Forge, pull: SandboxPullRequest, ci: Ci) -> None:
    notes = (
        Annotation("src/a.py", "unused", "Unused import", "warning"),
        EXIT_CODE,
        Annotation("src/a.py", "long text", "Missing return type"),
    )
    run = ci.finish(pull, "test", "failure", annotations=notes)
    assert forge.failure_titles(run) == ("", "Missing return type")


def test_the_same_job_elsewhere(
    forge: Forge, shop: SandboxRepository, pull: SandboxPullRequest, ci: Ci, clock: Clock
) -> None:
    other = shop.open_pull_request("bob", {"src/b.py": "b\n"}, fork=True)
    there = ci.finish(other, "test", "failure")
    on_main = ci.finish(None, "test", "failure")
    ci.finish(None, "lint", "failure")
    Ci(shop, workflow="Nightly").finish(None, "test", "failure")
    Ci(shop, workflow=None, app=99, slug="other").finish(None, "test", "failure")

    found = forge.job_elsewhere(TEST, clock.now - timedelta(days=14))

    assert {(run.id, run.on_default_branch) for run in found} == {(there, False), (on_main, True)}
    assert {run.job for run in found} == {TEST}


def test_a_merged_head_is_not_the_default_branch(
    forge: Forge, pull: SandboxPullRequest, ci: Ci, clock: Clock
) -> None:
    ci.finish(pull, "test", "failure")
    pull.push("ada", {"src/a.py": "a = 3\n"})
    pull.merge("ada")
    found = forge.job_elsewhere(TEST, clock.now - timedelta(days=14))
    assert [run.on_default_branch for run in found if run.failed] == [False] * len(found)
    assert found


def test_jobs_of_another_app_are_known_by_it(
    forge: Forge, shop: SandboxRepository, pull: SandboxPullRequest, app: App
) -> None:
    Ci(shop, workflow=None, app=99, slug="other").finish(pull, "test", "failure")
    Ci(shop, workflow="Nightly").finish(pull, "test", "failure")
    jobs = [run.job for run in forge.pull_request_jobs(pull.number).runs]
    assert jobs == [Job(99, "other", "test"), Job(ACTIONS, "Nightly", "test")]
