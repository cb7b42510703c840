"""`POST /notes` and `POST /confirm` over HTTP, for readers whose token may save notes.

Decides nothing. Who may not do that there learns nothing, not even whether it is there.
"""

from __future__ import annotations

from typing import Protocol

from flask import Blueprint, Response, jsonify

from bot.capture_text import to_json
from bot.errors import UserError
from bot.notes.capture import Capture, State
from bot.notes.draft import Given
from bot.notes.note import LARGEST
from webhooks.answers import RETRY_AFTER, answer_errors, body, nothing, text, token

BODY_LIMIT = 2 * LARGEST  # escapes count
_STATUS = {
    State.CAPTURED: 201,
    State.CONFIRMED: 200,
    State.PROPOSED: 202,
    State.NOT_CONFIRMED: 503,  # the same call again settles it
}


class Desk(Protocol):
    def capture(self, token: str, full_name: str | None, given: Given) -> Capture | None: ...

    def confirm(self, token: str, full_name: str | None, path: str) -> Capture | None: ...


def notes_blueprint(desk: Desk) -> Blueprint:
    """None from the desk is nothing, for whoever asks."""
    blueprint = Blueprint("notes", __name__)

    @blueprint.post("/notes")
    def capture() -> Response:
        given = body(BODY_LIMIT)
        wanted = Given(
            text(given, "text"),
            text(given, "kind"),
            text(given, "title"),
            text(given, "subject"),
            text(given, "job"),
            text(given, "class"),
            text(given, "evidence"),
        )
        return _answer(desk.capture(token(), text(given, "repository") or None, wanted))

    @blueprint.post("/confirm")
    def confirm() -> Response:
        given = body()
        named = text(given, "repository") or None
        return _answer(desk.confirm(token(), named, text(given, "path")))

    answer_errors(blueprint)
    return blueprint


def _answer(found: Capture | None) -> Response:
    if found is None:
        return nothing()
    mendable = 422 if isinstance(found.error, UserError) else 503
    status = _STATUS.get(found.state, mendable)
    said = to_json(found)
    response = jsonify({**said, "error": said["said"]} if status >= 400 else said)
    response.status_code = status
    response.headers["Cache-Control"] = "no-store"
    if response.status_code == 503:
        response.headers["Retry-After"] = str(RETRY_AFTER)
    return response
