"""The sandbox server is strict: about who asks, what is asked, and what GitHub would refuse."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import requests

from bot.sandbox.forge import SandboxForge
from bot.sandbox.pull_request import SandboxPullRequest
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer

NOW = datetime(2026, 11, 2, 10, 0, tzinfo=UTC)
ACTION = {"label": "Keep", "description": "Keeps it", "identifier": "keep:1"}


@pytest.fixture
def sandbox(tmp_path: Path) -> SandboxForge:
    return SandboxForge(tmp_path, lambda: NOW)


@pytest.fixture
def shop(sandbox: SandboxForge) -> SandboxRepository:
    return sandbox.create_repository("acme/shop", {"src/a.py": "a = 1\n"})


@pytest.fixture
def pull(shop: SandboxRepository) -> SandboxPullRequest:
    return shop.open_pull_request("bob", {"src/a.py": "a = 2\n"})


@pytest.fixture
def server(sandbox: SandboxForge) -> Iterator[SandboxServer]:
    with SandboxServer(sandbox) as running:
        yield running


class Client:
    """Asks with a token of the repository's installation that has the given permissions."""

    def __init__(
        self, server: SandboxServer, shop: SandboxRepository, permissions: dict[str, str]
    ) -> None:
        assert shop.installation is not None
        self.token, _ = server.access.mint(shop.installation.id, permissions)
        self.url = server.url

    def ask(self, method: str, path: str, json: Any = None) -> requests.Response:
        headers = {"Authorization": f"token {self.token}"}
        return requests.request(method, self.url + path, json=json, headers=headers, timeout=10)


@pytest.fixture
def client(server: SandboxServer, shop: SandboxRepository) -> Client:
    return Client(server, shop, {})


def check_run(pull: SandboxPullRequest, **more: object) -> dict[str, object]:
    return {"name": "Lessonkeeper", "head_sha": pull.head_sha, **more}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/repos/acme/shop/branches"),
        ("DELETE", "/repos/acme/shop"),
        ("GET", "/repos/acme/shop/pulls/1?state=open"),
    ],
)
def test_a_request_that_nobody_foresaw_is_a_surprise(
    method: str, path: str, server: SandboxServer, client: Client, pull: SandboxPullRequest
) -> None:
    server.assert_no_surprises()
    client.ask(method, path)

    with pytest.raises(AssertionError, match="unforeseen"):
        server.assert_no_surprises()


@pytest.mark.parametrize(
    "query",
    ["{ repository(owner: 1) { id } }", "{ viewer { login } }", "{", ""],
)
def test_a_query_outside_of_the_schema_is_a_surprise(
    query: str, server: SandboxServer, client: Client
) -> None:
    assert client.ask("POST", "/graphql", {"query": query}).json()["errors"]

    with pytest.raises(AssertionError, match="GraphQL"):
        server.assert_no_surprises()


def test_graphql_pages_need_a_size_of_at_most_a_hundred(
    client: Client, pull: SandboxPullRequest
) -> None:
    for size in ("", "(first: 101)"):
        query = f"""{{ repository(owner: "acme", name: "shop") {{
          pullRequest(number: 1) {{ reviews{size} {{ nodes {{ fullDatabaseId }} }} }} }} }}"""
        assert "errors" in client.ask("POST", "/graphql", {"query": query}).json()


def test_a_failure_that_was_ordered_and_never_came_is_a_surprise(server: SandboxServer) -> None:
    server.fail_next("GET", "/app", 502)

    with pytest.raises(AssertionError, match="GET /app: ordered to fail, never asked"):
        server.assert_no_surprises()


def test_a_body_that_is_no_json_object_is_a_surprise(
    server: SandboxServer, client: Client, pull: SandboxPullRequest
) -> None:
    assert client.ask("POST", "/repos/acme/shop/issues/1/comments", ["x"]).status_code == 400

    with pytest.raises(AssertionError, match="no JSON object"):
        server.assert_no_surprises()


def test_a_token_does_no_more_than_its_permissions_allow(
    server: SandboxServer, shop: SandboxRepository, pull: SandboxPullRequest
) -> None:
    reader = Client(server, shop, {"metadata": "read", "checks": "read"})

    assert reader.ask("GET", "/repos/acme/shop").status_code == 200
    assert reader.ask("GET", "/repos/acme/shop/pulls/1").status_code == 403
    assert reader.ask("POST", "/graphql", {"query": "{__typename}"}).status_code == 403
    answer = reader.ask("POST", "/repos/acme/shop/check-runs", check_run(pull))
    assert answer.status_code == 403
    assert answer.json()["message"] == "Resource not accessible by integration"


def test_another_installation_sees_nothing(server: SandboxServer, sandbox: SandboxForge) -> None:
    sandbox.create_repository("acme/shop", private=True)
    stranger = Client(server, sandbox.create_repository("zoe/away"), {})

    assert stranger.ask("GET", "/repos/acme/shop").status_code == 404
    query = '{ repository(owner: "acme", name: "shop") { pullRequest(number: 1) { __typename } } }'
    answer = stranger.ask("POST", "/graphql", {"query": query}).json()
    assert [error["type"] for error in answer["errors"]] == ["NOT_FOUND"]


def test_without_credentials_there_is_no_answer(server: SandboxServer, client: Client) -> None:
    client.token = "made-up"
    assert client.ask("GET", "/repos/acme/shop").status_code == 401
    assert client.ask("GET", "/app").status_code == 401


@pytest.mark.parametrize(
    "wrong",
    [
        {"actions": [ACTION] * 4},
        {"actions": [{**ACTION, "label": "x" * 30}]},
        {"actions": [{**ACTION, "description": "x" * 41}]},
        {"actions": [{**ACTION, "identifier": "x" * 21}]},
        {"actions": [{"label": "Keep"}]},
        {"output": {"title": "t", "summary": "x" * 65_536}},
        {"status": "completed"},
        {"head_sha": "0" * 40},
        {"name": ""},
    ],
)
def test_a_check_run_beyond_githubs_limits_is_refused(
    wrong: dict[str, object], client: Client, pull: SandboxPullRequest, shop: SandboxRepository
) -> None:
    body = {**check_run(pull), **wrong}

    assert client.ask("POST", "/repos/acme/shop/check-runs", body).status_code == 422
    assert not shop.check_runs


def test_buttons_are_shown_once_the_check_run_is_completed(
    client: Client, pull: SandboxPullRequest, shop: SandboxRepository
) -> None:
    body = check_run(pull, status="in_progress", actions=[ACTION])
    made = client.ask("POST", "/repos/acme/shop/check-runs", body)
    (run,) = shop.check_runs.values()
    assert (made.status_code, run.buttons) == (201, ())

    client.ask("PATCH", f"/repos/acme/shop/check-runs/{run.id}", {"conclusion": "neutral"})
    assert [button.identifier for button in run.buttons] == ["keep:1"]


def test_pages_are_of_the_size_asked_for_and_linked(
    client: Client, pull: SandboxPullRequest
) -> None:
    for _ in range(5):
        pull.review("ada", "commented", "Hm.")

    first = client.ask("GET", "/repos/acme/shop/pulls/1/reviews?per_page=2")
    last = client.ask("GET", first.links["last"]["url"].removeprefix(client.url))

    assert [len(first.json()), len(last.json())] == [2, 1]
    assert set(first.links) == {"next", "last"}
    assert set(last.links) == {"prev", "first"}
    assert first.links["next"]["url"].endswith("per_page=2&page=2")


def test_a_former_name_is_redirected_until_it_is_taken(
    client: Client, sandbox: SandboxForge, shop: SandboxRepository
) -> None:
    shop.rename("acme/store")
    assert client.ask("GET", "/repos/acme/shop").json()["full_name"] == "acme/store"

    taken = sandbox.create_repository("acme/shop")
    assert client.ask("GET", "/repos/acme/shop").json()["id"] == taken.id != shop.id


def test_git_is_served_to_tokens_that_may_write(
    server: SandboxServer, client: Client, shop: SandboxRepository, tmp_path: Path
) -> None:
    def clone(user: str, into: str) -> int:
        url = client.ask("GET", "/repos/acme/shop").json()["clone_url"]
        url = url.replace("http://", f"http://{user}@")
        git = ["git", "-c", "credential.helper=", "clone", "--quiet", url, str(tmp_path / into)]
        environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
        return subprocess.run(git, env=environment, capture_output=True, check=False).returncode

    assert clone(f"x-access-token:{client.token}", "right") == 0
    assert (tmp_path / "right" / "src" / "a.py").read_text() == "a = 1\n"
    assert clone("x-access-token:made-up", "wrong") != 0
