"""Jobs that end are told as GitHub tells them: to the App, and to whoever asks afterwards."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox import graphql
from bot.sandbox.bare import Edit
from bot.sandbox.ci import ACTIONS, Ci
from bot.sandbox.forge import SandboxForge
from bot.sandbox.repository import SandboxRepository

NOW = datetime(2026, 11, 2, 10, 0, tzinfo=UTC)


@pytest.fixture
def shop(tmp_path: Path) -> SandboxRepository:
    sandbox = SandboxForge(tmp_path, lambda: NOW)
    made = sandbox.create_repository("acme/shop", {"src/a.py": "a = 1\n"})
    sandbox.take_deliveries()
    return made


def ask(shop: SandboxRepository, inside: str) -> Any:
    query = f'{{ repository(owner: "acme", name: "shop") {{ {inside} }} }}'
    answer = graphql.answer(query, {}, find=lambda _: shop, page_limit=100)
    assert "errors" not in answer
    return answer["data"]["repository"]


def test_a_finished_job_is_sent_with_its_app_and_the_open_pull_requests_of_its_branch(
    shop: SandboxRepository,
) -> None:
    pull = shop.open_pull_request("bob", {"src/a.py": "a = 2\n"})
    outside = shop.open_pull_request("eve", {"src/a.py": "a = 3\n"}, fork=True)
    shop.forge.take_deliveries()
    ci = Ci(shop)
    run = ci.finish(pull, "test", "failure")
    ci.finish(outside, "test", "success")
    ci.finish_workflow(pull, "failure")

    first, second, third = shop.forge.take_deliveries()

    sent: Any = first.payload["check_run"]
    assert (first.event, first.payload["action"]) == ("check_run", "completed")
    assert (sent["id"], sent["name"], sent["head_sha"]) == (run, "test", pull.head_sha)
    assert (sent["app"]["id"], sent["conclusion"]) == (ACTIONS, "failure")
    assert [each["number"] for each in sent["pull_requests"]] == [1]
    forked: Any = second.payload["check_run"]
    assert forked["pull_requests"] == []
    whole: Any = third.payload["workflow_run"]
    assert (third.event, whole["name"], whole["event"]) == ("workflow_run", "CI", "pull_request")
    assert whole["check_suite_id"] == sent["check_suite"]["id"]


def test_a_suite_concludes_as_the_worst_of_the_latest_runs(shop: SandboxRepository) -> None:
    pull = shop.open_pull_request("bob", {"src/a.py": "a = 2\n"})

    def conclusions() -> list[str]:
        suites = "checkSuites(first: 9) { nodes { conclusion } }"
        found = ask(shop, f'object(oid: "{pull.head_sha}") {{ ... on Commit {{ {suites} }} }}')
        return [suite["conclusion"] for suite in found["object"]["checkSuites"]["nodes"]]

    assert conclusions() == []
    Ci(shop).finish(pull, "lint", "success")
    Ci(shop).finish(pull, "test", "failure")
    assert conclusions() == ["FAILURE"]
    Ci(shop).finish(pull, "test", "success")
    assert conclusions() == ["SUCCESS"]


def test_all_runs_of_a_suite_are_listed_or_the_latest(shop: SandboxRepository) -> None:
    pull = shop.open_pull_request("bob", {"src/a.py": "a = 2\n"})
    failed = Ci(shop).finish(pull, "test", "failure")
    passed = Ci(shop).finish(pull, "test", "success")
    Ci(shop, workflow=None, app=99, slug="other").finish(pull, "test", "success")

    def listed(kind: str) -> Any:
        runs = f"checkRuns(first: 9, filterBy: {{checkType: {kind}}}) {{ nodes {{ databaseId }} }}"
        suites = f"checkSuites(first: 9, filterBy: {{appId: {ACTIONS}}}) {{ nodes {{ {runs} }} }}"
        found = ask(shop, f'object(oid: "{pull.head_sha}") {{ ... on Commit {{ {suites} }} }}')
        (suite,) = found["object"]["checkSuites"]["nodes"]
        return [run["databaseId"] for run in suite["checkRuns"]["nodes"]]

    assert listed("ALL") == [failed, passed]
    assert listed("LATEST") == [passed]


def test_changes_tell_their_content_and_how_many_lines(shop: SandboxRepository) -> None:
    before = shop.tip()
    edit = Edit({"b.txt": "one\ntwo\n"}, {"src/a.py": "src/c.py"})
    shop.write("main", "bob", edit, [before], "Move")

    added, moved = shop.bare.changes(before, shop.tip(), renames=True)

    assert (added.status, added.path, added.added, added.deleted) == ("A", "b.txt", 2, 0)
    assert len(added.blob) == 40
    assert (moved.status, moved.path, moved.previous) == ("R", "src/c.py", "src/a.py")
