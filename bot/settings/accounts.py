"""The accounts that settings name, by the numeric id that each login had when it was read (SPEC 2).

A login may be given up and taken by somebody else; rights stay with the account that was meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.facts import Account
from bot.settings.model import Settings


class Resolved(str):
    """A login of the settings that is known to mean the account `id`; prints as it was written."""

    id: int

    def __new__(cls, login: str, number: int) -> Resolved:
        made = super().__new__(cls, login)
        made.id = number
        return made


def is_meant(account: Account, login: str) -> bool:
    """Whether settings that name this login mean the account: by its id, where that is known."""
    if isinstance(login, Resolved):
        return account.id == login.id
    return account.login.lower() == login.lower()


def named(settings: Settings) -> frozenset[str]:
    """Every login that the settings give rights or duties, in lower case."""
    lists = (settings.agents, settings.founders, settings.merge_actors)
    logins = [login for each in lists for login in each]
    logins += [reviewer.login for reviewer in settings.reviewers]
    return frozenset(login.lower() for login in (*logins, *settings.telegram.people.values()))


def resolved(settings: Settings, ids: Mapping[str, int]) -> Settings:
    """The settings with what their logins mean; `ids` by login in lower case."""

    def meant(login: str) -> str:
        number = ids.get(login.lower())
        return login if number is None else Resolved(login, number)

    people = {user: meant(login) for user, login in settings.telegram.people.items()}
    return replace(
        settings,
        agents=tuple(meant(each) for each in settings.agents),
        founders=tuple(meant(each) for each in settings.founders),
        merge_actors=tuple(meant(each) for each in settings.merge_actors),
        reviewers=tuple(replace(each, login=meant(each.login)) for each in settings.reviewers),
        telegram=replace(settings.telegram, people=people),
    )
