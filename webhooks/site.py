"""Everything that answers HTTP, as one Flask application."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from flask import Flask

from bot.metrics import Metrics
from webhooks.app import github_blueprint
from webhooks.reception import Receiver
from webhooks.signature import Secrets


def site(
    receiver: Receiver,
    secrets: Secrets,
    metrics: Metrics,
    app_id: int | None,
    now: Callable[[], datetime],
) -> Flask:
    """The application of one server."""
    made = Flask("lessonkeeper", static_folder=None)
    made.register_blueprint(github_blueprint(receiver, secrets, metrics, app_id, now))
    return made
