"""What every page for a browser rests on: signed cookies, forms that prove where they come from,
hosts that are ours, and headers that leave a page no script and no style but our own files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, abort, request
from flask.sessions import SecureCookieSessionInterface
from flask_wtf import CSRFProtect

from bot.environment import is_loopback
from webhooks.health import is_local

PAGES = "pages"  # the purpose that the keys of cookies are derived for
COOKIE = "lessonkeeper"
FORM_LIMIT = 16 * 1024  # bytes; our longest form is one question
# Scripts: none at all, the pages have none. Charts are drawn with attributes, not with styles.
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class _Cookies(SecureCookieSessionInterface):
    def get_cookie_secure(self, app: Flask) -> bool:
        """On this machine there is no https."""
        return not is_loopback(_host())


def open_to_browsers(
    app: Flask, pages: Sequence[Blueprint], machines: Iterable[Blueprint], keys: Sequence[bytes]
) -> None:
    """Adds `pages` to `app`. `machines` prove themselves otherwise: their posts need no form.

    `keys` sign the cookies, newest first.
    """
    app.secret_key = keys[0]
    app.config.update(
        SECRET_KEY_FALLBACKS=list(keys[1:]),
        SESSION_COOKIE_NAME=COOKIE,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        PERMANENT_SESSION_LIFETIME=timedelta(hours=8),
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session
        MAX_FORM_MEMORY_SIZE=FORM_LIMIT,
    )
    app.session_interface = _Cookies()
    forms = CSRFProtect(app)
    for blueprint in machines:
        forms.exempt(blueprint)
    for blueprint in pages:
        app.register_blueprint(blueprint)


def guard(blueprint: Blueprint, url: str | None) -> None:
    """Its pages answer at `url`, the public address, and on this machine; nowhere else.

    A name that somebody lets point to this machine is neither (DNS rebinding).
    """
    ours = urlsplit(url or "").netloc.casefold()

    @blueprint.before_request
    def only_here() -> None:
        if request.host.casefold() != ours and not is_local():
            abort(404)

    @blueprint.after_request
    def harden(response: Response) -> Response:
        response.headers.update(HEADERS)
        if "static" not in (request.endpoint or ""):
            response.headers["Cache-Control"] = "no-store"
        return response


def _host() -> str:
    return (urlsplit(f"//{request.host}").hostname or "").casefold()
