"""`canary`: it sings where one session finds what another saved, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.demo.stage import Clock, Stage, stage
from tests.commands.conftest import Desk
from tests.work.conftest import START, Shop, make_shop

NOTES = ".agent-corp/notes/"


@pytest.fixture(autouse=True)
def index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "lessonkeeper" / "search.sqlite"


def questions(desk: Desk, page: str) -> str:
    file = desk.tree.parent / "questions.jsonl"
    file.write_text(json.dumps({"question": "which port has the gateway", "page": page}) + "\n")
    return str(file)


def test_it_sings_in_a_repository_of_its_own_and_leaves_nothing(desk: Desk, index: Path) -> None:
    answer = desk.run("canary", "--json")
    assert answer.status == 0
    assert [check["name"] for check in answer.json] == ["saved", "found by another session"]
    assert not index.exists()


def test_in_a_repository_it_asks_a_question_and_takes_its_note_away(desk: Desk) -> None:
    desk.commit({"docs/ports.md": b"# Ports\n\nThe gateway listens on 8443.\n"})
    answer = desk.run(
        "canary", "--repo", str(desk.tree), "--questions", questions(desk, "docs/ports.md")
    )
    assert (answer.status, answer.out.count("ok  ")) == (0, 3)
    subjects = desk.git("log", "-2", "--format=%s").splitlines()
    assert subjects == ["docs(notes): 1 deleted", "docs(notes): 1 captured"]
    assert NOTES not in desk.git("ls-tree", "-r", "--name-only", "HEAD")
    assert desk.git("status", "--porcelain") == ""


def test_a_question_that_is_not_answered_is_a_no(desk: Desk) -> None:
    answer = desk.run(
        "canary", "--repo", str(desk.tree), "--questions", questions(desk, "docs/ports.md")
    )
    assert answer.status == 1
    assert "NO  “which port has the gateway”: docs/ports.md is not among" in answer.out


def test_where_nothing_can_be_indexed_it_is_silent(desk: Desk, index: Path) -> None:
    index.mkdir(parents=True)
    before = desk.git("rev-parse", "HEAD")
    answer = desk.run("canary", "--repo", str(desk.tree))
    assert answer.status == 1
    assert answer.out.startswith("NO  saved: Capture failed: not saved. Step: index.")
    assert desk.git("rev-parse", "HEAD") == before


@pytest.mark.parametrize(
    "wrong",
    [("--url", "http://127.0.0.1:1"), ("--writer", "x"), ("--questions", "x")],
)
def test_a_wrong_call(desk: Desk, wrong: tuple[str, str]) -> None:
    assert desk.run("canary", *wrong).status == 2


@pytest.fixture(scope="module")
def playing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("stage"), Clock(START - datetime.now(UTC))) as made:
        yield made


def heard_of(playing: Stage) -> Shop:
    shop = make_shop(playing)
    shop.repository.commit("ada", {"docs/ports.md": "# Ports\n"})
    playing.settle()
    return shop


def test_on_a_server_two_tokens_are_two_sessions(
    playing: Stage, desk: Desk, tmp_path: Path
) -> None:
    shop = heard_of(playing)
    tokens = playing.server.tokens
    writer, asker, stranger = (tmp_path / name for name in ("writer", "asker", "stranger"))
    made = tokens.issue(shop.repository.id, "", "writer", captures=True)
    writer.write_text(made[0])
    asker.write_text(tokens.issue(shop.repository.id, "", "asker")[0])
    stranger.write_text("nobody")
    command = ("canary", "--repo", shop.repository.full_name, "--url", playing.url)
    sung = desk.run(*command, "--writer", str(writer), "--asker", str(asker))
    assert sung.status == 0, sung.out
    unheard = desk.run(*command, "--writer", str(writer), "--asker", str(stranger))
    assert unheard.status == 1
    assert "NO  found by another session: The server has nothing for this token." in unheard.out
    unsaved = desk.run(*command, "--writer", str(asker), "--asker", str(asker))
    assert unsaved.status == 1
    assert unsaved.out.startswith("NO  saved: The server has nothing for this token.")
