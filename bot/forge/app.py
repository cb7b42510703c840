"""The GitHub App itself: who it is, where it is installed, a short-lived token for each place."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from bot.facts import Account, Repository
from bot.forge import answers
from bot.forge.answers import known_form
from bot.forge.connection import PUBLIC, Connection, app_auth, as_app
from bot.forge.errors import Suspended, Unauthorized
from bot.forge.github import GitHubForge
from bot.forge.protocol import Forge
from bot.recent import Lately

# The least that the work needs; a token carries no more even where an installation grants more.
PERMISSIONS = {
    "metadata": "read",
    "contents": "write",
    "pull_requests": "write",
    "checks": "write",
    "issues": "write",
    "actions": "read",
}
MARGIN = timedelta(
    minutes=10
)  # a token that ends sooner is not begun with: a job may take that long


@dataclass(frozen=True, slots=True)
class Installation:
    id: int
    account: Account
    suspended: bool = False


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    expires_at: datetime


class App:
    """One registered App, to be shared between threads. Methods raise the errors of this room.

    `private_key` is PEM. PyGithub dates each JWT one minute back and lets it live five minutes, so
    a clock that is 45 s off either way is still accepted. `pause` is in seconds between two writes.
    """

    def __init__(
        self, app_id: int, private_key: str, *, base_url: str = PUBLIC, pause: float = 1.0
    ) -> None:
        self.id = app_id
        self._auth = app_auth(app_id, private_key)
        self._base_url = base_url
        self._pause = pause
        self._tokens: dict[int, _Token] = {}
        self._lock = threading.Lock()

    @known_form()
    def slug(self) -> str:
        return str(self._get("/app")["slug"])

    @known_form()
    def installations(self) -> tuple[Installation, ...]:
        with as_app(self._auth, self._base_url) as github:
            return tuple(_installation(found.raw_data) for found in github.get_installations())

    @known_form()
    def installation(self, installation: int) -> Installation:
        return _installation(self._get(f"/app/installations/{installation}"))

    @known_form()
    def repository_installation(self, name: str) -> Installation:
        """Where "owner/name" is installed. Gone where the App is not."""
        return _installation(self._get(f"/repos/{quote(name)}/installation"))

    @known_form()
    def repositories(self, installation: int) -> tuple[Repository, ...]:
        with self._connection(installation) as connection:
            rows = connection.pages("/installation/repositories", item="repositories")
            return tuple(answers.repository(row) for row in rows)

    @known_form()
    def bot(self, installation: int) -> Account:
        """Our own account, which its pushes and comments carry; its id is not the App's."""
        login = f"{self.slug()}[bot]"
        with self._connection(installation) as connection:
            return answers.account(connection.get(f"/users/{quote(login, safe='')}"))

    def installation_token(self, installation: int, *, fresh: bool = False) -> str:
        """For git (user `x-access-token`) and the API; of any length, never to be logged.

        `fresh` mints a new one although the cached one should do.
        """
        with self._lock:
            token = self._tokens.get(installation)
        if fresh or token is None or token.expires_at - MARGIN < datetime.now(UTC):
            token = self._mint(installation)
            with self._lock:
                self._tokens[installation] = token
        return token.text

    @contextmanager
    def forge(self, installation: int, name: str, lately: Lately | None = None) -> Iterator[Forge]:
        """The repository "owner/name" for the length of one job.

        `lately`: what the job may go by of what was asked in this installation. A token that is
        refused meanwhile is minted anew for the next.
        """
        with self._connection(installation) as connection:
            here = lately.within(installation) if lately is not None else None
            yield GitHubForge(connection, name, app_id=self.id, lately=here)

    @contextmanager
    def _connection(self, installation: int) -> Iterator[Connection]:
        connection = Connection(
            self.installation_token(installation), base_url=self._base_url, pause=self._pause
        )
        try:
            yield connection
        except (Unauthorized, Suspended):
            with self._lock:
                self._tokens.pop(installation, None)
            raise
        finally:
            connection.close()

    @known_form()
    def _mint(self, installation: int) -> _Token:
        # GitHub refuses the whole token for one permission that was not granted; without it the
        # rest of the work goes on.
        granted = self._get(f"/app/installations/{installation}")["permissions"]
        wanted = {
            name: "read" if granted[name] == "read" else level
            for name, level in PERMISSIONS.items()
            if name in granted
        }
        with as_app(self._auth, self._base_url) as github:
            found = github.get_access_token(installation, permissions=wanted)
            return _Token(found.token, found.expires_at)

    def _get(self, path: str) -> Any:
        with as_app(self._auth, self._base_url) as github:
            _, answer = github.requester.requestJsonAndCheck("GET", path)
            return answer


def _installation(json: dict[str, Any]) -> Installation:
    return Installation(
        id=json["id"],
        account=answers.account(json["account"]),
        suspended=json["suspended_at"] is not None,
    )
