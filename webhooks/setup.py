"""`GET /setup` and `/setup/callback`: register the App by its manifest, and keep what comes back.

Whoever has the link that was printed at start may use it, for one hour and until an App exists.
"""

from __future__ import annotations

import hmac
import json
import logging
import secrets
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from flask import Blueprint, Response, make_response, render_template, request

from bot.credentials import Credentials, Vault, known
from bot.environment import Environment
from bot.errors import Fault, UserError
from bot.forge.manifest import converted, manifest, registration_page

log = logging.getLogger(__name__)

LIFE = timedelta(hours=1)  # GitHub's limit for the whole way from the form to the conversion


class OneTime:
    """A secret that is good until its time is over or it was used, compared in constant time."""

    def __init__(self, until: datetime) -> None:
        self.text = secrets.token_urlsafe(32)
        self.until = until

    def is_(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.text.encode())


class Setup:
    """The two pages of one server, and the App they come to. Answers requests of any thread.

    `address` is where a browser reaches them, without a slash at the end. `registered` is set once
    the credentials are on disk and the page that says so was sent.
    """

    def __init__(
        self,
        environment: Environment,
        address: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._environment = environment
        self._address = address
        self._now = now
        self._vault = Vault.of(environment)
        self._token = OneTime(now() + LIFE)
        self._state: OneTime | None = None
        self._lock = threading.Lock()
        self.registered = threading.Event()

    @property
    def link(self) -> str:
        """To be printed for the operator, and to go nowhere else."""
        return f"{self._address}/setup?{urlencode({'token': self._token.text})}"

    def blueprint(self) -> Blueprint:
        blueprint = Blueprint("setup", __name__, template_folder="templates")
        blueprint.add_url_rule("/setup", view_func=self._begin)
        blueprint.add_url_rule("/setup/callback", view_func=self._finish)
        return blueprint

    def _begin(self) -> Response:
        if known(self._environment) or not self._token.is_(request.args.get("token", "")):
            return _nothing_here()
        if self._now() >= self._token.until:
            return _page(
                410, "This link is over", ("It was good for an hour. Start again for a new one.",)
            )
        organization = request.args.get("organization", "").strip()
        state = self._current_state()
        try:
            action = registration_page(self._environment.github_web, state, organization)
        except UserError as error:
            return _page(400, "This cannot be", (error.message, error.remedy))
        asked = manifest(self._environment.url, setup_address=self._address)
        return _page(
            200,
            "Register Lessonkeeper as a GitHub App",
            (
                "GitHub shows what the App may do and lets you change its name.",
                "Then it sends you back here, and its keys are stored on this server, encrypted.",
            ),
            manifest=json.dumps(asked),
            action=action,
            organization=organization,
            token=self._token.text,
            sends_to=self._environment.github_web,
        )

    def _finish(self) -> Response:
        if known(self._environment):
            return _nothing_here()
        state = self._claimed(request.args.get("state", ""))
        if state is None:
            return _page(
                400,
                "This is not the answer that was waited for",
                (
                    "It belongs to another start, was used already, or took longer than an hour.",
                    *_AGAIN,
                ),
            )
        try:
            self._vault.prepare()  # first: a code is good once
            found = converted(request.args.get("code", ""), base_url=self._environment.github_url)
        except Fault as fault:
            with self._lock:
                self._state = state  # the code may still be good
            return _page(
                502, "GitHub did not answer", (str(fault), "Reload this page to try again.")
            )
        except UserError as error:
            return _page(400, "The App is not registered", (str(error), *_AGAIN))
        return self._keep(found)

    def _keep(self, found: Credentials) -> Response:
        try:
            self._vault.save(found)
        except UserError as error:
            log.error("the credentials of App %d could not be stored: %s", found.app_id, error)
            return _page(500, "The App's keys could not be stored", (str(error), *_AGAIN))
        log.info("App %s (%d) is registered", found.slug, found.app_id)
        response = _page(
            200,
            f"{found.slug} is registered",
            ("Its keys are stored on this server, encrypted.", "One more click:"),
            link=install_link(found),
            link_text="Install it on your repositories",
        )
        response.call_on_close(self.registered.set)
        return response

    def _current_state(self) -> str:
        """The same one for every look at the page, until it is claimed or its hour is over."""
        with self._lock:
            if self._state is None or self._now() >= self._state.until:
                self._state = OneTime(self._now() + LIFE)
            return self._state.text

    def _claimed(self, text: str) -> OneTime | None:
        """The state that is waited for, which nobody can claim after this; None for any other."""
        with self._lock:
            state = self._state
            if state is None or not state.is_(text) or self._now() >= state.until:
                return None
            self._state = None
            return state


def install_link(app: Credentials) -> str:
    return f"{app.html_url}/installations/new"


_AGAIN = (
    "Open the set-up link again.",
    "If GitHub lists a new App already, delete it first: its keys are sent once.",
)


def _nothing_here() -> Response:
    return _page(
        404,
        "Nothing is here",
        ("The set-up link is printed when the server starts, as long as it has no App.",),
    )


def _page(
    status: int, title: str, paragraphs: tuple[str, ...], *, sends_to: str = "", **values: str
) -> Response:
    nonce = secrets.token_urlsafe(16)
    body = render_template("setup.html", title=title, paragraphs=paragraphs, nonce=nonce, **values)
    response = make_response(body, status)
    response.headers.update(
        {
            "Content-Security-Policy": f"default-src 'none'; style-src 'nonce-{nonce}';"
            f" form-action 'self' {sends_to}; base-uri 'none'; frame-ancestors 'none'",
            # The address holds the token; of it GitHub learns the host alone.
            "Referrer-Policy": "strict-origin",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        }
    )
    return response
