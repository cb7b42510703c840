"""A login that was given up and taken by somebody else inherits nothing; its account keeps all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from bot.demo.stage import Stage
from bot.facts import Account
from bot.sandbox.pull_request import Inline, SandboxPullRequest
from tests.work.conftest import Shop, make_shop
from tests.work.test_founder import bullets, check_run, say

SETTINGS = """commit_every: 0
founders: [lead]
agents: [helper]
reviewers: [{login: outsider, commented: strong}]
"""
SESSION = "Close the database session of `src/db.py` in a `finally` block, on every path."
CURSOR = "Never keep the cursor of `src/cursor.py` open while another cursor is waiting."


@pytest.fixture
def shop(playing: Stage) -> Shop:
    """Its logins have accounts, and the bot has read its settings."""
    for login in ("lead", "helper", "outsider"):
        playing.forge.account(login)
    made = make_shop(playing, SETTINGS)
    made.repository.commit("ada", {"src/db.py": "a = 0\n"})
    pull(made)
    playing.settle()
    return made


@contextmanager
def taken_over(shop: Shop, login: str, new: str) -> Iterator[None]:
    """The account of that login is now called `new`, and somebody else registered the login."""
    accounts = shop.stage.forge.accounts
    old = accounts[login]
    accounts[new] = Account(old.id, new, old.kind)
    accounts[login] = Account(shop.stage.forge.next_id(), login, "User")
    try:
        yield
    finally:
        del accounts[new]
        accounts[login] = old


def pull(shop: Shop) -> SandboxPullRequest:
    number = shop.repository.next_number
    return shop.repository.open_pull_request("ben", {"src/db.py": f"a = {number}\n"})


def reviewed(shop: Shop, by: str, text: str) -> SandboxPullRequest:
    made = pull(shop)
    made.review(by, "changes_requested", "", [Inline("src/db.py", text, 1)])
    shop.stage.settle()
    return made


def test_a_listed_reviewer_is_the_account_that_was_meant(shop: Shop) -> None:
    with taken_over(shop, "outsider", "renamed"):
        reviewed(shop, "outsider", SESSION)
        assert bullets(shop) == []
        reviewed(shop, "renamed", CURSOR)
    (bullet,) = bullets(shop)
    assert "cursor" in bullet


def test_a_founder_who_was_renamed_is_still_offered_with_keep(shop: Shop) -> None:
    shop.repository.set_permission("lead", shop.repository.permissions["ada"])
    with taken_over(shop, "lead", "chief"):
        shop.repository.set_permission("chief", shop.repository.permissions["ada"])
        made = reviewed(shop, "chief", SESSION)
        assert bullets(shop) == []
        assert check_run(shop, made).title == "1 finding waits for a person"


def test_an_agent_does_not_command_under_another_name(shop: Shop) -> None:
    with taken_over(shop, "helper", "human"):
        shop.repository.set_permission("human", shop.repository.permissions["ada"])
        say(shop, pull(shop), "human", f"/lesson {SESSION}")
        assert bullets(shop) == []


def test_each_login_is_asked_for_once(shop: Shop) -> None:
    count = shop.stage.github.count("GET", "/users/outsider")
    reviewed(shop, "ada", SESSION)
    assert shop.stage.github.count("GET", "/users/outsider") == count


def test_a_login_that_is_listed_anew_means_whoever_has_it_then(shop: Shop) -> None:
    with taken_over(shop, "outsider", "renamed"):
        for text in ("commit_every: 0\n", SETTINGS):
            shop.repository.commit("ada", {".github/lessonkeeper.yml": text})
            pull(shop)
            shop.stage.settle()
        reviewed(shop, "outsider", SESSION)
        assert len(bullets(shop)) == 1


def test_a_login_that_nobody_has_yet_is_looked_up_again_after_an_hour(playing: Stage) -> None:
    shop = make_shop(playing, "commit_every: 0\nreviewers: [{login: newcomer}]\n")
    path = "/users/newcomer"
    for _ in range(2):
        pull(shop)
        playing.settle()
    assert playing.github.count("GET", path) == 1
    playing.forge.account("newcomer")
    shop.pass_time(minutes=61)
    reviewed(shop, "newcomer", SESSION)
    assert playing.github.count("GET", path) == 2
    assert len(bullets(shop)) == 1
    with taken_over(shop, "newcomer", "gone"):
        shop.stage.clock.move(timedelta(minutes=1))
        reviewed(shop, "newcomer", CURSOR)
    assert len(bullets(shop)) == 1
