"""One authenticated line to GitHub: JSON in, JSON out, every list read to its end.

PyGithub's transport is used with its typed objects left aside: those fetch each key that GitHub
left out, one request a piece. This module turns every refusal into the errors of this room.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import jwt
import requests
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from github import Auth, Github, GithubException, GithubIntegration
from github.GithubObject import NonCompletableGithubObject
from github.PaginatedList import PaginatedList
from urllib3.util import Retry

from bot.errors import Fault, UserError
from bot.forge.errors import (
    Archived,
    Forbidden,
    Gone,
    Invalid,
    RateLimited,
    Suspended,
    Unauthorized,
)

PUBLIC = "https://api.github.com"
SECONDS = 15
PER_PAGE = 100  # the most that GitHub gives
SECONDARY_PAUSE = 60.0  # GitHub's advice where a limit names no time
CLOCK_CLAIMS = ("'exp'", "'iat'", "expiration time", "issued at")

# Reads alone: a write that was answered 5xx may have taken effect. Limits are not waited for but
# told to the caller: PyGithub's own retry would sleep through a Retry-After of any length.
RETRIES = Retry(
    total=3,
    backoff_factor=0.2,
    status_forcelist=(500, 502, 503, 504),
    allowed_methods={"GET", "HEAD"},
    respect_retry_after_header=False,
    raise_on_status=False,
)


class Connection:
    """Requests as one installation, in one thread. `pause` is in seconds between two writes."""

    def __init__(self, token: str, *, base_url: str = PUBLIC, pause: float = 1.0) -> None:
        self._github = Github(
            auth=Auth.Token(token),
            base_url=base_url,
            timeout=SECONDS,
            per_page=PER_PAGE,
            retry=RETRIES,
            seconds_between_requests=None,
            seconds_between_writes=pause,
        )

    def close(self) -> None:
        self._github.close()

    def get(self, path: str) -> Any:
        return self._call("GET", path)

    def post(self, path: str, body: Mapping[str, object]) -> Any:
        return self._call("POST", path, body)

    def patch(self, path: str, body: Mapping[str, object]) -> Any:
        return self._call("PATCH", path, body)

    def pages(self, path: str, *, item: str = "", **query: str) -> Iterator[Any]:
        """Each item of a list, page by page; `item` names the list inside a wrapping object."""
        with translated():
            rows = PaginatedList(_Row, self._github.requester, path, dict(query), list_item=item)
            for row in rows:
                yield row.raw_data

    def graphql(self, query: str, variables: Mapping[str, object]) -> Any:
        with translated():
            _, answer = self._github.requester.graphql_query(query, dict(variables))
            return answer["data"]

    def _call(self, verb: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        with translated():
            _, answer = self._github.requester.requestJsonAndCheck(verb, path, input=body)
            return answer


def app_auth(app_id: int, private_key: str) -> Auth.AppAuth:
    """Signs with the key read once: reading one checks it, which costs 60 times the signature.

    Raises ValueError for what is no PEM.
    """
    key = load_pem_private_key(private_key.encode(), password=None)

    def signed(claims: dict[str, Any]) -> str:
        return jwt.encode(claims, cast(RSAPrivateKey, key), algorithm="RS256")

    return Auth.AppAuth(app_id, sign_func=signed)


@contextmanager
def as_app(auth: Auth.AppAuth, base_url: str) -> Iterator[GithubIntegration]:
    """Requests as the App itself; a line of its own each time: PyGithub's are for one thread."""
    with (
        translated(),
        GithubIntegration(
            auth=auth,
            base_url=base_url,
            timeout=SECONDS,
            retry=RETRIES,
            seconds_between_requests=None,
            seconds_between_writes=None,
        ) as github,
    ):
        yield github


class _Row(NonCompletableGithubObject):
    """An item as GitHub sent it."""

    def _initAttributes(self) -> None:  # noqa: N802
        pass

    def _useAttributes(self, attributes: dict[str, Any]) -> None:  # noqa: N802
        pass


@contextmanager
def translated() -> Iterator[None]:
    """Whatever GitHub or the way to it answers, as a UserError or a Fault of this room."""
    try:
        yield
    except GithubException as exc:
        raise _error(exc) from exc
    except requests.RequestException as exc:
        raise Fault(f"GitHub could not be reached ({type(exc).__name__}).") from exc
    except (AssertionError, RuntimeError) as exc:  # PyGithub, of an answer from another host
        raise Fault("GitHub led away from its own address.", retry=False) from exc


def _error(exc: GithubException) -> UserError | Fault:
    headers = {name.lower(): value for name, value in (exc.headers or {}).items()}
    said = _message(exc)
    if exc.status == 401:
        return _unauthorized(said)
    if exc.status in (403, 429):
        return _refused(exc.status, said, headers)
    if exc.status in (404, 410, 451):
        return Gone(
            f"GitHub does not find it ({said.rstrip('.')}).",
            remedy="Is the App still installed there?",
        )
    if exc.status >= 500:
        return Fault(f"GitHub answered {exc.status}.", retry_after=_seconds(headers))
    if exc.status in (400, 422):
        return _invalid(exc, said)
    return Fault(f"GitHub answered {exc.status}: {said}", retry=exc.status == 409)


def _message(exc: GithubException) -> str:
    data = exc.data
    if isinstance(data, dict):
        if data.get("errors") and "message" not in data:
            return "; ".join(str(error.get("message")) for error in data["errors"])
        return str(data.get("message") or exc.status)
    return str(exc.status)


def _invalid(exc: GithubException, said: str) -> Fault:
    """400 is also how an answer of GraphQL with errors in it arrives here."""
    errors = exc.data.get("errors") if isinstance(exc.data, dict) else None
    told = [each for each in errors or () if isinstance(each, dict)]
    types = frozenset(str(each["type"]) for each in told if "type" in each)
    if "RATE_LIMITED" in types:
        return RateLimited("GitHub's rate limit is reached.", retry_after=SECONDARY_PAUSE)
    details = [str(each["message"]) for each in told if each.get("message")]
    return Invalid(exc.status, "; ".join(dict.fromkeys([said, *details])), types)


def _unauthorized(said: str) -> Unauthorized:
    if any(claim in said.lower() for claim in CLOCK_CLAIMS):
        return Unauthorized(
            f"GitHub does not accept our time: check the clock of this machine ({said})."
        )
    return Unauthorized(f"GitHub does not accept the App's credentials ({said}).")


def _refused(status: int, said: str, headers: Mapping[str, str]) -> UserError | Fault:
    lower = said.lower()
    if "suspended" in lower:
        return Suspended(
            "The installation is suspended.", remedy="Unsuspend it in GitHub's settings to go on."
        )
    if "archived" in lower:
        return Archived("The repository is archived.", remedy="Unarchive it to go on.")
    wait = _seconds(headers)
    if status == 429 or wait is not None or "rate limit" in lower:
        return RateLimited("GitHub's rate limit is reached.", retry_after=wait or SECONDARY_PAUSE)
    return Forbidden(
        f"GitHub refuses: {said.rstrip('.')}.",
        remedy="Grant the App the permission, or accept its new ones.",
    )


def _seconds(headers: Mapping[str, str]) -> float | None:
    """How long GitHub asks to wait: `retry-after`, else until the primary limit is reset."""
    if headers.get("retry-after", "").isdigit():
        return float(headers["retry-after"])
    if headers.get("x-ratelimit-remaining") == "0" and headers.get("x-ratelimit-reset"):
        return max(float(headers["x-ratelimit-reset"]) - time.time(), 1.0)
    return None
