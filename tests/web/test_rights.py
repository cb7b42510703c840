"""Who may ask for what: every route of the application, for everybody there can be."""

from __future__ import annotations

import pytest

from tests.web.conftest import Estate

ROLES = ("anonymous", "no rights", "reader", "writer", "admin", "other's owner")
LOGINS = {"no rights": "nobody", "reader": "rita", "writer": "ben", "admin": "acme"}
LOGINS["other's owner"] = "zoe"

SIGN_IN, NO_FORM, GONE, SHOWN, DENIED, DONE = 303, 400, 404, 200, 403, 303
# The answers in the order of ROLES. What a role may not see is as if it were not there.
SHOP = (SIGN_IN, GONE, SHOWN, SHOWN, SHOWN, GONE)
EVERYBODY = (SIGN_IN, SHOWN, SHOWN, SHOWN, SHOWN, SHOWN)
ALSO_ANONYMOUS = (SHOWN,) * 6
MACHINES_ALONE = (404,) * 6
TABLE = {
    ("GET", "/"): EVERYBODY,
    ("GET", "/repos/<owner>/<repo>"): SHOP,
    ("GET", "/repos/<owner>/<repo>/candidates"): SHOP,
    ("GET", "/repos/<owner>/<repo>/trends"): SHOP,
    ("GET", "/repos/<owner>/<repo>/carried"): SHOP,
    ("GET", "/repos/<owner>/<repo>/lessons/<lesson>"): SHOP,
    ("POST", "/repos/<owner>/<repo>/lessons/<lesson>/retire"): (
        NO_FORM, GONE, DENIED, DONE, DONE, GONE,
    ),
    ("POST", "/repos/<owner>/<repo>/questions/<question>/<answer>"): (
        NO_FORM, GONE, DENIED, DONE, DONE, GONE,
    ),
    ("GET", "/find"): EVERYBODY,
    ("GET", "/deliveries"): EVERYBODY,
    ("POST", "/deliveries/<guid>/replay"): (NO_FORM, GONE, GONE, DONE, DONE, GONE),
    ("GET", "/alarms"): EVERYBODY,
    ("GET", "/static/<path:filename>"): ALSO_ANONYMOUS,
    ("GET", "/sign-in"): ALSO_ANONYMOUS,
    ("GET", "/sign-in/github"): (302,) * 6,
    ("GET", "/sign-in/once"): (403,) * 6,
    ("GET", "/auth/callback"): (400,) * 6,
    ("POST", "/sign-out"): (NO_FORM, *(SIGN_IN,) * 5),
    # What machines ask, with a signature or a token that no browser has.
    ("POST", "/webhooks/github"): (400,) * 6,
    **{(method, "/webhooks/github"): (405,) * 6 for method in ("GET", "PUT", "PATCH", "DELETE")},
    ("GET", "/repos/<owner>/<repo>/block"): MACHINES_ALONE,
    ("GET", "/search"): MACHINES_ALONE,
    ("POST", "/notes"): (400,) * 6,
    ("POST", "/confirm"): (400,) * 6,
    ("POST", "/repos/<owner>/<repo>/proposals"): (400,) * 6,
    ("POST", "/repos/<owner>/<repo>/outcomes"): (400,) * 6,
    ("GET", "/healthz"): ALSO_ANONYMOUS,
    ("GET", "/metrics"): ALSO_ANONYMOUS,  # this machine's figures; they name no repository
}  # fmt: skip
ENDS_THE_SESSION = {"/sign-out"}

OF_THE_SHOP, OF_THE_OTHER = {"acme/shop", "finally"}, {"zoe/mine"}
HIDDEN = {
    "anonymous": OF_THE_SHOP | OF_THE_OTHER,
    "no rights": OF_THE_SHOP | OF_THE_OTHER,
    "reader": OF_THE_OTHER,
    "writer": OF_THE_OTHER,
    "admin": OF_THE_OTHER,
    "other's owner": OF_THE_SHOP,
}


@pytest.fixture(scope="module")
def routes(young: Estate) -> set[tuple[str, str]]:
    return {
        (method, rule.rule)
        for rule in young.stage.server.web.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def test_every_route_is_in_the_table(routes: set[tuple[str, str]]) -> None:
    assert routes == set(TABLE)


@pytest.mark.parametrize("role", ROLES)
def test_everybody_gets_what_the_table_says(young: Estate, role: str) -> None:
    visit = young.visit(LOGINS.get(role))
    found, told = {}, set()
    # What ends the session comes last.
    for method, rule in sorted(TABLE, key=lambda each: each[1] in ENDS_THE_SESSION):
        if rule in ENDS_THE_SESSION:
            visit = young.visit(LOGINS.get(role))
        path = _filled(young, rule)
        answer = visit.get(path) if method == "GET" else visit.press(path, method)
        found[method, rule] = answer.status_code
        if not answer.is_redirect:
            told |= {word for word in HIDDEN[role] if word in answer.text}
    at = ROLES.index(role)
    assert found == {route: statuses[at] for route, statuses in TABLE.items()}
    assert told == set(), "something of a repository that they may not see"


def _filled(young: Estate, rule: str) -> str:
    """A path of the shop that is there for whoever may see it."""
    (question,) = young.stage.server.questions.of_repository(young.shop.id)
    entry = young.stage.server.inbox.newest(1, repositories=[young.shop.id])[0]
    values = {
        "<owner>": "acme",
        "<repo>": "shop",
        "<lesson>": young.id_of("finally"),
        "<question>": question.question.id,
        "<answer>": "keep",
        "<guid>": entry.guid,
        "<path:filename>": "dashboard.css",
    }
    for name, value in values.items():
        rule = rule.replace(name, value)
    return rule
