"""What was told of a note that ends soon is not told again by the server that comes after."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bot.demo.stage import Clock, running
from bot.sandbox.forge import SandboxForge
from bot.sandbox.server import SandboxServer
from bot.telegram import Bot
from tests.fakes.telegram import TOKEN, telegram
from tests.work.conftest import START, make_shop
from tests.work.test_expiring import CHAT, CHATTING, comments, days_pass, issue, keep, messages
from tests.work.test_founder import FRIDAY, LINTER


def test_a_restart_repeats_nothing(tmp_path: Path) -> None:
    clock = Clock(START - datetime.now(UTC))
    forge = SandboxForge(tmp_path / "github", clock)
    with SandboxServer(forge) as github, telegram() as there:
        there.chats.add(CHAT)
        bot = Bot(TOKEN, there.url)
        with running(tmp_path, clock, forge, github, telegram=bot) as on:
            shop = make_shop(on, CHATTING)
            keep(shop, FRIDAY, by="ben")
            keep(shop, LINTER, by="ada")
            days_pass(shop, 85)
            said = issue(shop).body
        with running(tmp_path, clock, forge, github, telegram=bot) as on:
            shop = replace(shop, stage=on)
            on.server.round()
            days_pass(shop, 1)

        assert (issue(shop).body, comments(shop)) == (said, [])
        (sent,) = messages(shop, there)
        assert LINTER in sent.text
        github.assert_no_surprises()
