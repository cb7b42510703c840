"""Registering the App by its manifest: what it asks for, where it is sent, what comes back.

Knows GitHub's form of the flow, not the pages that lead through it. Least permissions and events:
those of an App that is registered already are changed on its page, never by a newer manifest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, urlencode

import requests

from bot.credentials import Credentials
from bot.errors import Fault, UserError
from bot.forge.app import PERMISSIONS
from bot.forge.connection import PUBLIC, SECONDS
from bot.forge.errors import RateLimited

NAME = "Lessonkeeper"
NAME_LIMIT = 34  # characters of an App's name; the person may change it on GitHub's page
DESCRIPTION = "Keeps what reviewers and CI had to say more than once as one-line lessons in git."
# GitHub lists deliveries only where a webhook is active. Without a public address they are sent to
# a name that can never exist (RFC 2606), so that nobody receives them, and read from the list.
NOWHERE = "https://lessonkeeper.invalid"
WEBHOOK = "/webhooks/github"
LOOPBACK = ("http://127.0.0.1", "http://localhost")
# `installation` and `installation_repositories` come unasked, and may not be asked for.
EVENTS = (
    "check_run",
    "issue_comment",
    "issues",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "push",
    "repository",
    "workflow_run",
)
_ORGANIZATION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?")
_CODE = re.compile(r"[A-Za-z0-9_-]{1,100}")


def manifest(
    url: str | None, name: str = NAME, *, setup_address: str | None = None
) -> dict[str, object]:
    """The manifest of an App whose server is at `url`; None: it has no public address.

    `setup_address` is where the set-up pages are reached, if not there.
    """
    if not 0 < len(name) <= NAME_LIMIT:
        raise ValueError(f"the name of an App takes 1 to {NAME_LIMIT} characters: {name!r}")
    public = url or NOWHERE
    pages = setup_address or public
    return {
        "name": name,
        "url": public,
        "description": DESCRIPTION,
        "public": False,
        "hook_attributes": {"url": f"{public}{WEBHOOK}", "active": True},
        "redirect_url": f"{pages}/setup/callback",
        "callback_urls": _callbacks(url, setup_address),
        "default_permissions": dict(PERMISSIONS),
        "default_events": list(EVENTS),
    }


def _callbacks(url: str | None, setup_address: str | None) -> list[str]:
    """Where people who sign in may be sent back to: the public address, and the machine itself, at
    which GitHub lets the port be any.
    """
    addresses = filter(None, (url, setup_address, *LOOPBACK))
    return [f"{each}/auth/callback" for each in dict.fromkeys(addresses)]


def registration_page(web: str, state: str, organization: str = "") -> str:
    """Where the manifest is posted: for the person's own account, or for an organisation's.

    Raises UserError for what cannot be an organisation's name.
    """
    if organization and _ORGANIZATION.fullmatch(organization) is None:
        raise UserError(
            "This is not the name of an organisation.",
            remedy="Write it as it stands in its address on GitHub.",
        )
    owner = f"organizations/{organization}/" if organization else ""
    return f"{web}/{owner}settings/apps/new?{urlencode({'state': state})}"


def converted(code: str, *, base_url: str = PUBLIC) -> Credentials:
    """The new App, for the code that GitHub sent back: good once and for one hour.

    Raises UserError where GitHub does not know the code, Fault where the answer was not had.
    """
    if _CODE.fullmatch(code) is None:
        raise _expired()
    try:
        answer = requests.post(
            f"{base_url}/app-manifests/{quote(code)}/conversions",
            headers={"Accept": "application/vnd.github+json"},
            timeout=SECONDS,
            allow_redirects=False,  # a POST that is redirected becomes a GET
        )
    except requests.RequestException as error:
        raise Fault(f"GitHub could not be reached ({type(error).__name__}).") from None
    match answer.status_code:
        case 201:
            return _credentials(answer)
        case 404 | 422:
            raise _expired()
        case 403 | 429:
            raise RateLimited("GitHub's rate limit is reached.", retry_after=60.0)
        case status:
            raise Fault(f"GitHub answered {status}.")


def _credentials(answer: requests.Response) -> Credentials:
    try:
        json: Mapping[str, object] = answer.json()
        secret = json["webhook_secret"]
        return Credentials(
            app_id=int(str(json["id"])),
            private_key=str(json["pem"]),
            webhook_secrets=(str(secret),) if secret else (),
            slug=str(json["slug"]),
            client_id=str(json["client_id"]),
            client_secret=str(json["client_secret"]),
            html_url=str(json["html_url"]),
        )
    except (ValueError, KeyError, TypeError):
        # Not chained: a JSON error carries the document, and with it the secrets.
        raise Fault("GitHub answered in a form that is not known here.") from None


def _expired() -> UserError:
    return UserError(
        "GitHub does not know this code: it is good once and for one hour.",
        remedy="Begin again. If GitHub lists the App already, delete it first.",
    )
