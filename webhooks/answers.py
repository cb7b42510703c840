"""What every page for readers shares: their tokens, their parameters, and one form of a refusal.

Who may not read a repository learns nothing, not even whether it is there: the same 404 for all.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from bot.errors import CallError, Fault, UserError

log = logging.getLogger(__name__)

BODY_LIMIT = 16 * 1024
LAST_NUMBER = 2**31 - 1
RETRY_AFTER = 10  # seconds
NOTHING = "Nothing is here for you."


def answer(status: int, **body: str) -> Response:
    """A JSON object that nobody keeps."""
    response = jsonify(body)
    response.status_code = status
    response.headers["Cache-Control"] = "no-store"
    return response


def nothing() -> Response:
    return answer(404, error=NOTHING)


def answer_errors(blueprint: Blueprint) -> None:
    """Says what went wrong in one of the two families, without a trace."""

    @blueprint.errorhandler(CallError)
    def wrong(error: CallError) -> Response:
        return answer(400, error=error.message)

    @blueprint.errorhandler(UserError)
    def refused(error: UserError) -> Response:
        return answer(422, error=error.message, remedy=error.remedy)

    @blueprint.errorhandler(Fault)
    def broke(fault: Fault) -> Response:
        log.warning("a reader could not be answered: %s", fault)
        response = answer(503, error="This cannot be told at the moment. Ask again.")
        response.headers["Retry-After"] = str(int(fault.retry_after or RETRY_AFTER))
        return response

    @blueprint.errorhandler(HTTPException)
    def other(error: HTTPException) -> Response:
        return answer(error.code or 500, error=error.name)


def token() -> str:
    return next(iter(tokens()), "")


def tokens() -> tuple[str, ...]:
    """Those of every `Authorization: Bearer` header; WSGI joins repeated headers by commas."""
    given = request.headers.get("Authorization", "").split(",")
    pairs = (each.strip().partition(" ") for each in given)
    return tuple(rest.strip() for scheme, _, rest in pairs if scheme.lower() == "bearer")


def choice(name: str, choices: tuple[str, ...]) -> str:
    """The first is the default. Raises CallError."""
    value = request.args.get(name, choices[0])
    if value not in choices:
        raise CallError(f"{name} is one of {', '.join(choices)}.")
    return value


def number(name: str, most: int) -> int | None:
    """None where it is not given. Raises CallError."""
    value = request.args.get(name)
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and len(value) < 11 and int(value) <= most):
        raise CallError(f"{name} is a number from 0 to {most}.")
    return int(value)


def body(limit: int = BODY_LIMIT) -> Mapping[str, object]:
    """The JSON object that was sent, of at most so many bytes. Raises CallError."""
    request.max_content_length = limit
    try:
        found = request.get_json(force=True)
    except RecursionError:  # nested deeper than any that we ask for
        found = None
    if not isinstance(found, dict):
        raise CallError("The body is one JSON object.")
    return found


def text(given: Mapping[str, object], name: str) -> str:
    """Empty where it is not given. Raises CallError."""
    value = given.get(name, "")
    if not isinstance(value, str):
        raise CallError(f"{name} is a text.")
    return value
