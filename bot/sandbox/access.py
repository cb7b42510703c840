"""Who calls the sandbox forge: the App by its JWT, or an installation by its token."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import jwt
from flask import request

from bot.sandbox import records
from bot.sandbox.forge import SandboxForge
from bot.sandbox.rest import Refusal

LONGEST_JWT = 600  # seconds, GitHub's limit
TOKEN_LIFE = timedelta(hours=1)
CLOCK_MESSAGES = {
    "exp": "'Expiration time' claim ('exp') is too far in the future",
    "past": "'Expiration time' claim ('exp') must be a numeric value representing the future time"
    " at which the assertion expires",
    "iat": "'Issued at' claim ('iat') must be an Integer representing the time that the"
    " assertion was issued",
}


@dataclass(frozen=True, slots=True)
class Token:
    installation: int
    permissions: dict[str, str]
    expires_at: datetime

    def require(self, permission: str, level: str) -> None:
        if not _covers(self.permissions.get(permission), level):
            raise Refusal(403, "Resource not accessible by integration")


class Access:
    """Tokens live by the real clock; `ahead` is how far GitHub's clock is ahead of it."""

    def __init__(self, forge: SandboxForge) -> None:
        self._forge = forge
        self._tokens: dict[str, Token] = {}
        self.ahead = timedelta()

    def mint(self, installation: int, permissions: dict[str, str]) -> tuple[str, Token]:
        """A token narrowed to `permissions`; without any it has all that were granted."""
        found = self.installation(installation)
        if found.suspended_at is not None:
            raise Refusal(403, "This installation has been suspended")
        for name, level in permissions.items():
            if not _covers(found.permissions.get(name), level):
                raise Refusal(
                    422, "The permissions requested are not granted to this installation."
                )
        token = Token(
            installation, permissions or dict(found.permissions), datetime.now(UTC) + TOKEN_LIFE
        )
        text = f"ghs_{self._forge.app_id}_{secrets.token_urlsafe(180)}"  # of no fixed length
        self._tokens[text] = token
        return text, token

    def revoke_all(self) -> None:
        self._tokens.clear()

    def may_push(self, token: str) -> bool:
        found = self._tokens.get(token)
        if found is None or found.permissions.get("contents") != "write":
            return False
        at = self._forge.installations.get(found.installation)
        return at is not None and at.suspended_at is None

    def require_app(self) -> None:
        """Refusal unless the request carries a JWT of the App that GitHub's clock accepts."""
        try:
            claims = jwt.decode(
                _credentials(),
                self._forge.public_key,
                algorithms=["RS256"],
                issuer=str(self._forge.app_id),
                options={
                    "verify_exp": False,
                    "verify_iat": False,
                    "require": ["exp", "iat", "iss"],
                },
            )
        except jwt.InvalidTokenError:
            raise Refusal(401, "A JSON web token could not be decoded") from None
        now = time.time() + self.ahead.total_seconds()
        if claims["iat"] > now:
            raise Refusal(401, CLOCK_MESSAGES["iat"])
        if claims["exp"] <= now:
            raise Refusal(401, CLOCK_MESSAGES["past"])
        if claims["exp"] > now + LONGEST_JWT:
            raise Refusal(401, CLOCK_MESSAGES["exp"])

    def token(self) -> Token:
        """The live token that the request carries."""
        found = self._tokens.get(_credentials())
        if found is None or found.expires_at <= datetime.now(UTC):
            raise Refusal(401, "Bad credentials")
        if self.installation(found.installation).suspended_at is not None:
            raise Refusal(403, "This installation has been suspended")
        return found

    def installation(self, number: int) -> records.Installation:
        try:
            return self._forge.installations[number]
        except KeyError:
            raise Refusal(404, "Not Found") from None


def _credentials() -> str:
    return request.headers.get("Authorization", "").partition(" ")[2]


def _covers(granted: str | None, wanted: str) -> bool:
    return granted == wanted or (granted == "write" and wanted == "read")
