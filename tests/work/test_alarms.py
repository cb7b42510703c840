"""Alarms on the real server: caused for real, raised once, cleared once, and seen everywhere."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests

from bot.channels.alarms import Name
from bot.demo.stage import Clock, Stage, stage
from bot.lessons.bullet import Trailer, Verdict, line
from bot.search.index import SearchIndex
from bot.search.meaning import WordLlama
from bot.search.sqlite import SqliteTables
from bot.work import doctor
from tests.work.conftest import SETTINGS, START, Shop, make_shop

LESSONS = ".agent-corp/lessons.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stage")


@pytest.fixture(scope="module")
def playing(folder: Path) -> Iterator[Stage]:
    with stage(folder, Clock(START - datetime.now(UTC))) as made:
        yield made


@pytest.fixture
def shop(playing: Stage) -> Iterator[Shop]:
    """A repository that the server has looked at; it leaves again."""
    made = make(playing)
    yield made
    playing.server.memory.leave(repository=made.repository.id)
    playing.server.watching.look_at_all()


def make(playing: Stage, settings: str = SETTINGS, owner: str = "acme") -> Shop:
    made = make_shop(playing, settings, owner)
    made.repository.commit("ada", {"docs/ports.md": "# Ports\n\n8443.\n"})
    playing.settle()
    playing.server.watching.look_at_all()
    return made


def ringing(playing: Stage) -> list[str]:
    return [str(row) for row in playing.server.alarms.open()]


def push(shop: Shop, **files: str) -> None:
    shop.repository.commit("ada", {path.replace("__", "/"): text for path, text in files.items()})
    shop.stage.settle()


def health(playing: Stage) -> int:
    return requests.get(f"{playing.url}/healthz", timeout=30).status_code


def metric(playing: Stage, name: str) -> str:
    text = requests.get(f"{playing.url}/metrics", timeout=30).text
    return next(row for row in text.splitlines() if f'alarm="{name}"' in row).split()[-1]


def test_all_is_well(playing: Stage, shop: Shop) -> None:
    assert ringing(playing) == []
    assert health(playing) == 200
    assert metric(playing, "index_empty") == "0.0"


def test_a_heavy_file_is_raised_once_and_cleared_once(
    playing: Stage, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "bot.work.alarms"):
        push(shop, **{"CLAUDE.md": "x\n" * 250})
        name = shop.repository.full_name
        (said,) = ringing(playing)
        assert said.startswith(f"{name}: carried weight: CLAUDE.md has 250 lines")
        playing.server.watching.look_at_all()
        assert ringing(playing) == [said]
        assert metric(playing, "carried_weight") == "1.0"
        assert name not in requests.get(f"{playing.url}/metrics", timeout=30).text
        (check,) = doctor.alarms(playing.server.alarms.open())
        assert (check.ok, check.name) == (False, f"{name}: carried weight")
        (shown,) = playing.server.dashboard.alarms([shop.repository.id])
        assert (shown.repository, shown.text) == (shop.repository.id, said)
        assert playing.server.dashboard.alarms([1]) == ()
        assert health(playing) == 200

        push(shop, **{"CLAUDE.md": "x\n"})
        playing.server.watching.look_at_all()
        assert ringing(playing) == []
        (check,) = doctor.alarms(playing.server.alarms.open())
        assert check.ok
    told = [record.getMessage().partition(":")[0] for record in caplog.records]
    assert told == ["alarm", "alarm over"]


def test_an_index_that_cannot_be_used_fails_the_health(
    playing: Stage, shop: Shop, folder: Path
) -> None:
    file = folder / "bot" / "search.sqlite"
    file.unlink()
    file.mkdir()
    try:
        push(shop, docs__hosts="# Hosts\n")
        playing.server.watching.look_at_all()
        own, *theirs = [row.alarm.name for row in playing.server.alarms.open()]
        assert (own, theirs) == (Name.EXACT_FAILING, [Name.INDEX_EMPTY, Name.REBUILD_FAILED])
        assert health(playing) == 503
    finally:
        file.rmdir()
    assert health(playing) == 503  # it is there again, and empty
    playing.server.round()
    assert health(playing) == 200
    assert ringing(playing) == []


def test_an_index_that_takes_nothing_new_falls_behind(
    playing: Stage, shop: Shop, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.search.sqlite_file.BUSY_SECONDS", 0.1)
    name = shop.repository.full_name
    with closing(sqlite3.connect(folder / "bot" / "search.sqlite", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM search_documents").fetchone()
        push(shop, docs__hosts="# Hosts\n")
        playing.clock.move(timedelta(minutes=11))
        playing.server.watching.look_at_all()
        behind, failed = ringing(playing)
        lag = "the branch is 11 minutes newer than what search finds"
        assert behind == f"{name}: index behind: {lag}"
        assert failed.startswith(f"{name}: rebuild failed: the index could not be brought up")
        assert health(playing) == 200  # it finds what it knew
    playing.server.watching.look_at_all()
    assert ringing(playing) == []


def test_without_its_model_the_meaning_half_is_an_alarm(
    playing: Stage, shop: Shop, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        shelf = SqliteTables(folder / "bot" / "search.sqlite")
        index = SearchIndex(shelf, WordLlama("no_such_package"), playing.clock)
        without.setattr(playing.server.indexing, "index", index)
        playing.server.watching.look_at_server()
        (said,) = ringing(playing)
        assert said.startswith("meaning half failing: search by meaning fails: there is no model")
        assert health(playing) == 200  # exact words are found, and every answer says so
    playing.server.watching.look_at_server()
    assert ringing(playing) == []


def test_a_second_store_and_one_that_was_copied(playing: Stage, shop: Shop) -> None:
    day = playing.clock().date()
    bullet = line("Wait for the migration.", Trailer("#1", day, Verdict.CI_FIX), "0000000a")
    lessons = f"# Lessons\n\n{bullet}\n"
    other = make(playing)
    for each in (shop, other):
        each.repository.commit("ada", {LESSONS: lessons})
    shop.repository.commit("ada", {f"web/{LESSONS}": lessons})
    playing.settle()
    playing.server.watching.look_at_all()
    mine, theirs = shop.repository.full_name, other.repository.full_name
    assert sorted(ringing(playing)) == sorted(
        [
            f"{mine}: split store: its store has ids of {theirs}: one was copied from the other",
            f"{theirs}: split store: its store has ids of {mine}: one was copied from the other",
            f"{mine}: split store: web/{LESSONS} is a second lessons file: nobody reads it",
        ]
    )
    ids = shop.repository.id, other.repository.id
    (second,) = playing.server.dashboard.alarms(ids[:1])  # who reads one hears of no other
    assert second.text.endswith("a second lessons file: nobody reads it")
    assert len(playing.server.dashboard.alarms(ids)) == 3
    playing.server.memory.leave(repository=other.repository.id)
    shop.repository.commit("ada", {f"web/{LESSONS}": None})
    playing.settle()
    playing.server.watching.look_at_all()
    assert ringing(playing) == []


def test_a_proposal_that_nobody_takes(playing: Stage) -> None:
    shop = make(playing, f"{SETTINGS}mode: pull_request\nrolling: {{every: 0}}\n")
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    body = "Close every database session in a `finally` block, whatever the query raised."
    pull.review("ada", "changes_requested", body)
    playing.settle()
    playing.server.watching.look_at_all()
    assert ringing(playing) == []
    playing.clock.move(timedelta(days=15))
    playing.server.watching.look_at_all()
    (said,) = ringing(playing)
    assert "split store: 1 bullets wait in #" in said
    shop.repository.notice_pushes_of_the_app()
    (ours,) = [p for p in shop.repository.pulls.values() if p.user == playing.forge.app_account]
    ours.close("ada")
    playing.server.watching.look_at_all()
    assert ringing(playing) == []


def test_a_delivery_that_waits(playing: Stage, shop: Shop) -> None:
    playing.server.handover.stop(5)
    shop.repository.commit("ada", {"docs/more.md": "# More\n"})
    playing.post()
    playing.clock.move(timedelta(minutes=20))
    playing.server.watching.look_at_server()
    (said,) = ringing(playing)
    assert said == "deliveries wait: the oldest delivery waits for 20 minutes"
