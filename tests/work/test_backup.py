"""What deploy/README.md calls a backup is enough: on a new disk nothing that counts is missing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bot.demo.stage import Clock, running
from bot.sandbox.forge import SandboxForge
from bot.sandbox.pull_request import Inline
from bot.sandbox.server import SandboxServer
from tests.work.conftest import START, make_shop
from tests.work.test_founder import SESSION, SETTINGS, check_run, offered, press

CURSOR = "Never keep the cursor of `src/cursor.py` open while another cursor is waiting."


def test_a_copy_of_the_database_taken_while_it_serves_is_enough(tmp_path: Path) -> None:
    """A lesson that was written, an offer that waits for a press, and a review already judged."""
    clock = Clock(START - datetime.now(UTC))
    forge = SandboxForge(tmp_path / "github", clock)
    lost, fresh = tmp_path / "lost", tmp_path / "fresh"
    (fresh / "bot").mkdir(parents=True)
    with SandboxServer(forge) as github:
        with running(lost, clock, forge, github) as on:
            shop = make_shop(on, SETTINGS)
            pull = offered(shop, SESSION)
            other = shop.repository.open_pull_request("ben", {"src/cursor.py": "c = 1\n"})
            other.review("cleo", "changes_requested", "", [Inline("src/cursor.py", CURSOR, 1)])
            on.settle()
            heard = list(on.sent)
            with (
                closing(sqlite3.connect(lost / "bot" / "lessonkeeper.db")) as there,
                closing(sqlite3.connect(fresh / "bot" / "lessonkeeper.db")) as copy,
            ):
                there.backup(copy)  # what `.backup` of the sqlite3 shell does
        before = shop.bullets()
        with running(fresh, clock, forge, github) as on:
            shop = replace(shop, stage=on)
            on.send(heard, fresh=True)
            on.settle()
            assert shop.bullets() == before, "what was judged is not judged again"
            on.send(press(shop, check_run(shop, pull), "keep", "cleo"))
            on.settle()
        github.assert_no_surprises()
    assert len(shop.bullets()) == len(before) + 1
    assert check_run(shop, pull).title == "1 lesson kept"
