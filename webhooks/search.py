"""`GET /search` over HTTP, for readers with tokens; whoever may read nothing gets a 404.

Decides nothing. Tokens are passed on and never logged; a reader with several sends each in an
`Authorization` header of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from flask import Blueprint, Response, request

from webhooks.answers import answer_errors, choice, nothing, number, tokens

MOST_HITS = 50


class Finder(Protocol):
    def search(
        self, tokens: Sequence[str], query: str, limit: int, *, as_json: bool
    ) -> str | None: ...


def search_blueprint(finder: Finder) -> Blueprint:
    """None from the finder is nothing, for whoever asks."""
    blueprint = Blueprint("search", __name__)

    @blueprint.get("/search")
    def search() -> Response:
        as_json = choice("format", ("md", "json")) == "json"
        limit = number("limit", MOST_HITS) or 5
        body = finder.search(tokens(), request.args.get("q", ""), limit, as_json=as_json)
        if body is None:
            return nothing()
        kind = "application/json" if as_json else "text/markdown; charset=utf-8"
        response = Response(body, content_type=kind)
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    answer_errors(blueprint)
    return blueprint
