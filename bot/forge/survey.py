"""What `doctor` looks at on GitHub: the App as registered, where it is installed, and what
guards the branches there.

Reads alone, with tokens that can do no more. Says what is there, not whether that is right.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote, urlencode

import requests

from bot.errors import Fault
from bot.facts import Repository
from bot.forge import answers
from bot.forge.answers import known_form
from bot.forge.connection import PER_PAGE, PUBLIC, SECONDS, Connection, app_auth, as_app
from bot.forge.errors import Gone

READING = {"metadata": "read", "contents": "read"}
Permissions = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Registered:
    """The App as its owner configured it; installations may have granted less."""

    id: int
    slug: str
    html_url: str
    permissions: Permissions
    events: frozenset[str]


@dataclass(frozen=True, slots=True)
class Grant:
    """One installation and what its owner allows the App there."""

    id: int
    account: str
    permissions: Permissions
    suspended: bool
    html_url: str


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where deliveries go; `verifies` says whether GitHub checks the server's certificate."""

    url: str
    content_type: str
    verifies: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a ruleset that is active on a branch. Who may bypass it GitHub does not say."""

    type: str
    ruleset: int
    source: str
    of_organization: bool


@dataclass(frozen=True, slots=True)
class Guard:
    """What guards a branch; `protected` without a rule is a classic protection, not to be read."""

    rules: tuple[Rule, ...]
    protected: bool


def clock_skew(base_url: str = PUBLIC) -> timedelta:
    """How far the clock of this machine is ahead of GitHub's, to a second. Raises Fault."""
    before = datetime.now(UTC)
    try:
        answer = requests.head(f"{base_url}/", timeout=SECONDS)
        theirs = parsedate_to_datetime(answer.headers["Date"])
    except requests.RequestException as error:
        raise Fault(f"GitHub could not be reached ({type(error).__name__}).") from None
    except (KeyError, ValueError):
        raise Fault("GitHub answered without its time.") from None
    ours = before + (datetime.now(UTC) - before) / 2
    return ours - theirs - timedelta(seconds=0.5)  # the header leaves out the fraction


class Survey:
    """Questions of the App itself. `private_key` is PEM. Methods raise the errors of this room."""

    def __init__(self, app_id: int, private_key: str, *, base_url: str = PUBLIC) -> None:
        self._auth = app_auth(app_id, private_key)
        self._base_url = base_url

    @known_form()
    def registered(self) -> Registered:
        json = self._get("/app")
        events = frozenset(json["events"])
        return Registered(json["id"], json["slug"], json["html_url"], json["permissions"], events)

    @known_form()
    def grants(self) -> tuple[Grant, ...]:
        return tuple(map(_grant, self._pages("/app/installations")))

    @known_form()
    def webhook(self) -> Webhook:
        json = self._get("/app/hook/config")
        return Webhook(
            url=json.get("url") or "",
            content_type=json.get("content_type", "form"),
            verifies=str(json.get("insecure_ssl", "0")) == "0",
        )

    @contextmanager
    def inside(self, installation: int) -> Iterator[Inside]:
        """The repositories of an installation, with a token that reads alone."""
        with as_app(self._auth, self._base_url) as github:
            token = github.get_access_token(installation, permissions=READING).token
        connection = Connection(token, base_url=self._base_url)
        try:
            yield Inside(connection)
        finally:
            connection.close()

    def _pages(self, path: str) -> Iterator[Any]:
        number = 1
        while True:
            rows = self._get(f"{path}?{urlencode({'per_page': PER_PAGE, 'page': number})}")
            yield from rows
            if len(rows) < PER_PAGE:
                return
            number += 1

    def _get(self, path: str) -> Any:
        with as_app(self._auth, self._base_url) as github:
            _, answer = github.requester.requestJsonAndCheck("GET", path)
            return answer


class Inside:
    """Questions of one installation."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def repositories(self) -> Iterator[Repository]:
        with known_form():
            rows = self._connection.pages("/installation/repositories", item="repositories")
            yield from map(answers.repository, rows)

    @known_form()
    def guard(self, repository: Repository) -> Guard:
        """What guards the default branch; nothing where the repository is empty."""
        path = f"/repos/{quote(repository.full_name)}"
        branch = quote(repository.default_branch, safe="")
        rules = tuple(map(_rule, self._connection.pages(f"{path}/rules/branches/{branch}")))
        try:
            protected = self._connection.get(f"{path}/branches/{branch}")["protected"]
        except Gone:
            protected = False
        return Guard(rules, bool(protected))

    @known_form()
    def file(self, repository: Repository, path: str) -> bytes | None:
        """A file of the default branch; None where it has none."""
        try:
            json = self._connection.get(
                f"/repos/{quote(repository.full_name)}/contents/{quote(path)}"
            )
        except Gone:
            return None
        return base64.b64decode(json["content"])


def _grant(json: dict[str, Any]) -> Grant:
    account = json["account"] or {}
    return Grant(
        id=json["id"],
        account=account.get("login") or account.get("slug") or "unknown",
        permissions=json["permissions"],
        suspended=json["suspended_at"] is not None,
        html_url=json["html_url"],
    )


def _rule(json: dict[str, Any]) -> Rule:
    return Rule(
        type=json["type"],
        ruleset=json["ruleset_id"],
        source=json["ruleset_source"],
        of_organization=json["ruleset_source_type"] == "Organization",
    )
