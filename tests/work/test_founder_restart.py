"""One press, one lesson: however often, from how many threads, over a restart of the server."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import requests

from bot.demo.stage import Clock, Stage, running, until
from bot.sandbox.deliver import deliver
from bot.sandbox.forge import SandboxForge
from bot.sandbox.records import Delivery
from bot.sandbox.server import SandboxServer
from tests.work.conftest import START, make_shop
from tests.work.test_founder import SESSION, SETTINGS, check_run, offered, press


def test_a_hundred_presses_before_during_and_after_a_restart_are_one(tmp_path: Path) -> None:
    clock = Clock(START - datetime.now(UTC))
    forge = SandboxForge(tmp_path / "github", clock)
    answered: list[int | None] = []

    def post(on: Stage, pressed: Delivery) -> None:
        try:
            status = deliver(
                forge, replace(pressed, guid=str(uuid4())), f"{on.url}/webhooks/github"
            )
        except requests.RequestException:  # the server is down: GitHub counts it as failed
            status = None
        answered.append(status)

    with SandboxServer(forge) as github, ThreadPoolExecutor(10) as threads:
        with running(tmp_path, clock, forge, github) as on:
            shop = make_shop(on, SETTINGS)
            pull = offered(shop, SESSION)
            (pressed,) = press(shop, check_run(shop, pull), "keep", "cleo")
            storm = [threads.submit(post, on, pressed) for _ in range(60)]
            until(lambda: len(answered) >= 20)  # and the server stops in the midst of them
        for each in storm:
            each.result()
        with running(tmp_path, clock, forge, github) as on:
            shop = replace(shop, stage=on)
            list(threads.map(lambda _: post(on, pressed), range(20)))
            on.settle()
            clock.move(timedelta(hours=1))
            list(threads.map(lambda _: post(on, pressed), range(20)))
            on.settle()
        github.assert_no_surprises()
    assert len(answered) == 100
    assert answered.count(202) >= 60
    assert set(answered) <= {202, None}
    assert shop.subjects() == ["chore(lessons): 1 appended from #1"]
    assert len(shop.bullets()) == 1
    assert check_run(shop, pull).title == "1 lesson kept"
