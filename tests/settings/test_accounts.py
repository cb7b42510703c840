"""Logins of the settings mean accounts: by id where it is known, whoever bears the login today."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.facts import Account
from bot.settings.accounts import Resolved, is_meant, named, resolved
from bot.settings.file import read

ADA, RENAMED, OTHER = Account(41, "ada"), Account(41, "ada-lovelace"), Account(99, "Ada")
SETTINGS = read(
    b"""agents: [Helper]
founders: [ada]
merge_actors: ["merge[bot]"]
reviewers: [{login: Rabbit, commented: strong}]
telegram: {chat: 7, people: {1: ben}}
"""
)


def test_a_login_that_was_not_looked_up_means_whoever_bears_it() -> None:
    assert is_meant(ADA, "Ada")
    assert is_meant(OTHER, "ada")
    assert not is_meant(RENAMED, "ada")


def test_a_login_that_was_looked_up_means_the_account_it_was() -> None:
    login = Resolved("ada", 41)

    assert is_meant(ADA, login)
    assert is_meant(RENAMED, login)
    assert not is_meant(OTHER, login)


def test_every_login_with_a_right_or_a_duty_is_named() -> None:
    assert named(SETTINGS) == {"helper", "ada", "merge[bot]", "rabbit", "ben"}


def test_settings_with_accounts_are_the_settings_as_written() -> None:
    ids = {login: number for number, login in enumerate(sorted(named(SETTINGS)), 1)}
    found = resolved(SETTINGS, ids)

    assert found == SETTINGS
    assert repr(found) == repr(SETTINGS)
    logins = [*found.agents, *found.founders, *found.merge_actors]
    logins += [found.reviewers[0].login, found.telegram.people["1"]]
    assert [login.id for login in logins if isinstance(login, Resolved)] == [
        ids[each] for each in ("helper", "ada", "merge[bot]", "rabbit", "ben")
    ]


@given(st.integers(1), st.integers(1), st.sampled_from(["ada", "ADA", "eve"]))
def test_only_the_id_counts_where_it_is_known(one: int, other: int, login: str) -> None:
    assert is_meant(Account(one, login), Resolved("ada", other)) is (one == other)
