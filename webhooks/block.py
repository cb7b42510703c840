"""`GET /repos/{owner}/{repo}/block` and what its readers send back, over HTTP.

Who may not read a repository learns nothing, not even whether it is there: every such answer is
the same 404. Decides nothing; a token is passed on and never logged.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Protocol

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from bot.errors import CallError, Fault, UserError
from bot.readers import Asked

log = logging.getLogger(__name__)

BODY_LIMIT = 16 * 1024
MOST_ITEMS = 200
MOST_CHARACTERS = 100_000
MOST_PATHS = 200
LAST_NUMBER = 2**31 - 1
RETRY_AFTER = 10  # seconds
NOTHING = "Nothing is here for you."


class Blocks(Protocol):
    def block(
        self, token: str, full_name: str, asked: Asked, pull: int | None, *, as_json: bool
    ) -> str | None: ...


class Desk(Protocol):
    def propose(
        self, token: str, full_name: str, sentence: str, why: str, pull: int | None
    ) -> Mapping[str, str] | None: ...

    def report(
        self, token: str, full_name: str, lesson: str, note: str, *, heeded: bool
    ) -> Mapping[str, str] | None: ...


def block_blueprint(blocks: Blocks, desk: Desk) -> Blueprint:
    """What either room answers with None is nothing, for whoever asks."""
    blueprint = Blueprint("block", __name__, url_prefix="/repos/<owner>/<repo>")

    @blueprint.get("/block")
    def block(owner: str, repo: str) -> Response:
        as_json = _choice("format", ("md", "json")) == "json"
        asked = Asked(
            _number("items", MOST_ITEMS),
            _number("chars", MOST_CHARACTERS),
            tuple(request.args.getlist("paths")[:MOST_PATHS]),
            _choice("session", ("0", "1")) == "1",
        )
        pull = _number("pull_request", LAST_NUMBER) or None
        body = blocks.block(_token(), f"{owner}/{repo}", asked, pull, as_json=as_json)
        if body is None:
            return _nothing()
        kind = "application/json" if as_json else "text/markdown; charset=utf-8"
        response = Response(body, content_type=kind)
        # A reader's own cache may keep it, and asks each time whether it still holds.
        response.headers["Cache-Control"] = "private, no-cache"
        response.headers["Vary"] = "Authorization"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.add_etag()  # the body depends on commit, parameters and day alone
        response.make_conditional(request.environ)
        return response

    @blueprint.post("/proposals")
    def propose(owner: str, repo: str) -> Response:
        body = _body()
        answer = desk.propose(
            _token(),
            f"{owner}/{repo}",
            _text(body, "sentence"),
            _text(body, "why"),
            _pull(body),
        )
        return _nothing() if answer is None else _answer(201, **answer)

    @blueprint.post("/outcomes")
    def report(owner: str, repo: str) -> Response:
        body = _body()
        heeded = body.get("heeded")
        if not isinstance(heeded, bool):
            raise CallError("heeded is true or false.")
        lesson, note = _text(body, "lesson"), _text(body, "note")
        answer = desk.report(_token(), f"{owner}/{repo}", lesson, note, heeded=heeded)
        return _nothing() if answer is None else _answer(201, **answer)

    @blueprint.errorhandler(CallError)
    def wrong(error: CallError) -> Response:
        return _answer(400, error=error.message)

    @blueprint.errorhandler(UserError)
    def refused(error: UserError) -> Response:
        return _answer(422, error=error.message, remedy=error.remedy)

    @blueprint.errorhandler(Fault)
    def broke(fault: Fault) -> Response:
        log.warning("a reader could not be answered: %s", fault)
        response = _answer(503, error="This cannot be told at the moment. Ask again.")
        response.headers["Retry-After"] = str(int(fault.retry_after or RETRY_AFTER))
        return response

    @blueprint.errorhandler(HTTPException)
    def other(error: HTTPException) -> Response:
        return _answer(error.code or 500, error=error.name)

    return blueprint


def _answer(status: int, **body: str) -> Response:
    response = jsonify(body)
    response.status_code = status
    response.headers["Cache-Control"] = "no-store"
    return response


def _nothing() -> Response:
    return _answer(404, error=NOTHING)


def _token() -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _choice(name: str, choices: tuple[str, ...]) -> str:
    """The first is the default."""
    value = request.args.get(name, choices[0])
    if value not in choices:
        raise CallError(f"{name} is one of {', '.join(choices)}.")
    return value


def _number(name: str, most: int) -> int | None:
    value = request.args.get(name)
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and len(value) < 11 and int(value) <= most):
        raise CallError(f"{name} is a number from 0 to {most}.")
    return int(value)


def _body() -> Mapping[str, object]:
    request.max_content_length = BODY_LIMIT
    body = request.get_json(force=True)
    if not isinstance(body, dict):
        raise CallError("The body is one JSON object.")
    return body


def _text(body: Mapping[str, object], name: str) -> str:
    value = body.get(name, "")
    if not isinstance(value, str):
        raise CallError(f"{name} is a text.")
    return value


def _pull(body: Mapping[str, object]) -> int | None:
    value = body.get("pull_request")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= LAST_NUMBER:
        raise CallError("pull_request is the number of one.")
    return value
