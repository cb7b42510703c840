"""The webhooks that the sandbox sends after each act have GitHub's events, order and shapes."""

from __future__ import annotations

import hashlib
import hmac
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox.bare import Edit
from bot.sandbox.deliver import deliver, deliver_all
from bot.sandbox.forge import SandboxForge
from bot.sandbox.pull_request import Inline, SandboxPullRequest
from bot.sandbox.records import Action, CheckRun
from bot.sandbox.repository import SandboxRepository

NOW = datetime(2026, 11, 2, 10, 0, tzinfo=UTC)


@pytest.fixture
def sandbox(tmp_path: Path) -> SandboxForge:
    return SandboxForge(tmp_path, lambda: NOW)


@pytest.fixture
def shop(sandbox: SandboxForge) -> SandboxRepository:
    made = sandbox.create_repository("acme/shop", {"src/a.py": "a = 1\n"})
    sandbox.take_deliveries()
    return made


@pytest.fixture
def pull(sandbox: SandboxForge, shop: SandboxRepository) -> SandboxPullRequest:
    made = shop.open_pull_request("bob", {"src/a.py": "a = 2\n"})
    sandbox.take_deliveries()
    return made


def sent(sandbox: SandboxForge) -> list[tuple[str, str | None, dict[str, Any]]]:
    deliveries = sandbox.take_deliveries()
    return [(d.event, d.payload.get("action"), dict(d.payload)) for d in deliveries]  # type: ignore[misc]


def test_a_review_is_sent_in_lower_case_without_its_inline_comments_which_follow(
    sandbox: SandboxForge, pull: SandboxPullRequest
) -> None:
    review = pull.review("ada", "changes_requested", "", [Inline("src/a.py", "Why?", 3)])

    first, second = sent(sandbox)

    assert first[:2] == ("pull_request_review", "submitted")
    assert first[2]["review"]["id"] == review
    assert first[2]["review"]["state"] == "changes_requested"
    assert first[2]["review"]["body"] is None
    assert "comments" not in first[2]["review"]
    assert "merged" not in first[2]["pull_request"]
    assert second[:2] == ("pull_request_review_comment", "created")
    assert second[2]["comment"]["pull_request_review_id"] == review
    assert "in_reply_to_id" not in second[2]["comment"]


def test_every_delivery_names_the_repository_the_installation_and_the_sender(
    sandbox: SandboxForge, shop: SandboxRepository, pull: SandboxPullRequest
) -> None:
    pull.review("ada", "approved")

    ((_, _, payload),) = sent(sandbox)

    assert shop.installation is not None
    assert payload["installation"]["id"] == shop.installation.id
    assert payload["repository"]["id"] == shop.id
    assert payload["repository"]["full_name"] == "acme/shop"
    assert (payload["sender"]["login"], payload["sender"]["type"]) == ("ada", "User")


def test_edits_dismissals_and_threads_say_what_became_of_them(
    sandbox: SandboxForge, pull: SandboxPullRequest
) -> None:
    review = pull.review("ada", "changes_requested", "No.", [Inline("src/a.py", "Why?")])
    (comment,) = pull.comments
    sandbox.take_deliveries()
    pull.edit_review(review, "Yes.")
    pull.resolve_thread(comment, "bob")
    pull.dismiss_review(review, "bob")

    edited, resolved, dismissed = sent(sandbox)

    assert edited[:2] == ("pull_request_review", "edited")
    assert edited[2]["review"]["body"] == "Yes."
    assert resolved[:2] == ("pull_request_review_thread", "resolved")
    assert [c["id"] for c in resolved[2]["thread"]["comments"]] == [comment]
    assert dismissed[:2] == ("pull_request_review", "dismissed")
    assert dismissed[2]["review"]["state"] == "dismissed"


def test_a_merge_closes_the_pull_request_and_pushes_to_the_base(
    sandbox: SandboxForge, shop: SandboxRepository, pull: SandboxPullRequest
) -> None:
    before = shop.tip()
    merged = pull.merge("ada")

    closed, push = sent(sandbox)

    assert closed[:2] == ("pull_request", "closed")
    assert closed[2]["pull_request"]["merged"] is True
    assert closed[2]["pull_request"]["merged_by"]["login"] == "ada"
    assert closed[2]["pull_request"]["merge_commit_sha"] == merged
    assert push[0] == "push"
    assert (push[2]["before"], push[2]["after"]) == (before, merged)
    assert push[2]["ref"] == "refs/heads/main"
    assert push[2]["commits"][-1]["modified"] == ["src/a.py"]


def test_a_rename_is_pushed_as_removed_and_added(
    sandbox: SandboxForge, shop: SandboxRepository
) -> None:
    shop.commit("ada", {"b.py": "b = 1\n"}, moves={"src/a.py": "src/core/a.py"})

    ((event, _, payload),) = sent(sandbox)

    assert event == "push"
    (commit,) = payload["commits"]
    assert sorted(commit["added"]) == ["b.py", "src/core/a.py"]
    assert commit["removed"] == ["src/a.py"]
    assert commit["modified"] == []
    assert payload["head_commit"] == commit
    assert payload["forced"] is False


def test_what_the_app_pushes_over_git_comes_back_as_its_own_push(
    sandbox: SandboxForge, shop: SandboxRepository
) -> None:
    shop.write("main", "lessonkeeper[bot]", Edit({"new": "1\n"}, {}), [shop.tip()], "From afar")

    ((event, _, payload),) = sent(sandbox)

    assert event == "push"
    assert payload["sender"]["login"] == "lessonkeeper[bot]"
    assert payload["commits"][0]["message"] == "From afar"
    assert sandbox.take_deliveries() == []


def test_a_press_on_a_button_that_is_shown(
    sandbox: SandboxForge, shop: SandboxRepository, pull: SandboxPullRequest
) -> None:
    run = CheckRun(7, "Lessonkeeper", pull.head_sha, sandbox.app_id, NOW, "record-9")
    run.actions = (Action("Keep", "Keeps it", "keep:1"),)
    shop.check_runs[7] = run
    with pytest.raises(ValueError, match="no such button"):
        shop.press(7, "keep:1", "ada")

    run.status, run.conclusion = "completed", "neutral"
    shop.press(7, "keep:1", "ada")

    ((event, action, payload),) = sent(sandbox)
    assert (event, action) == ("check_run", "requested_action")
    assert payload["requested_action"] == {"identifier": "keep:1"}
    assert payload["check_run"]["external_id"] == "record-9"
    assert payload["check_run"]["app"]["id"] == sandbox.app_id


def test_a_comment_on_a_pull_request_says_that_it_is_one(
    sandbox: SandboxForge, shop: SandboxRepository, pull: SandboxPullRequest
) -> None:
    comment = shop.comment(pull.number, "ada", "/lesson Wait.")
    shop.edit_comment(comment, "/lesson Hurry.")

    created, edited = sent(sandbox)

    assert created[:2] == ("issue_comment", "created")
    assert created[2]["issue"]["pull_request"]["url"].endswith("/pulls/1")
    assert created[2]["comment"]["body"] == "/lesson Wait."
    assert edited[:2] == ("issue_comment", "edited")


def test_an_installation_is_announced_with_its_repositories(sandbox: SandboxForge) -> None:
    zoe = sandbox.create_repository("zoe/away")

    ((event, action, payload),) = sent(sandbox)

    assert (event, action) == ("installation", "created")
    assert [found["id"] for found in payload["repositories"]] == [zoe.id]
    assert payload["installation"]["permissions"]["contents"] == "write"


def test_what_happens_to_a_pull_request_is_told_by_its_action(
    sandbox: SandboxForge, shop: SandboxRepository
) -> None:
    pull = shop.open_pull_request("bob", {"src/a.py": "a = 2\n"}, draft=True)
    pull.ready_for_review("bob")
    pull.push("bob", {"src/a.py": "a = 3\n"})
    pull.review("ada", "commented", "", [Inline("src/a.py", "Why?")])
    pull.edit_inline_comment(next(iter(pull.comments)), "Why not?")
    pull.close("bob")
    pull.reopen("bob")
    pull.enqueue("ada")

    told = sent(sandbox)

    assert [(event, action) for event, action, _ in told] == [
        ("pull_request", "opened"),
        ("pull_request", "ready_for_review"),
        ("pull_request", "synchronize"),
        ("pull_request_review", "submitted"),
        ("pull_request_review_comment", "created"),
        ("pull_request_review_comment", "edited"),
        ("pull_request", "closed"),
        ("pull_request", "reopened"),
        ("pull_request", "enqueued"),
    ]
    assert told[0][2]["pull_request"]["draft"] is True
    assert told[5][2]["comment"]["body"] == "Why not?"
    assert told[6][2]["pull_request"]["merged"] is False


def test_a_suspended_installation_hears_nothing_but_that(
    sandbox: SandboxForge, shop: SandboxRepository, pull: SandboxPullRequest
) -> None:
    assert shop.installation is not None
    sandbox.suspend(shop.installation)
    pull.review("ada", "approved")
    sandbox.unsuspend(shop.installation)

    assert [(event, action) for event, action, _ in sent(sandbox)] == [
        ("installation", "suspend"),
        ("installation", "unsuspend"),
    ]


def test_guids_are_repeatable_and_unlike_each_other(tmp_path: Path) -> None:
    def guids(directory: str, seed: int) -> list[str]:
        sandbox = SandboxForge(tmp_path / directory, lambda: NOW, seed=seed)
        sandbox.create_repository("acme/shop").commit("ada", {"a": "1\n"})
        return [delivery.guid for delivery in sandbox.take_deliveries()]

    once, again, other = guids("one", 1), guids("two", 1), guids("three", 2)

    assert once == again
    assert len({*once, *other}) == len(once) + len(other) == 4


@pytest.fixture
def receiver() -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]]]]:
    got: list[tuple[dict[str, str], bytes]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((dict(self.headers), body))
            self.send_response(202)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/webhooks/github", got
    server.shutdown()
    thread.join()
    server.server_close()


def test_deliveries_are_signed_and_may_come_twice_and_in_any_order(
    sandbox: SandboxForge,
    pull: SandboxPullRequest,
    receiver: tuple[str, list[tuple[dict[str, str], bytes]]],
) -> None:
    url, got = receiver
    pull.review("ada", "approved", "Fine, é 🚀.")
    pull.merge("ada")
    deliveries = sandbox.take_deliveries()
    order = [deliveries[2], deliveries[0], deliveries[0], deliveries[1]]

    assert [deliver(sandbox, delivery, url) for delivery in order] == [202] * 4

    assert [headers["X-GitHub-Delivery"] for headers, _ in got] == [d.guid for d in order]
    for (headers, body), delivery in zip(got, order, strict=True):
        expected = hmac.new(sandbox.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
        assert headers["X-Hub-Signature-256"] == f"sha256={expected}"
        assert headers["X-GitHub-Event"] == delivery.event
        assert headers["X-GitHub-Hook-Installation-Target-Type"] == "integration"
        assert headers["X-GitHub-Hook-Installation-Target-ID"] == str(sandbox.app_id)
        assert headers["X-GitHub-Hook-ID"].isdigit()
        assert headers["Content-Type"] == "application/json"


def test_everything_queued_is_delivered_oldest_first(
    sandbox: SandboxForge,
    pull: SandboxPullRequest,
    receiver: tuple[str, list[tuple[dict[str, str], bytes]]],
) -> None:
    url, got = receiver
    pull.review("ada", "approved")
    pull.merge("ada")

    assert deliver_all(sandbox, url) == [202, 202, 202]
    assert [headers["X-GitHub-Event"] for headers, _ in got] == [
        "pull_request_review",
        "pull_request",
        "push",
    ]
