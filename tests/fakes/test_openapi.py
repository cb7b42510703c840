"""What GitHub would refuse, or not understand, is told before it is sent to GitHub."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests

from bot.sandbox.forge import SandboxForge
from bot.sandbox.server import SandboxServer
from tests.fakes.openapi import DESCRIPTION, problems
from tests.openapi_slices import SENT, slices

CHECK_RUNS = "/repos/acme/shop/check-runs"
KEEP = {"label": "Keep as lesson", "description": "Commits it", "identifier": "keep"}
CHECK_RUN = {
    "name": "Lessonkeeper",
    "head_sha": "a" * 40,
    "external_id": "1",
    "status": "completed",
    "conclusion": "neutral",
    "output": {"title": "A lesson", "summary": "Close every session."},
    "actions": [KEEP],
}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", CHECK_RUNS, CHECK_RUN),
        ("PATCH", f"{CHECK_RUNS}/7", {"status": "completed", "conclusion": "neutral"}),
        ("POST", "/repositories/12/check-runs", CHECK_RUN),
        ("POST", "/repos/acme/shop/issues/1/comments", {"body": "Kept."}),
        ("POST", "/app/installations/3/access_tokens", {"permissions": {"checks": "write"}}),
        ("POST", "/app/installations/3/access_tokens", None),
        ("POST", "/app/hook/deliveries/9/attempts", None),
    ],
)
def test_nothing_is_said_of_what_github_takes(method: str, path: str, body: object) -> None:
    assert problems(method, path, body) == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"actions": [KEEP] * 4}, "$.actions: "),
        ({"actions": [{**KEEP, "label": "x" * 30}]}, "$.actions[0].label: "),
        ({"actions": [{"label": "Keep", "identifier": "keep"}]}, "'description' is a required"),
        ({"external_id": 1}, "$.external_id: 1 is not of type 'string'"),
        ({"conclusion": "fine"}, "'fine' is not one of"),
        ({"output": {"title": "A lesson", "summary": "x" * 65_536}}, "$.output.summary: "),
        ({"head_ref": "main"}, "'head_ref' was unexpected"),
        ({"output": {**CHECK_RUN["output"], "txt": ""}}, "'txt' was unexpected"),  # type: ignore[dict-item]
    ],
)
def test_a_check_run_that_github_does_not_describe(changes: dict[str, object], told: str) -> None:
    (problem,) = problems("POST", CHECK_RUNS, CHECK_RUN | changes)

    assert problem.startswith(f"POST {CHECK_RUNS}: $")
    assert told in problem


@pytest.mark.parametrize(
    ("method", "path", "body", "told"),
    [
        ("POST", CHECK_RUNS, {"name": "Lessonkeeper"}, "'head_sha' is a required property"),
        ("POST", CHECK_RUNS, None, "takes a body"),
        ("POST", CHECK_RUNS, [], "[] is not of type 'object'"),
        ("PATCH", f"{CHECK_RUNS}/7", {"status": "completed"}, "is not valid under any"),
        ("PATCH", "/repos/acme/shop/pulls/1", {"state": "merged"}, "'merged' is not one of"),
        (
            "POST",
            "/app/installations/3/access_tokens",
            {"permissions": {"checks": "admin"}},
            "$.permissions.checks: 'admin' is not one of",
        ),
        ("POST", "/app/hook/deliveries/9/attempts", {}, "takes no body"),
        ("DELETE", "/repos/acme/shop", None, "not among the slices"),
        ("PUT", f"{CHECK_RUNS}/7", {}, "not among the slices"),
        ("POST", "/repos/acme/shop/check-runs/7/rerequest", None, "not among the slices"),
    ],
)
def test_a_request_that_github_does_not_describe(
    method: str, path: str, body: object, told: str
) -> None:
    (problem,) = problems(method, path, body)

    assert problem.startswith(f"{method} {path}: ")
    assert told in problem


def test_the_slices_are_those_of_the_listed_routes_and_lack_nothing() -> None:
    kept = json.loads(DESCRIPTION.read_bytes())

    assert slices(kept) == kept
    assert {(m, p) for p, methods in kept["paths"].items() for m in methods} == set(SENT)


@pytest.fixture
def github(tmp_path: Path) -> Iterator[SandboxServer]:
    forge = SandboxForge(tmp_path, lambda: datetime(2026, 11, 2, tzinfo=UTC))
    forge.create_repository("acme/shop")
    with SandboxServer(forge) as running:
        yield running


def test_such_a_request_surprises_every_sandbox_of_the_tests(github: SandboxServer) -> None:
    requests.post(f"{github.url}{CHECK_RUNS}", json={"name": "Lessonkeeper"}, timeout=10)

    with pytest.raises(AssertionError, match="'head_sha' is a required property"):
        github.assert_no_surprises()
