"""People who sign in through the App: their account, and what GitHub lets them do where.

Knows GitHub's web flow (https://docs.github.com/apps, "Generating a user access token"), no page
and no session. A user's token reaches what both the user and the App may reach, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import requests

from bot.errors import Fault, UserError
from bot.facts import Account, Permission
from bot.forge import answers
from bot.forge.answers import known_form
from bot.forge.connection import PUBLIC, SECONDS, Connection
from bot.forge.errors import Forbidden, Suspended

WEB = "https://github.com"


@dataclass(frozen=True, slots=True)
class Client:
    """The App as people sign in through it. `web` and `api` have no slash at the end."""

    id: str
    secret: str = field(repr=False)
    web: str = WEB
    api: str = PUBLIC

    def page(self, redirect: str, state: str, verifier: str) -> str:
        """Where GitHub asks the person; of `verifier` it learns the SHA-256 alone (RFC 7636)."""
        digest = hashlib.sha256(verifier.encode()).digest()
        query = {
            "client_id": self.id,
            "redirect_uri": redirect,
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return f"{self.web}/login/oauth/authorize?{urlencode(query)}"

    def token(self, code: str, redirect: str, verifier: str) -> str:
        """The person's token for the code that GitHub sent back, good once and for ten minutes.

        Raises UserError where GitHub does not take the code, Fault where it gives no answer.
        """
        sent = {
            "client_id": self.id,
            "client_secret": self.secret,
            "code": code,
            "redirect_uri": redirect,
            "code_verifier": verifier,
        }
        try:
            answer = requests.post(
                f"{self.web}/login/oauth/access_token",
                data=sent,
                headers={"Accept": "application/json"},
                timeout=SECONDS,
                allow_redirects=False,  # a POST that is redirected becomes a GET
            )
            found = answer.json() if answer.status_code == 200 else {}
        except (requests.RequestException, ValueError) as error:
            raise Fault(f"GitHub could not be reached ({type(error).__name__}).") from None
        if answer.status_code != 200:
            raise Fault(f"GitHub answered {answer.status_code}.")
        token = found.get("access_token") if isinstance(found, dict) else None
        if not isinstance(token, str) or not token:
            raise UserError("GitHub does not take this code.", remedy="Sign in once more.")
        return token

    @known_form()
    def account(self, token: str) -> Account:
        """Whose token it is. Raises Unauthorized where it is over, Fault where GitHub is."""
        with closing(Connection(token, base_url=self.api)) as connection:
            return answers.account(connection.get("/user"))

    @known_form()
    def rights(self, token: str) -> Mapping[int, Permission]:
        """By repository id, of those that the person has a permission on and the App is in."""
        with closing(Connection(token, base_url=self.api)) as connection:
            found = {}
            for row in self._repositories(connection):
                permission = _permission(row["permissions"])
                if permission is not Permission.NONE:
                    found[int(row["id"])] = permission
            return found

    def _repositories(self, connection: Connection) -> Iterator[Any]:
        for each in connection.pages("/user/installations", item="installations"):
            path = f"/user/installations/{each['id']}/repositories"
            try:
                yield from connection.pages(path, item="repositories")
            except (Forbidden, Suspended):
                continue  # nothing of it is to be seen until that is lifted


def _permission(granted: Mapping[str, bool]) -> Permission:
    if granted.get("admin"):
        return Permission.ADMIN
    if granted.get("push") or granted.get("maintain"):
        return Permission.WRITE
    return Permission.READ if granted.get("pull") else Permission.NONE
