"""What is true of a delivery before anybody decides about it: who sent it, and that it is JSON.

The same for the web server and for the receiver in front of it: neither Flask nor a database here,
a receiver has to be small.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping
from datetime import datetime

from bot.delivery import Delivery
from webhooks.events import Ignored, Malformed
from webhooks.signature import Secrets

log = logging.getLogger(__name__)

PATH = "/webhooks/github"
BODY_LIMIT = 25 * 1024 * 1024  # GitHub sends nothing larger
NOT_STORED = "The delivery could not be stored. Deliver it again."
NOT_OURS = "ignored", "not a delivery of this App's webhook"
FORM = "Form-encoded: set the content type of the webhook to application/json."
_GUID = re.compile(r"[\w.:-]{1,100}", re.ASCII)

Header = Callable[[str], str | None]
"""The value of a header, by its name in any case; several of one name are joined by commas."""


class Refused(Exception):  # noqa: N818  # an answer, not an error; never leaves a receiver
    """`status` and text of the answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def verify(
    header: Header, body: bytes, secrets: Secrets, now: datetime
) -> tuple[Delivery, dict[str, object]]:
    """The delivery and its payload. Raises Refused for what GitHub does not send."""
    guid = _needed(header, "X-GitHub-Delivery")
    if _GUID.fullmatch(guid) is None:
        raise Refused(400, "X-GitHub-Delivery is not a delivery id")
    name = _needed(header, "X-GitHub-Event")
    _check_signature(header, body, secrets, guid)
    return Delivery(guid, name, body, now, ready_at=now), _payload(header, body)


def is_for(header: Header, app_id: int | None) -> bool:
    """Whether the hook that sent this is the App's own, where the headers say so."""
    kind = header("X-GitHub-Hook-Installation-Target-Type")
    target = header("X-GitHub-Hook-Installation-Target-ID")
    if kind is not None and kind != "integration":
        return False
    return target is None or app_id is None or target == str(app_id)


def told(delivery: Delivery, found: Ignored | Malformed) -> tuple[str, str]:
    """What becomes of a delivery that is not kept, in a word, and why."""
    if isinstance(found, Ignored):
        return "ignored", found.reason
    log.warning("delivery %s is malformed: %s", delivery.guid, found.reason)
    return "malformed", f"ignored, {found.reason}"


def answer(outcome: str, reason: str | None) -> Mapping[str, str]:
    """The body of a 202."""
    return {"outcome": f"{outcome}: {reason}" if reason else outcome}


def _needed(header: Header, name: str) -> str:
    value = header(name)
    if not value:
        raise Refused(400, f"{name} is missing")
    return value


def _check_signature(header: Header, body: bytes, secrets: Secrets, guid: str) -> None:
    signature = header("X-Hub-Signature-256") or ""
    if "," in signature:
        raise Refused(400, "X-Hub-Signature-256 came more than once")
    secret = secrets.matching(body, signature)
    if secret is None:
        log.warning("delivery %s is not signed with a known secret", guid)
        raise Refused(401, "X-Hub-Signature-256 does not match the body")
    if secret > 0:
        log.info("delivery %s is signed with an older secret (number %d)", guid, secret + 1)


def _payload(header: Header, body: bytes) -> dict[str, object]:
    kind = (header("Content-Type") or "").partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        raise Refused(415, FORM)
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "The body is not JSON") from error
    if not isinstance(payload, dict):
        raise Refused(400, "The body is not a JSON object")
    return payload
