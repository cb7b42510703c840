"""A commit that GitHub makes and signs: where it lands, and what else may come of it."""

from __future__ import annotations

import pytest

from bot.forge.errors import RateLimited
from bot.forge.protocol import Forge
from bot.git.plan import Outcome, Plan
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer

MESSAGE = "chore(lessons): 1 appended\n\nAppended a lesson.\n\n\nLesson-Source: comment:7\n"


def plan(shop: SandboxRepository, head: str | None = None, **changes: bytes | None) -> Plan:
    files = changes or {"lessons.md": b"- one\n"}
    return Plan("main", head or shop.tip(), files, MESSAGE)


def test_it_is_signed_and_the_apps(forge: Forge, shop: SandboxRepository) -> None:
    before = shop.tip()
    published = forge.commit_on_branch(plan(shop))
    assert published.outcome is Outcome.LANDED
    assert published.commit == shop.tip()
    (commit,) = shop.bare.commits("-1", shop.tip())
    assert commit.parents == (before,)
    assert commit.author == "lessonkeeper[bot]"
    assert commit.message == MESSAGE.rstrip()
    assert shop.bare.is_signed(commit.sha)
    assert shop.bare.read(commit.sha, "lessons.md") == b"- one\n"


def test_files_are_deleted_and_bytes_are_kept(forge: Forge, shop: SandboxRepository) -> None:
    data = "\ufeff- Größe\r\n".encode()
    forge.commit_on_branch(Plan("main", shop.tip(), {"src/a.py": None, "b.md": data}, MESSAGE))
    assert shop.bare.paths(shop.tip()) == ["b.md"]
    assert shop.bare.read(shop.tip(), "b.md") == data


def test_of_two_writers_one_lands_and_one_is_behind(forge: Forge, shop: SandboxRepository) -> None:
    first, second = plan(shop), plan(shop, other=b"2\n")
    assert forge.commit_on_branch(first).outcome is Outcome.LANDED
    tip = shop.tip()
    assert forge.commit_on_branch(second).outcome is Outcome.BEHIND
    assert shop.tip() == tip


def test_a_rule_refuses_and_is_named(forge: Forge, shop: SandboxRepository) -> None:
    shop.protect("pull_request")
    published = forge.commit_on_branch(plan(shop))
    assert published.outcome is Outcome.REFUSED
    assert "Changes must be made through a pull request." in published.detail


def test_what_github_cannot_do_is_refused(forge: Forge, shop: SandboxRepository) -> None:
    asked = plan(shop, src=None)  # a path that is not there cannot be deleted
    assert forge.commit_on_branch(asked).outcome is Outcome.REFUSED


def test_an_archived_repository_and_a_missing_branch_are_gone(
    forge: Forge, shop: SandboxRepository
) -> None:
    head = shop.tip()
    gone = forge.commit_on_branch(Plan("old", head, {"a": b"1"}, MESSAGE))
    assert gone.outcome is Outcome.GONE
    assert forge.commit_on_branch(Plan("main", None, {"a": b"1"}, MESSAGE)).outcome is Outcome.GONE
    shop.archive()
    assert forge.commit_on_branch(plan(shop, head)).outcome is Outcome.GONE


def test_after_a_lost_answer_the_branch_is_asked(
    forge: Forge, shop: SandboxRepository, server: SandboxServer
) -> None:
    server.fail_next("POST", "/graphql", 502, after_effect=True)
    published = forge.commit_on_branch(plan(shop))
    assert published.outcome is Outcome.LANDED
    assert published.commit == shop.tip()


def test_what_did_not_take_effect_is_unknown(
    forge: Forge, shop: SandboxRepository, server: SandboxServer
) -> None:
    before = shop.tip()
    server.fail_next("POST", "/graphql", 502)
    assert forge.commit_on_branch(plan(shop)).outcome is Outcome.UNKNOWN
    assert shop.tip() == before


def test_the_same_message_on_another_head_is_not_ours(
    forge: Forge, shop: SandboxRepository, server: SandboxServer
) -> None:
    head = shop.tip()
    shop.commit("ada", {"x": "1\n"}, message="Other")
    shop.commit("ada", {"y": "1\n"}, message=MESSAGE)
    server.fail_next("POST", "/graphql", 502)
    assert forge.commit_on_branch(plan(shop, head)).outcome is Outcome.UNKNOWN


def test_a_token_that_died_is_told_from_a_refusal(
    forge: Forge, shop: SandboxRepository, server: SandboxServer
) -> None:
    forge.repository()
    server.access.revoke_all()
    assert forge.commit_on_branch(plan(shop)).outcome is Outcome.CREDENTIALS


def test_a_limit_is_waited_for_by_the_caller(
    forge: Forge, shop: SandboxRepository, server: SandboxServer
) -> None:
    server.fail_next("POST", "/graphql", 403, headers={"Retry-After": "30"})
    with pytest.raises(RateLimited):
        forge.commit_on_branch(plan(shop))
