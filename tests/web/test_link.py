"""The link that is printed where nobody can sign in through GitHub."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import requests

from bot.demo.stage import Clock, stage
from bot.facts import Account
from tests.web.conftest import Visit


def test_the_printed_link_is_good_once_for_an_hour_on_this_machine(tmp_path: Path) -> None:
    with stage(tmp_path, Clock(), guest=Account(1, "ada")) as here:
        here.forge.create_repository("acme/shop", private=True)
        here.settle()

        link = here.server.sign_in.link(here.url) or ""
        brought = requests.get(link, headers={"X-Forwarded-For": "203.0.113.7"}, timeout=5)
        assert brought.status_code == 404, "a proxy on this machine passes on what others ask"
        page = Visit(here).session.get(link)
        assert page.status_code == 200
        assert "acme/shop" in page.text
        assert Visit(here).session.get(link).status_code == 403, "it was used"
        assert "Sign in with GitHub" not in Visit(here).get("/sign-in").text

        link = here.server.sign_in.link(here.url) or ""
        assert Visit(here).session.get(link[:-1] + "x").status_code == 403
        here.clock.move(timedelta(hours=1))
        assert Visit(here).session.get(link).status_code == 403, "its hour is over"
