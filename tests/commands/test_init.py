"""`init`: what it writes, what it leaves alone, and that a second run changes nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bot.settings import Settings
from bot.settings.file import read
from tests.answers import Answer
from tests.commands.conftest import LESSONS, Desk

PITFALLS = ".agent-corp/known-pitfalls.md"
SETTINGS = ".github/lessonkeeper.yml"
COPILOT = ".github/copilot-instructions.md"
SENTENCE = (
    "Before you start, read `.agent-corp/known-pitfalls.md`: known pitfalls, background evidence."
)
IMPORT = "@.agent-corp/known-pitfalls.md"


def init(desk: Desk, *more: str) -> Answer:
    return desk.run("init", "--repo", str(desk.tree), *more)


def changed(desk: Desk) -> set[str]:
    return set(desk.git("show", "--format=", "--name-only", "HEAD").split())


def test_one_commit_holds_everything_and_the_settings_say_what_absent_ones_say(desk: Desk) -> None:
    assert init(desk).status == 0
    assert changed(desk) == {
        SETTINGS, LESSONS, PITFALLS, ".agent-corp/.gitattributes", "AGENTS.md",
    }  # fmt: skip
    assert desk.git("log", "-1", "--format=%s") == "chore(lessons): set up Lessonkeeper"
    assert read(desk.file(SETTINGS)) == Settings()
    assert desk.file("AGENTS.md").decode() == f"{SENTENCE}\n"
    assert b"Nothing is known yet." in desk.file(PITFALLS)
    assert b"known-pitfalls.md linguist-generated" in desk.file(".agent-corp/.gitattributes")


def test_a_second_run_writes_nothing(desk: Desk) -> None:
    init(desk)
    head = desk.git("rev-parse", "HEAD")
    assert "set up already" in init(desk).out
    assert desk.git("rev-parse", "HEAD") == head


def test_the_dry_run_prints_the_plan_and_writes_nothing(desk: Desk) -> None:
    head = desk.git("rev-parse", "HEAD")
    answer = init(desk, "--dry-run")
    assert answer.status == 0
    assert f"write {SETTINGS}" in answer.out
    assert desk.git("rev-parse", "HEAD") == head


def test_an_empty_repository_gets_its_first_commit(desk: Desk, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(empty)], check=True)
    assert desk.run("init", "--repo", str(empty)).status == 0
    assert (empty / SETTINGS).exists()


def test_what_is_there_is_kept(desk: Desk) -> None:
    desk.commit({SETTINGS: b"people: strong\n", LESSONS: b"# Ours\n\n- A line of ours.\n"})
    init(desk)
    assert desk.file(SETTINGS) == b"people: strong\n"
    assert desk.file(LESSONS) == b"# Ours\n\n- A line of ours.\n"
    assert b"A line of ours." in desk.file(PITFALLS)


def test_the_block_alone_is_written_where_it_alone_is_missing(desk: Desk) -> None:
    init(desk)
    desk.commit({PITFALLS: None})
    init(desk)
    assert changed(desk) == {PITFALLS}


def test_every_agent_file_that_exists_gets_its_own_form_of_the_line(desk: Desk) -> None:
    desk.commit({"CLAUDE.md": b"# Claude\n", "AGENTS.md": b"# Agents\n", COPILOT: b"# Copilot\n"})
    init(desk)
    assert desk.file("CLAUDE.md").decode() == f"# Claude\n\n{IMPORT}\n"
    assert desk.file("AGENTS.md").decode() == f"# Agents\n\n{SENTENCE}\n"
    assert desk.file(COPILOT).decode() == f"# Copilot\n\n{SENTENCE}\n"


def test_no_agents_file_is_made_beside_claudes_and_none_of_claude_beside_agents(desk: Desk) -> None:
    desk.commit({"CLAUDE.md": b"# Claude\n"})
    init(desk)
    assert not (desk.tree / "AGENTS.md").exists()
    desk.commit({"CLAUDE.md": None, "AGENTS.md": b"# Agents\n"})
    init(desk)
    assert not (desk.tree / "CLAUDE.md").exists()


def test_the_settings_say_which_files_point_there(desk: Desk) -> None:
    desk.commit({SETTINGS: b"include: []\n"})
    init(desk)
    assert not (desk.tree / "AGENTS.md").exists()


def test_a_linked_agent_file_is_left_alone_and_named(desk: Desk) -> None:
    desk.commit({"AGENTS.md": b"# Agents\n"})
    (desk.tree / "CLAUDE.md").symlink_to("AGENTS.md")
    desk.commit({})
    answer = init(desk)
    assert "Left alone: CLAUDE.md is a symbolic link." in answer.err
    assert (desk.tree / "CLAUDE.md").is_symlink()
    assert SENTENCE in desk.file("AGENTS.md").decode()


def test_a_lessons_file_with_conflict_markers_stops_it(desk: Desk) -> None:
    desk.commit({LESSONS: b"<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n"})
    answer = init(desk)
    assert answer.status == 1
    assert "conflict markers" in answer.err


ADOPTABLE = (
    b"# Lessons\r\n\r\n"
    b"- Close every session in a `finally` block. (PR #12, 2026-01-02, changes requested)\r\n"
    b"- A line of ours.\r\n"
)


def test_lines_with_their_provenance_in_another_form_are_offered_our_trailer(desk: Desk) -> None:
    desk.commit({LESSONS: ADOPTABLE})
    answer = init(desk)
    assert "--adopt gives 1 hand-written line our trailer:" in answer.out
    assert "- Close every session in a `finally` block. (PR #12, 2026-01-02" in answer.out
    assert "+ Close every session in a `finally` block. (#12, 2026-01-02" in answer.out
    assert desk.file(LESSONS) == ADOPTABLE


def test_with_adopt_they_get_it_and_nothing_else_changes(desk: Desk) -> None:
    desk.commit({LESSONS: ADOPTABLE})
    assert "1 hand-written line got our trailer:" in init(desk, "--adopt").out
    before, after = ADOPTABLE.split(b"\r\n"), desk.file(LESSONS).split(b"\r\n")
    assert [n for n, line in enumerate(before) if line != after[n]] == [2]
    assert after[2].startswith(
        b"- Close every session in a `finally` block. (#12, 2026-01-02, changes_requested) <!-- "
    )


def test_with_adopt_every_line_that_was_left_is_told_with_the_reason(desk: Desk) -> None:
    desk.commit({LESSONS: b"- Never log bodies. (#12)\n- A line of ours.\n"})
    out = init(desk, "--adopt").out
    assert "Never log bodies. (#12)\n    (it has no date, no verdict that is known)" in out
    assert "A line of ours.\n    (it has no pull request, no date, no verdict" in out
    assert init(desk, "--adopt", "--json").json["adopted"] == []


def test_what_it_wrote_is_listed_and_the_same_in_json(desk: Desk) -> None:
    planned = init(desk, "--dry-run", "--json").json
    assert planned["commit"] is None
    out = init(desk).out
    assert set(planned["writes"]) == changed(desk)
    assert all(f"Wrote {path}\n" in out for path in planned["writes"])


def test_an_unclosed_fence_would_swallow_the_line_so_nothing_is_written(desk: Desk) -> None:
    desk.commit({"AGENTS.md": b"# Agents\n\n```sh\nmake\n"})
    head = desk.git("rev-parse", "HEAD")
    answer = init(desk)
    assert (answer.status, desk.git("rev-parse", "HEAD")) == (1, head)
    assert "AGENTS.md: a line added at its end would not be read as text." in answer.err


def test_push_publishes_the_commit(desk: Desk, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    desk.git("remote", "add", "origin", str(remote))
    desk.git("push", "--quiet", "--set-upstream", "origin", "main")
    assert init(desk, "--push").status == 0
    assert desk.git("ls-remote", "origin", "main").split()[0] == desk.git("rev-parse", "HEAD")


def test_an_address_is_written_at_once(desk: Desk, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", str(desk.tree), str(remote)], check=True)
    assert desk.run("init", "--repo", remote.as_uri()).status == 0
    shown = subprocess.run(
        ["git", "show", f"main:{SETTINGS}"], cwd=remote, capture_output=True, check=True
    )
    assert read(shown.stdout) == Settings()


@pytest.mark.parametrize("repository", ["nowhere", "https://user:secret@host.invalid/a/b"])
def test_a_repository_that_is_none_is_a_wrong_call(desk: Desk, repository: str) -> None:
    assert desk.run("init", "--repo", repository).status == 2
