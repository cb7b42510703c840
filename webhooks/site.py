"""Everything that answers HTTP, as one Flask application."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from flask import Blueprint, Flask, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from bot.metrics import Metrics
from webhooks.app import github_blueprint
from webhooks.browsing import open_to_browsers
from webhooks.reception import Receiver
from webhooks.signature import Secrets

log = logging.getLogger(__name__)


def site(
    receiver: Receiver,
    secrets: Secrets,
    metrics: Metrics,
    app_id: int | None,
    now: Callable[[], datetime],
    more: Sequence[Blueprint] = (),
    pages: Sequence[Blueprint] = (),
    cookie_keys: Sequence[bytes] = (),
) -> Flask:
    """The application of one server: the receiver, `more` for machines, `pages` for browsers."""
    made = Flask("lessonkeeper", static_folder=None)
    machines = [github_blueprint(receiver, secrets, metrics, app_id, now), *more]
    for blueprint in machines:
        made.register_blueprint(blueprint)
    if pages:
        open_to_browsers(made, pages, machines, cookie_keys)
    made.register_error_handler(Exception, _broke)
    return made


def _broke(error: Exception) -> HTTPException | tuple[Response, int]:
    """What broke is logged; who asked is told no more than that."""
    if isinstance(error, HTTPException):
        return error
    log.error("%s %s broke", request.method, request.path, exc_info=error)
    return jsonify(error="Something broke. It is in the server's log."), 500
