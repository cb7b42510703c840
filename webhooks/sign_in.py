"""`/sign-in`, `/auth/callback`, `/sign-out`: who looks, by GitHub or by the link printed at start.

A cookie holds the name of a session and what a sign-in under way has to find again; nothing of it
is a credential at GitHub.
"""

from __future__ import annotations

import hmac
import logging
import secrets
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol
from urllib.parse import urlencode

from flask import Blueprint, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as Answer

from bot.errors import Fault, UserError
from bot.facts import Account
from bot.web.visitor import Visitor
from webhooks.browsing import guard
from webhooks.health import is_local
from webhooks.refusals import said
from webhooks.setup import OneTime

log = logging.getLogger(__name__)

UNDER_WAY = timedelta(minutes=10)  # as long as a code of GitHub's is good
LINK_LIFE = timedelta(hours=1)
_SESSION, _STATE, _VERIFIER, _NEXT, _BEGUN = "session", "state", "verifier", "next", "begun"


class Page(Protocol):
    def page(self, redirect: str, state: str, verifier: str) -> str: ...


class Visitors(Protocol):
    @property
    def client(self) -> Page | None: ...

    def enter(self, code: str, redirect: str, verifier: str) -> str: ...

    def enter_here(self, account: Account | None) -> str: ...

    def leave(self, session: str) -> None: ...

    def visitor(self, session: str) -> Visitor | None: ...


class SignIn:
    """The pages of one server. `url` is its public address, where it has one.

    `guest` is the account in whose name the printed link lets somebody press.
    """

    def __init__(
        self,
        visitors: Visitors,
        url: str | None,
        now: Callable[[], datetime],
        guest: Account | None = None,
    ) -> None:
        self._visitors = visitors
        self._url = url
        self._now = now
        self._guest = guest
        self._once: OneTime | None = None
        self._lock = threading.Lock()

    def visitor(self) -> Visitor | None:
        """Whose request this is. Raises Fault where GitHub cannot be asked what they may see."""
        name = session.get(_SESSION)
        return self._visitors.visitor(name) if isinstance(name, str) else None

    def link(self, address: str) -> str | None:
        """A new one-time link to print, good on this machine; None where GitHub signs people in."""
        if self._visitors.client is not None:
            return None
        self._once = OneTime(self._now() + LINK_LIFE)
        return f"{address}/sign-in/once?{urlencode({'token': self._once.text})}"

    def to_sign_in(self) -> Answer:
        """From a page that only a visitor sees; GitHub's answer leads back to it."""
        back = request.full_path.rstrip("?") if request.method == "GET" else "/"
        return redirect(url_for("sign_in.welcome", next=back), 303)

    def blueprint(self) -> Blueprint:
        blueprint = Blueprint("sign_in", "bot.web", template_folder="templates")
        guard(blueprint, self._url)
        for path, view, method in (
            ("/sign-in", self.welcome, "GET"),
            ("/sign-in/github", self.begin, "GET"),
            ("/sign-in/once", self.enter_here, "GET"),
            ("/auth/callback", self.finish, "GET"),
            ("/sign-out", self.leave, "POST"),
        ):
            blueprint.add_url_rule(path, view_func=view, methods=[method])
        return blueprint

    def welcome(self) -> str:
        known = self._visitors.client is not None
        return render_template("sign-in.html", github=known, next=_own(request.args.get("next")))

    def begin(self) -> Answer | tuple[str, int]:
        client = self._visitors.client
        if client is None:
            return said("Nobody can sign in through GitHub here", NO_CLIENT, 404)
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        session[_STATE], session[_VERIFIER] = state, verifier
        session[_NEXT], session[_BEGUN] = _own(request.args.get("next")), self._now().isoformat()
        return redirect(client.page(self._callback(), state, verifier))

    def finish(self) -> Answer | tuple[str, int]:
        # Good once, whatever comes of it. Any page may lead here: who is signed in stays signed in.
        state, verifier = session.pop(_STATE, ""), session.pop(_VERIFIER, "")
        begun, back = session.pop(_BEGUN, None), _own(session.pop(_NEXT, None))
        given = request.args.get("state", "")
        fresh = begun and self._now() - datetime.fromisoformat(begun) < UNDER_WAY
        if not fresh or not state or not hmac.compare_digest(given.encode(), state.encode()):
            return said("This is not the answer that was waited for", OLD_ANSWER, 400)
        if "error" in request.args:
            return said("You are not signed in", DENIED, 403)
        try:
            name = self._visitors.enter(request.args.get("code", ""), self._callback(), verifier)
        except UserError as error:
            return said("You are not signed in", str(error), 400)
        except Fault as fault:
            log.warning("somebody could not be signed in: %s", fault)
            return said("GitHub did not answer", "Sign in once more in a moment.", 502)
        return self._entered(name, back)

    def enter_here(self) -> Answer | tuple[str, int]:
        given = request.args.get("token", "")
        with self._lock:
            once = self._once
            if once is None or not is_local() or not once.is_(given) or self._now() >= once.until:
                return said("This link is over", OLD_LINK, 403)
            self._once = None
        return self._entered(self._visitors.enter_here(self._guest), "/")

    def leave(self) -> Answer:
        name = session.get(_SESSION)
        if isinstance(name, str):
            self._visitors.leave(name)
        session.clear()
        return redirect(url_for("sign_in.welcome"), 303)

    def _entered(self, name: str, back: str) -> Answer:
        session.clear()
        session.permanent = True
        session[_SESSION] = name
        return redirect(back, 303)

    def _callback(self) -> str:
        """One of the App's callback addresses; on this machine GitHub lets the port be any."""
        return f"{request.host_url.rstrip('/') if is_local() else self._url}/auth/callback"


NO_CLIENT = "The App was given by hand. Open the link that was printed when the server started."
OLD_ANSWER = "It is another browser's, was used already, or took over ten minutes. Sign in again."
DENIED = "GitHub was told not to let you in here. Sign in again, and allow it there."
OLD_LINK = "It is good once, for an hour, on the machine of the server. Start it again for another."


def _own(path: object) -> str:
    """A path of these pages; whatever could lead elsewhere becomes the first page."""
    if not isinstance(path, str) or not path.startswith("/") or path[1:2] in ("/", "\\"):
        return "/"
    return path if path.isprintable() else "/"
