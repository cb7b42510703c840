"""What a person reads in place of a page: what is wrong, and what to do. A machine gets JSON.

Knows no page and no repository; nothing here tells what is there.
"""

from __future__ import annotations

from flask import Response, jsonify, render_template, request
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from webhooks.browsing import HEADERS

Told = tuple[str, int]
Answered = tuple[Response | str, int, dict[str, str]]

_WORDS = {
    404: (
        "Nothing is here for you",
        "No such page, or not for you to see. Check the address, or sign in as one who may see it.",
    ),
    405: ("This is not a page", "It belongs to a button. Open the page that has the button."),
    413: ("This is too long", "Nothing was done. Go back, and send less of it."),
    500: (
        "Something broke",
        "Load the page again. If it breaks again, tell whoever runs this server: the log says why.",
    ),
}
_STALE = (
    "This button is out of date",
    "Nothing was done. Its page was loaded before you signed in: open it again, and press anew.",
)
_OTHER = "Nothing was done. Go back, load the page again, and try once more."


def said(title: str, text: str, status: int) -> Told:
    return render_template("said.html", title=title, text=text), status


def page(error: HTTPException) -> Answered:
    """For people, whatever else a page of theirs would have said."""
    stale = isinstance(error, CSRFError)
    title, text = _STALE if stale else _WORDS.get(error.code or 500, (error.name, _OTHER))
    body, status = said(title, text, error.code or 500)
    return body, status, {**_headers(error), **HEADERS, "Cache-Control": "no-store"}


def to_whoever_asks(error: HTTPException) -> Answered:
    """A page where one is asked for by its type, as browsers do; JSON for everybody else."""
    kinds = ("application/json", "text/html")  # who takes any kind gets the first
    if request.accept_mimetypes.best_match(kinds) == "text/html":
        return page(error)
    return in_json(error)


def in_json(error: HTTPException) -> Answered:
    return jsonify(error=error.description or error.name), error.code or 500, _headers(error)


def _headers(error: HTTPException) -> dict[str, str]:
    """Those of its status, as the methods that a 405 has to name."""
    return {name: value for name, value in error.get_headers() if name != "Content-Type"}
