"""The list of past pull requests: who opened and who reviewed them, the latest updated first."""

from __future__ import annotations

import pytest

from bot.facts import PastReview
from bot.forge.protocol import Forge
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer
from tests.forge.conftest import Clock


def test_the_latest_updated_comes_first(
    shop: SandboxRepository, forge: Forge, clock: Clock
) -> None:
    first = shop.open_pull_request("bob", {"src/a.py": "a = 2\n"})
    clock.pass_minutes(1)
    shop.open_pull_request("bob", {"src/a.py": "a = 3\n"})
    clock.pass_minutes(1)
    at = clock.pass_minutes(1)
    first.review("ada", "approved")
    found = list(forge.past_pull_requests())
    assert [pull.number for pull in found] == [1, 2]
    assert found[0].updated_at == at
    assert found[0].reviews == (PastReview("ada", False, at),)


def test_apps_are_known_by_the_login_that_settings_name_them_by(
    shop: SandboxRepository, forge: Forge
) -> None:
    pull = shop.open_pull_request("agent[bot]", {"src/a.py": "a = 2\n"})
    pull.review("rabbit[bot]", "commented", "Close the file.")
    (found,) = forge.past_pull_requests()
    assert (found.author, found.is_bot) == ("agent[bot]", True)
    assert [(r.login, r.is_bot) for r in found.reviews] == [("rabbit[bot]", True)]


def test_a_fork_is_told_from_a_branch_of_the_repository(
    shop: SandboxRepository, forge: Forge
) -> None:
    shop.open_pull_request("bob", {"src/a.py": "a = 2\n"})
    shop.open_pull_request("bob", {"src/a.py": "a = 3\n"}, fork=True)
    assert {p.number: p.from_here for p in forge.past_pull_requests()} == {1: True, 2: False}


def test_those_that_were_merged_can_be_asked_for_alone(
    shop: SandboxRepository, forge: Forge
) -> None:
    shop.open_pull_request("bob", {"src/a.py": "a = 2\n"}).merge("ada")
    shop.open_pull_request("bob", {"src/a.py": "a = 3\n"}).close("bob")
    assert [p.number for p in forge.past_pull_requests(merged=True)] == [1]


@pytest.mark.parametrize("limit", [1, 2])
def test_every_page_is_read_but_none_that_nobody_takes(
    shop: SandboxRepository, forge: Forge, server: SandboxServer, limit: int
) -> None:
    for number in range(3):
        shop.open_pull_request("bob", {"src/a.py": f"a = {number}\n"})
    server.limit_pages(limit)
    next(iter(forge.past_pull_requests()))
    assert server.count("POST", "/graphql") == 1
    assert len(list(forge.past_pull_requests())) == 3
