"""`GET /` and the pages below it: HTTP in, pages out. Decides nothing and computes no number.

Whoever is not signed in is led to that, whatever they ask for. Whoever may not see a repository
gets the same 404 as for one that is not there.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol

from flask import Blueprint, abort, flash, g, redirect, render_template, request, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as Answer

from bot.errors import Fault, UserError
from bot.inbox import Status
from bot.web import chart, prose
from bot.web.pages import Pages, Press, Presses
from bot.web.visitor import Visitor
from webhooks import refusals
from webhooks.browsing import guard
from webhooks.sign_in import SignIn

log = logging.getLogger(__name__)

Shown = str | tuple[str, int] | Answer
P = ParamSpec("P")
STORE = "/repos/<owner>/<repo>"

DONE = {
    Press.TAKEN: "Done. What follows from it is there in a moment.",
    Press.ALREADY: "That was done before; nothing more is to be done.",
}
REFUSED = {
    Press.DENIED: (
        "It takes write access to the repository, and a person's account. Ask somebody who has"
        " both."
    ),
    Press.OFF: (
        "The settings of the repository do not let the App act there. Change them on its default"
        " branch first."
    ),
}
SILENT = "GitHub or the database does not answer. Load the page again in a moment."


def dashboard_blueprint(
    pages: Pages,
    presses: Presses,
    sign_in: SignIn,
    url: str | None,
    web: str,
    clean: Callable[[str], str],
) -> Blueprint:
    """`url` is the server's public address, `web` that of GitHub's pages, for links. `clean` takes
    secrets and what is invisible out of a text."""
    blueprint = Blueprint(
        "dashboard", "bot.web", template_folder="templates", static_folder="static"
    )
    guard(blueprint, url)
    for written in (prose.argument, prose.code, prose.day, prose.minute, prose.percent):
        blueprint.add_app_template_filter(written)
    blueprint.add_app_template_filter(clean, "shown")
    blueprint.app_context_processor(lambda: {"github": web})
    page = _for_visitors(blueprint, sign_in)
    _looks(page, pages)
    _presses(page, presses)
    blueprint.register_error_handler(UserError, _refused)
    blueprint.register_error_handler(Fault, _broke)
    blueprint.register_error_handler(HTTPException, refusals.page)
    return blueprint


class _Page(Protocol):
    def __call__(
        self, rule: str, method: str = "GET"
    ) -> Callable[[Callable[Concatenate[Visitor, P], Shown]], object]: ...


def _for_visitors(blueprint: Blueprint, sign_in: SignIn) -> _Page:
    """Adds views that are called for visitors alone, and with them."""

    def page(
        rule: str, method: str = "GET"
    ) -> Callable[[Callable[Concatenate[Visitor, P], Shown]], object]:
        def added(view: Callable[Concatenate[Visitor, P], Shown]) -> object:
            @wraps(view)
            def seen(*values: P.args, **named: P.kwargs) -> Shown:
                visitor = sign_in.visitor()
                if visitor is None:
                    return sign_in.to_sign_in()
                g.visitor = visitor
                return view(visitor, *values, **named)

            blueprint.add_url_rule(rule, view.__name__, seen, methods=[method])
            return seen

        return added

    return page


def _looks(page: _Page, pages: Pages) -> None:
    @page("/")
    def fleet(visitor: Visitor) -> Shown:
        return render_template("fleet.html", fleet=pages.fleet(visitor))

    @page(STORE)
    def store(visitor: Visitor, owner: str, repo: str) -> Shown:
        found = pages.store(visitor, f"{owner}/{repo}") or abort(404)
        return render_template("store.html", store=found)

    @page(f"{STORE}/candidates")
    def candidates(visitor: Visitor, owner: str, repo: str) -> Shown:
        found = pages.store(visitor, f"{owner}/{repo}") or abort(404)
        return render_template("candidates.html", store=found)

    @page(f"{STORE}/trends")
    def trends(visitor: Visitor, owner: str, repo: str) -> Shown:
        found = pages.store(visitor, f"{owner}/{repo}") or abort(404)
        months = found.figures.trend.months
        return render_template(
            "trends.html", store=found, mix=chart.mix(months), sizes=chart.sizes(months)
        )

    @page(f"{STORE}/carried")
    def carried(visitor: Visitor, owner: str, repo: str) -> Shown:
        found = pages.carried(visitor, f"{owner}/{repo}") or abort(404)
        drawn = chart.weights(found.files)
        return render_template("carried.html", store=found.store, page=found, drawn=drawn)

    @page(f"{STORE}/lessons/<lesson>")
    def lesson(visitor: Visitor, owner: str, repo: str, lesson: str) -> Shown:
        found = pages.lesson(visitor, f"{owner}/{repo}", lesson) or abort(404)
        return render_template("lesson.html", store=found.store, page=found)

    @page("/find")
    def find(visitor: Visitor) -> Shown:
        query = request.args.get("q", "")
        found = pages.find(visitor, query)
        return render_template("find.html", page=found, query=query)

    @page("/deliveries")
    def deliveries(visitor: Visitor) -> Shown:
        found = pages.deliveries(visitor)
        return render_template("deliveries.html", page=found, Status=Status)

    @page("/alarms")
    def alarms(visitor: Visitor) -> Shown:
        return render_template("alarms.html", alarms=pages.alarms_of(visitor))


def _presses(page: _Page, presses: Presses) -> None:
    @page(f"{STORE}/lessons/<lesson>/retire", "POST")
    def retire(visitor: Visitor, owner: str, repo: str, lesson: str) -> Shown:
        came = presses.retire(visitor, f"{owner}/{repo}", lesson)
        back = url_for("dashboard.lesson", owner=owner, repo=repo, lesson=lesson)
        return _pressed(came, back)

    @page(f"{STORE}/questions/<question>/<answer>", "POST")
    def answer(visitor: Visitor, owner: str, repo: str, question: str, answer: str) -> Shown:
        came = presses.answer(visitor, f"{owner}/{repo}", question, answer)
        return _pressed(came, url_for("dashboard.store", owner=owner, repo=repo))

    @page("/deliveries/<guid>/replay", "POST")
    def replay(visitor: Visitor, guid: str) -> Shown:
        return _pressed(presses.replay(visitor, guid), url_for("dashboard.deliveries"))


def _refused(error: UserError) -> tuple[str, int]:
    return refusals.said("This cannot be done now", str(error), 409)


def _broke(fault: Fault) -> tuple[str, int]:
    log.warning("a page could not be shown: %s", fault)
    return refusals.said("This cannot be shown at the moment", SILENT, 503)


def _pressed(came: Press | None, back: str) -> Shown:
    if came is None:
        abort(404)
    if came in REFUSED:
        return refusals.said("You may not do that", REFUSED[came], 403)
    flash(DONE[came])
    return redirect(back, 303)
