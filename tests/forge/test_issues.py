"""Issues of our own: found by marker and author, changed where they differ, never a person's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.facts import JobState
from bot.forge.errors import Gone
from bot.forge.protocol import Forge
from bot.sandbox.forge import SandboxForge
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer


def test_an_issue_is_opened_and_found_again_by_its_key(
    forge: Forge, shop: SandboxRepository, sandbox: SandboxForge
) -> None:
    shop.open_pull_request("bob", {"src/a.py": "a = 2\n"})
    opened = forge.open_issue("Two notes end", "- One.\n- Two.", key="expiring")
    forge.open_issue("Week 45", "Nothing.", key="digest")

    assert forge.find_issue("expiring", sandbox.app_account) == opened
    assert (opened.number, opened.body, opened.open) == (2, "- One.\n- Two.", True)
    assert shop.issues[2].body == "- One.\n- Two.\n\n<!-- lessonkeeper: expiring -->"
    assert forge.find_issue("exp", sandbox.app_account) is None


def test_the_newest_of_ours_is_found_whatever_people_open(
    forge: Forge, shop: SandboxRepository, sandbox: SandboxForge
) -> None:
    first = forge.open_issue("Notes end", "One.", key="expiring")
    quoted = shop.issues[first.number].body
    assert forge.find_issue("expiring", sandbox.app_account) == first
    second = forge.open_issue("Notes end", "Two.", key="expiring")
    shop.open_issue("ada", "Notes end", quoted)
    forge.open_issue("About markers", f"{quoted}\n\nwas there.", key="digest")

    assert forge.find_issue("expiring", sandbox.app_account) == second


def test_an_edit_asks_for_what_differs_alone(
    forge: Forge, shop: SandboxRepository, sandbox: SandboxForge, server: SandboxServer
) -> None:
    opened = forge.open_issue("Notes end", "One.", key="expiring")
    path = f"/repos/acme/shop/issues/{opened.number}"

    forge.edit_issue(opened, opened)
    assert server.count("PATCH", path) == 0

    wanted = replace(opened, title="No note ends", body="None.", open=False)
    forge.edit_issue(opened, wanted)
    assert server.count("PATCH", path) == 1
    assert forge.find_issue("expiring", sandbox.app_account) == wanted
    assert shop.issues[opened.number].closed_at is not None

    forge.edit_issue(wanted, opened)
    assert forge.find_issue("expiring", sandbox.app_account) == opened
    assert shop.issues[opened.number].closed_at is None


def test_what_people_do_to_an_issue_of_ours_is_seen(
    forge: Forge, shop: SandboxRepository, sandbox: SandboxForge
) -> None:
    opened = forge.open_issue("Which notes go?", "- [ ] `billing.md`", key="subject:billing")
    ticked = shop.issues[opened.number].body.replace("[ ]", "[x]").replace("\n", "\r\n")
    shop.edit_issue(opened.number, "ada", body=ticked)
    shop.close_issue(opened.number, "ada")

    found = forge.find_issue("subject:billing", sandbox.app_account)
    assert found == replace(opened, body="- [x] `billing.md`", open=False)


def test_an_issue_of_ours_is_read_by_its_number_and_nobody_elses(
    forge: Forge, shop: SandboxRepository, sandbox: SandboxForge
) -> None:
    opened = forge.open_issue("Which notes go?", "- [ ] `billing.md`", key="subject:billing")
    copied = shop.open_issue("ada", "Mine", shop.issues[opened.number].body)
    plain = shop.open_issue("ada", "Hello")
    us = sandbox.app_account

    assert forge.own_issue(opened.number, us) == opened
    assert [forge.own_issue(n, us) for n in (copied.number, plain.number, 99)] == [None] * 3


def test_issues_and_pull_requests_are_open_or_were_closed_at_a_time(
    forge: Forge, shop: SandboxRepository
) -> None:
    issue = shop.open_issue("ada", "The queue loses jobs").number
    pull = shop.open_pull_request("bob", {"src/a.py": "a = 2\n"})
    assert forge.job_state(issue) == JobState(issue)
    assert forge.job_state(pull.number) == JobState(pull.number)

    shop.close_issue(issue, "ada")
    pull.merge("ada")
    closed_at = shop.issues[issue].closed_at
    assert closed_at is not None
    assert forge.job_state(issue) == JobState(issue, closed_at.replace(microsecond=0))
    merged = forge.job_state(pull.number)
    assert merged is not None
    assert merged.closed_at is not None

    shop.reopen_issue(issue, "ada")
    assert forge.job_state(issue) == JobState(issue)
    assert forge.job_state(99) is None


def test_a_comment_stands_on_an_issue_as_on_a_pull_request(
    forge: Forge, shop: SandboxRepository
) -> None:
    opened = forge.open_issue("Notes end", "One.", key="expiring")
    said = forge.comment(opened.number, "One more.", key="expiring:2026-11-02")

    assert forge.comment(opened.number, "Two more.", key="expiring:2026-11-02") == said
    assert shop.comments[said].body.startswith("Two more.")
    assert len(shop.comments) == 1


def test_a_repository_without_issues_is_a_matter_for_a_person(
    forge: Forge, server: SandboxServer
) -> None:
    turned_off = "Issues has been disabled in this repository."
    server.fail_next("POST", "/repos/acme/shop/issues", 410, message=turned_off)

    with pytest.raises(Gone, match="disabled"):
        forge.open_issue("Notes end", "One.", key="expiring")


def test_an_account_is_found_by_its_number_under_its_present_login(
    forge: Forge, sandbox: SandboxForge
) -> None:
    ada = sandbox.account("ada")

    assert forge.account_of(ada.id) == ada
    assert forge.account_of(1) is None
