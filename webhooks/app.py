"""`POST /webhooks/github` in the web server: verify, store durably, answer. Nothing is decided,
nothing worked on.

Every answer is one JSON object; what broke is logged with the delivery's id and never shown.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from bot.errors import Fault
from bot.metrics import Metrics
from webhooks.deliveries import (
    BODY_LIMIT,
    NOT_OURS,
    NOT_STORED,
    PATH,
    Refused,
    answer,
    is_for,
    verify,
)
from webhooks.github import EVENTS
from webhooks.reception import Receiver, take
from webhooks.signature import Secrets

log = logging.getLogger(__name__)


def github_blueprint(
    receiver: Receiver,
    secrets: Secrets,
    metrics: Metrics,
    app_id: int | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Blueprint:
    """The receiver of GitHub's deliveries. With `app_id`, those for other hooks are not stored."""
    blueprint = Blueprint("github", __name__)

    @blueprint.post(PATH, provide_automatic_options=False)
    def deliver() -> tuple[Response, int]:
        request.max_content_length = BODY_LIMIT
        header = request.headers.get
        delivery, payload = verify(header, request.get_data(cache=False), secrets, now())
        if is_for(header, app_id):
            outcome, reason = take(receiver, delivery, payload)
        else:
            outcome, reason = NOT_OURS
        name = delivery.event if delivery.event in EVENTS else "other"
        metrics.deliveries.labels(name, outcome).inc()
        return jsonify(answer(outcome, reason)), 202

    @blueprint.route(
        PATH,
        methods=["GET", "PUT", "PATCH", "DELETE", "OPTIONS"],
        provide_automatic_options=False,
    )
    def other_method() -> tuple[Response, int, dict[str, str]]:
        return jsonify(error="Only POST is answered here."), 405, {"Allow": "POST"}

    @blueprint.errorhandler(Refused)
    def refused(answer: Refused) -> tuple[Response, int]:
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
        return jsonify(error=NOT_STORED), 503

    @blueprint.errorhandler(Exception)
    def broke(error: Exception) -> tuple[Response, int]:
        log.error("delivery %s broke", request.headers.get("X-GitHub-Delivery"), exc_info=error)
        metrics.deliveries.labels("other", "broke").inc()
        return jsonify(error="The delivery could not be taken. Deliver it again."), 500

    return blueprint
