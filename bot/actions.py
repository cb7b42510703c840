"""Readers that are jobs of GitHub Actions: the token that GitHub signs for a run (OpenID Connect).

Nothing is set up for them: GitHub vouches for the repository by its numeric id. Knows no HTTP of
ours and no lesson.
"""

from __future__ import annotations

import re
import threading
import time
from typing import TypedDict, cast

import jwt
from jwt import PyJWKClient

from bot.errors import Fault
from bot.readers import Reader

ISSUER = "https://token.actions.githubusercontent.com"
AUDIENCE = "lessonkeeper"  # of a server without a public address
_ALGORITHM = "RS256"
_LEEWAY = 30.0  # seconds that two clocks may differ
_TIMEOUT = 5.0  # seconds for the issuer's keys; a request of a reader waits that long
_KEYS_KEPT = 3600.0  # seconds
_REST = 10.0  # seconds after the issuer did not answer, before it is asked again
_LONGEST_TOKEN = 8192
_CLAIMS = ("exp", "iat", "iss", "aud", "repository_id", "repository", "workflow_ref", "run_id")
_PULL = re.compile(r"refs/pull/([1-9][0-9]{0,9})/(?:merge|head)")
_ID = re.compile(r"[1-9][0-9]{0,17}")


class _Claims(TypedDict, total=False):
    repository_id: str
    repository: str
    workflow_ref: str
    ref: str


def issuer_of(github_web: str) -> str:
    """Who signs for runs of the GitHub at this address: github.com, data residency, or a server."""
    host = github_web.rstrip("/").partition("://")[2]
    if host == "github.com":
        return ISSUER
    if host.endswith(".ghe.com"):
        return f"https://token.actions.{host}"
    return f"{github_web.rstrip('/')}/_services/token"


class Actions:
    """Tokens of one issuer for one audience, shared between threads.

    `audience` is this server's address: what was made for another server is worth nothing here.
    """

    def __init__(self, audience: str = AUDIENCE, issuer: str = ISSUER) -> None:
        self._audience = audience
        self._issuer = issuer
        self._keys = PyJWKClient(
            f"{issuer}/.well-known/jwks", lifespan=_KEYS_KEPT, timeout=_TIMEOUT
        )
        self._rests_until = 0.0
        self._lock = threading.Lock()

    def reader(self, token: str) -> Reader | None:
        """The run whose token this is. Raises Fault where the issuer's keys cannot be had now."""
        if len(token) > _LONGEST_TOKEN or token.count(".") != 2:
            return None
        try:
            if jwt.get_unverified_header(token).get("alg") != _ALGORITHM:
                return None
            claims = cast(
                _Claims,
                jwt.decode(
                    token,
                    self._key(token),
                    algorithms=[_ALGORITHM],
                    audience=self._audience,
                    issuer=self._issuer,
                    leeway=_LEEWAY,
                    options={"require": list(_CLAIMS)},
                ),
            )
        except jwt.PyJWTError:
            return None
        return _reader(claims)

    def _key(self, token: str) -> jwt.PyJWK:
        """Raises PyJWTError where the issuer has no such key. A burst of unknown ones costs it one
        question: the client pauses between two, and after a failure so do we."""
        with self._lock:
            if time.monotonic() < self._rests_until:
                raise Fault("the issuer of GitHub Actions' tokens does not answer")
            try:
                return self._keys.get_signing_key_from_jwt(token)
            except (jwt.PyJWKClientConnectionError, ValueError) as error:  # or no JSON
                self._rests_until = time.monotonic() + _REST
                raise Fault("the issuer of GitHub Actions' tokens does not answer") from error


def _reader(claims: _Claims) -> Reader | None:
    repository = str(claims["repository_id"])
    if _ID.fullmatch(repository) is None:
        return None
    full_name = str(claims["repository"])
    # `owner/name/.github/workflows/review.yml@refs/…`; one reader however often it runs.
    workflow = str(claims["workflow_ref"]).partition("@")[0].rpartition("/")[2]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", workflow)[:60]
    found = _PULL.fullmatch(str(claims.get("ref", "")))
    pull = int(found[1]) if found else None
    # Who can run a job with such a token can push to the repository: no fork gets one.
    return Reader(f"actions:{name}", int(repository), full_name, pull, captures=True)
