"""`GET /repos/{owner}/{repo}/block` and what its readers send back, over HTTP.

Who may not read a repository learns nothing, not even whether it is there: every such answer is
the same 404. Decides nothing; a token is passed on and never logged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from flask import Blueprint, Response, request

from bot.errors import CallError
from bot.readers import Asked
from webhooks.answers import (
    LAST_NUMBER,
    answer,
    answer_errors,
    body,
    choice,
    nothing,
    number,
    text,
    token,
)

MOST_ITEMS = 200
MOST_CHARACTERS = 100_000
MOST_PATHS = 200


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
        as_json = choice("format", ("md", "json")) == "json"
        asked = Asked(
            number("items", MOST_ITEMS),
            number("chars", MOST_CHARACTERS),
            tuple(request.args.getlist("paths")[:MOST_PATHS]),
            choice("session", ("0", "1")) == "1",
        )
        pull = number("pull_request", LAST_NUMBER) or None
        found = blocks.block(token(), f"{owner}/{repo}", asked, pull, as_json=as_json)
        if found is None:
            return nothing()
        kind = "application/json" if as_json else "text/markdown; charset=utf-8"
        response = Response(found, content_type=kind)
        # A reader's own cache may keep it, and asks each time whether it still holds.
        response.headers["Cache-Control"] = "private, no-cache"
        response.headers["Vary"] = "Authorization"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.add_etag()  # it depends on commit, parameters and day alone
        response.make_conditional(request.environ)
        return response

    @blueprint.post("/proposals")
    def propose(owner: str, repo: str) -> Response:
        given = body()
        said = desk.propose(
            token(),
            f"{owner}/{repo}",
            text(given, "sentence"),
            text(given, "why"),
            _pull(given),
        )
        return nothing() if said is None else answer(201, **said)

    @blueprint.post("/outcomes")
    def report(owner: str, repo: str) -> Response:
        given = body()
        heeded = given.get("heeded")
        if not isinstance(heeded, bool):
            raise CallError("heeded is true or false.")
        lesson, note = text(given, "lesson"), text(given, "note")
        said = desk.report(token(), f"{owner}/{repo}", lesson, note, heeded=heeded)
        return nothing() if said is None else answer(201, **said)

    answer_errors(blueprint)
    return blueprint


def _pull(given: Mapping[str, object]) -> int | None:
    value = given.get("pull_request")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= LAST_NUMBER:
        raise CallError("pull_request is the number of one.")
    return value
