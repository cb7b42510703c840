"""Everything that answers HTTP, as one Flask application."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from flask import Blueprint, Flask, request
from werkzeug.exceptions import HTTPException, InternalServerError

from bot.metrics import Metrics
from webhooks.app import github_blueprint
from webhooks.browsing import open_to_browsers
from webhooks.reception import Receiver
from webhooks.refusals import Answered, in_json, to_whoever_asks
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
    tell = to_whoever_asks if pages else in_json

    def broke(error: Exception) -> Answered:
        """What broke is logged; who asked is told no more than that."""
        if isinstance(error, HTTPException):
            return tell(error)
        log.error("%s %s broke", request.method, request.path, exc_info=error)
        return tell(InternalServerError("Something broke. It is in the server's log."))

    made.register_error_handler(Exception, broke)
    return made
