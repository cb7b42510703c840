"""The App's own list of its webhook deliveries: what GitHub sent, and what came of it.

Lets an App learn what it missed, or hear without any public address. Fetched with the App's JWT,
a payload is as authentic as a signed delivery.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from github import Auth
from requests.utils import parse_header_links

from bot.forge import answers
from bot.forge.answers import known_form
from bot.forge.connection import PER_PAGE, PUBLIC, as_app

LISTED_FOR = timedelta(days=3)  # GitHub Enterprise Server: 7 days
_PATH = "/app/hook/deliveries"


@dataclass(frozen=True, slots=True)
class Sent:
    """One attempt. `id` is its own; the GUID is the delivery's, also when it was made again."""

    id: int
    guid: str
    at: datetime
    event: str
    action: str | None
    status: str

    @property
    def arrived(self) -> bool:
        # GitHub's filter `status=failure` leaves out those that no HTTP answer came for.
        return self.status == "OK"


@dataclass(frozen=True, slots=True)
class Page:
    """`older` is the cursor of the next page; None: this is the last."""

    sent: tuple[Sent, ...]
    older: str | None


class Deliveries:
    """Questions of one App. `private_key` is PEM. Methods raise the errors of this room."""

    def __init__(self, app_id: int, private_key: str, *, base_url: str = PUBLIC) -> None:
        self._auth = Auth.AppAuth(app_id, private_key)
        self._base_url = base_url

    @known_form()
    def page(self, cursor: str | None = None) -> Page:
        """At most 100 attempts, newest first, from `cursor` on."""
        query = {"per_page": str(PER_PAGE), **({"cursor": cursor} if cursor else {})}
        headers, rows = self._get(f"{_PATH}?{urlencode(query)}")
        return Page(tuple(map(_sent, rows)), _older(headers.get("link", "")))

    @known_form()
    def payload(self, sent: Sent) -> dict[str, object]:
        """What was sent. Raises Gone where GitHub lists it no longer."""
        _, answer = self._get(f"{_PATH}/{sent.id}")
        payload = answer["request"]["payload"]
        if not isinstance(payload, dict):
            raise TypeError("payload")
        return payload

    def _get(self, path: str) -> Any:
        with as_app(self._auth, self._base_url) as github:
            return github.requester.requestJsonAndCheck("GET", path)


def _sent(row: dict[str, Any]) -> Sent:
    return Sent(
        row["id"],
        row["guid"],
        answers.time(row["delivered_at"]),
        row["event"],
        row["action"],
        row["status"],
    )


def _older(links: str) -> str | None:
    for link in parse_header_links(links) if links else ():
        if link.get("rel") == "next":
            return parse_qs(urlsplit(link["url"]).query)["cursor"][0]
    return None
