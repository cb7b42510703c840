"""The rolling pull request over a restart: what stands on GitHub is all that is needed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.demo.stage import Clock, running
from bot.sandbox.forge import SandboxForge
from bot.sandbox.server import SandboxServer
from bot.work.rolling import ROLLING
from tests.work.conftest import START, make_shop
from tests.work.test_pull_request_mode import BY_SETTING, ours, stands, teach


def test_a_restart_between_push_and_opening_costs_nothing(tmp_path: Path) -> None:
    clock = Clock(START - datetime.now(UTC))
    forge = SandboxForge(tmp_path / "github", clock)
    with SandboxServer(forge) as github:
        with running(tmp_path, clock, forge, github) as made:
            shop = make_shop(made, BY_SETTING)
            github.fail_next("POST", f"/repos/{shop.repository.full_name}/pulls", 502)
            teach(shop)
            assert shop.repository.bare.sha(f"refs/heads/{ROLLING}") is not None
        clock.move(timedelta(minutes=10))
        with running(tmp_path, clock, forge, github) as again:
            shop.stage = again
            again.settle()
            assert [pull.title for pull in ours(shop)] == ["chore(lessons): 1 appended"]
            ours(shop)[0].merge("ada")
            again.settle()
            assert len(stands(shop)) == 1
        github.assert_no_surprises()
