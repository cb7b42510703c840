"""Signing in, through GitHub or by the printed link; what protects whoever is signed in."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from flask import Flask

from bot.demo.stage import Clock
from bot.facts import Permission
from bot.forge.visitors import Client
from bot.work.visitors import Visitors
from tests.web.conftest import Estate, Visit
from webhooks.browsing import open_to_browsers
from webhooks.sign_in import SignIn


def begun(visit: Visit, path: str = "/sign-in/github") -> dict[str, str]:
    """What GitHub is asked with."""
    asked = urlsplit(visit.get(path).headers["Location"])
    return {name: values[0] for name, values in parse_qs(asked.query).items()}


def code(young: Estate, asked: dict[str, str]) -> str:
    """What GitHub sends back with for this question."""
    page = f"{young.stage.github.url}/login/oauth/authorize"
    sent = requests.get(page, asked, allow_redirects=False, timeout=5).headers["Location"]
    return parse_qs(urlsplit(sent).query)["code"][0]


def test_who_is_not_signed_in_is_led_there_and_back(young: Estate) -> None:
    visit = young.visit()
    led = visit.get("/repos/acme/shop/trends")
    assert led.headers["Location"] == "/sign-in?next=/repos/acme/shop/trends"
    young.stage.github.sign_in.visitor = "ada"
    page = visit.session.get(f"{visit.on.url}/sign-in/github?next=/repos/acme/shop/trends")
    assert urlsplit(page.url).path == "/repos/acme/shop/trends"
    assert "Trends" in page.text


@pytest.mark.parametrize("elsewhere", ["//evil.example", "/\\evil.example", "https://evil.example"])
def test_no_address_leads_elsewhere(young: Estate, elsewhere: str) -> None:
    visit = young.visit()
    young.stage.github.sign_in.visitor = "ada"
    asked = {"next": elsewhere}
    page = visit.session.get(f"{visit.on.url}/sign-in/github", params=asked)
    assert (page.status_code, urlsplit(page.url).path) == (200, "/")
    assert page.url.startswith(visit.on.url)


def test_an_answer_with_another_state_signs_nobody_in(young: Estate) -> None:
    visit = young.visit()
    asked = begun(visit)
    answer = visit.get(f"/auth/callback?code={code(young, asked)}&state=guessed")
    assert answer.status_code == 400
    again = visit.get(f"/auth/callback?code={code(young, asked)}&state={asked['state']}")
    assert again.status_code == 400, "the state was used up"
    assert visit.get("/").status_code == 303


def test_a_forged_answer_leaves_whoever_is_signed_in(young: Estate) -> None:
    visit = young.visit("ada")
    assert visit.get("/auth/callback?code=x&state=guessed").status_code == 400
    assert visit.get("/").status_code == 200


def test_the_answer_of_another_browser_signs_nobody_in(young: Estate) -> None:
    asked = begun(young.visit())
    answer = young.visit().get(f"/auth/callback?code={code(young, asked)}&state={asked['state']}")
    assert answer.status_code == 400


def test_a_stolen_code_is_worth_nothing_without_its_verifier(young: Estate) -> None:
    visit, thief = young.visit(), young.visit()
    stolen = code(young, begun(visit))
    answer = thief.get(f"/auth/callback?code={stolen}&state={begun(thief)['state']}")
    assert answer.status_code == 400
    assert "GitHub does not take this code" in answer.text


def test_after_ten_minutes_it_begins_anew(young: Estate) -> None:
    visit = young.visit()
    asked = begun(visit)
    young.stage.clock.move(timedelta(minutes=11))
    answer = visit.get(f"/auth/callback?code={code(young, asked)}&state={asked['state']}")
    assert answer.status_code == 400


def test_who_says_no_to_github_is_not_signed_in(young: Estate) -> None:
    visit = young.visit()
    young.stage.github.sign_in.refuse = True
    try:
        page = visit.session.get(f"{visit.on.url}/sign-in/github")
    finally:
        young.stage.github.sign_in.refuse = False
    assert page.status_code == 403
    assert "You are not signed in" in page.text


def test_a_token_that_was_taken_back_ends_the_session(young: Estate) -> None:
    visit = young.visit("ada")
    young.stage.github.sign_in.revoke()
    assert visit.get("/").status_code == 200, "rights hold for a minute"
    young.stage.clock.move(timedelta(minutes=2))
    assert visit.get("/").status_code == 303


def test_a_right_that_was_taken_away_is_gone_within_a_minute(young: Estate) -> None:
    visit = young.visit("rita")
    assert visit.get("/repos/acme/shop").status_code == 200
    del young.shop.permissions["rita"]
    young.stage.clock.move(timedelta(minutes=2))
    assert visit.get("/repos/acme/shop").status_code == 404
    young.shop.set_permission("rita", Permission.READ)


def test_while_github_is_silent_rights_hold_for_ten_minutes(young: Estate) -> None:
    visit = young.visit("rita")
    young.stage.github.sign_in.silent = True
    try:
        young.stage.clock.move(timedelta(minutes=5))
        assert visit.get("/alarms").status_code == 200
        young.stage.clock.move(timedelta(minutes=6))
        assert visit.get("/alarms").status_code == 503
    finally:
        young.stage.github.sign_in.silent = False
    assert visit.get("/alarms").status_code == 200


def test_signing_out_ends_the_session_for_every_copy_of_the_cookie(young: Estate) -> None:
    visit, copy = young.visit("ada"), young.visit()
    copy.session.cookies.update(visit.session.cookies)
    assert visit.press("/sign-out").status_code == 303
    assert copy.get("/").status_code == 303


def test_a_session_that_was_there_before_is_worth_nothing(young: Estate) -> None:
    prepared, visit = young.visit(), young.visit()
    prepared.get("/sign-in/github")
    visit.session.cookies.update(prepared.session.cookies)
    visit.sign_in("ada")
    assert visit.get("/").status_code == 200
    assert prepared.get("/").status_code == 303


def test_a_form_without_its_token_does_nothing(young: Estate) -> None:
    visit = young.visit("ada")
    url = f"{visit.on.url}/repos/acme/shop/lessons/{young.id_of('finally')}/retire"
    assert visit.session.post(url, allow_redirects=False).status_code == 400
    assert visit.session.post(url, {"csrf_token": "x"}, allow_redirects=False).status_code == 400


def test_the_cookie_is_for_our_requests_alone(young: Estate) -> None:
    visit = young.visit()
    visit.get("/sign-in/github")
    (cookie,) = [c for c in visit.session.cookies if c.name == "lessonkeeper"]
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert cookie.get_nonstandard_attr("SameSite") == "Lax"
    assert not cookie.secure, "on this machine there is no https"


def test_no_page_runs_a_script_or_holds_a_secret(young: Estate) -> None:
    visit = young.visit("ada")
    lesson = f"/repos/acme/shop/lessons/{young.id_of('finally')}"
    for path in ("/", "/repos/acme/shop", lesson, "/deliveries", "/alarms", "/sign-in"):
        page = visit.get(path)
        assert page.headers["Content-Security-Policy"].startswith("default-src 'none'; style-src ")
        assert "unsafe" not in page.headers["Content-Security-Policy"]
        assert page.headers["Cache-Control"] == "no-store"
        for written in ("<script", "style=", "ghu_", "ghs_", young.stage.forge.webhook_secret):
            assert written not in page.text


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "lessons.example.com"])
def test_a_name_that_somebody_lets_point_here_is_not_ours(young: Estate, host: str) -> None:
    assert young.visit("ada").get("/", Host=host).status_code == 404
    assert young.visit().get("/sign-in", Host=host).status_code == 404


def test_what_a_proxy_brings_is_not_from_this_machine(young: Estate) -> None:
    brought = {"X-Forwarded-For": "203.0.113.7"}
    assert young.visit("ada").get("/", **brought).status_code == 404


def test_where_github_signs_people_in_no_link_is_printed(young: Estate) -> None:
    assert young.stage.server.sign_in.link(young.stage.url) is None


def test_at_a_public_address_the_cookie_is_for_https_alone() -> None:
    clock = Clock()
    url = "https://lessons.example.com"
    client = Client("Iv1", "client-secret")
    pages = SignIn(Visitors(client, clock), url, clock)
    web = Flask("test", static_folder=None)
    open_to_browsers(web, [pages.blueprint()], (), [b"k" * 32])
    answer = web.test_client().get("/sign-in/github", base_url=url)
    assert "; Secure; HttpOnly; Path=/; SameSite=Lax" in answer.headers["Set-Cookie"]
    asked = parse_qs(urlsplit(answer.headers["Location"]).query)
    assert asked["redirect_uri"] == [f"{url}/auth/callback"]
    assert asked["code_challenge_method"] == ["S256"]
    assert "client-secret" not in answer.headers["Location"] + repr(replace(client))
