"""`POST /webhooks/github`: verify, store durably, answer. Nothing is decided, nothing worked on.

Every answer is one JSON object; what broke is logged with the delivery's id and never shown.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from bot.errors import Fault
from bot.inbox import Delivery
from bot.metrics import Metrics
from webhooks.github import EVENTS
from webhooks.reception import Receiver, take
from webhooks.signature import Secrets

log = logging.getLogger(__name__)

BODY_LIMIT = 25 * 1024 * 1024  # GitHub sends nothing larger
_GUID = re.compile(r"[\w.:-]{1,100}", re.ASCII)


class _Refused(Exception):  # noqa: N818  # an answer, not an error; never leaves this module
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def github_blueprint(
    receiver: Receiver,
    secrets: Secrets,
    metrics: Metrics,
    app_id: int | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Blueprint:
    """The receiver of GitHub's deliveries. With `app_id`, those for other hooks are not stored."""
    blueprint = Blueprint("github", __name__)
    path = "/webhooks/github"

    @blueprint.post(path, provide_automatic_options=False)
    def deliver() -> tuple[Response, int]:
        request.max_content_length = BODY_LIMIT
        guid = _header("X-GitHub-Delivery")
        if _GUID.fullmatch(guid) is None:
            raise _Refused(400, "X-GitHub-Delivery is not a delivery id")
        name = _header("X-GitHub-Event")
        body = _verified_body(secrets, guid)
        payload = _payload(body)
        received_at = now()
        delivery = Delivery(guid, name, body, received_at, ready_at=received_at)
        if _is_for(app_id):
            outcome, reason = take(receiver, delivery, payload)
        else:
            outcome, reason = "ignored", "not a delivery of this App's webhook"
        metrics.deliveries.labels(name if name in EVENTS else "other", outcome).inc()
        return jsonify(outcome=f"{outcome}: {reason}" if reason else outcome), 202

    @blueprint.route(
        path,
        methods=["GET", "PUT", "PATCH", "DELETE", "OPTIONS"],
        provide_automatic_options=False,
    )
    def other_method() -> tuple[Response, int, dict[str, str]]:
        return jsonify(error="Only POST is answered here."), 405, {"Allow": "POST"}

    @blueprint.errorhandler(_Refused)
    def refused(answer: _Refused) -> tuple[Response, int]:
        metrics.deliveries.labels("unverified", "refused").inc()
        return jsonify(error=str(answer)), answer.status

    @blueprint.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> tuple[Response, int]:
        metrics.deliveries.labels("unverified", "refused").inc()
        return jsonify(error=error.name), error.code or 500

    @blueprint.errorhandler(Fault)
    def not_stored(fault: Fault) -> tuple[Response, int]:
        log.error("delivery %s was not stored: %s", request.headers.get("X-GitHub-Delivery"), fault)
        metrics.deliveries.labels("other", "not stored").inc()
        return jsonify(error="The delivery could not be stored. Deliver it again."), 503

    @blueprint.errorhandler(Exception)
    def broke(error: Exception) -> tuple[Response, int]:
        log.error("delivery %s broke", request.headers.get("X-GitHub-Delivery"), exc_info=error)
        metrics.deliveries.labels("other", "broke").inc()
        return jsonify(error="The delivery could not be taken. Deliver it again."), 500

    return blueprint


def _header(name: str) -> str:
    value = request.headers.get(name, "")
    if not value:
        raise _Refused(400, f"{name} is missing")
    return value


def _verified_body(secrets: Secrets, guid: str) -> bytes:
    signature = request.headers.get("X-Hub-Signature-256", "")
    if "," in signature:  # how WSGI joins a header that came twice
        raise _Refused(400, "X-Hub-Signature-256 came more than once")
    body = request.get_data(cache=False)
    secret = secrets.matching(body, signature)
    if secret is None:
        log.warning("delivery %s is not signed with a known secret", guid)
        raise _Refused(401, "X-Hub-Signature-256 does not match the body")
    if secret > 0:
        log.info("delivery %s is signed with an older secret (number %d)", guid, secret + 1)
    return body


def _payload(body: bytes) -> dict[str, object]:
    if request.mimetype == "application/x-www-form-urlencoded":
        raise _Refused(
            415, "Form-encoded: set the content type of the webhook to application/json."
        )
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _Refused(400, "The body is not JSON") from error
    if not isinstance(payload, dict):
        raise _Refused(400, "The body is not a JSON object")
    return payload


def _is_for(app_id: int | None) -> bool:
    """Whether the hook that sent this is the App's own, where the headers say so."""
    kind = request.headers.get("X-GitHub-Hook-Installation-Target-Type")
    target = request.headers.get("X-GitHub-Hook-Installation-Target-ID")
    if kind is not None and kind != "integration":
        return False
    return target is None or app_id is None or target == str(app_id)
