"""The command line as people and scripts call it: output, exit status, what it leaves behind."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import app
from tests.commands.conftest import LESSONS, Desk

ROOT = Path(__file__).parents[2]
TEXT = (
    "A query that raises leaks the database session. "
    "Please close the session in a `finally` block in `src/db.py`."
)
AGAIN = (
    "A query that raises leaves the session open for ever. "
    "Close every database session in a `finally` block in `src/db.py`."
)


def review(pull_request: int = 12, text: str = TEXT, **more: object) -> dict[str, object]:
    return {
        "pull_request": pull_request,
        "state": "changes_requested",
        "author": "ada",
        "author_association": "MEMBER",
        "submitted_at": "2026-11-02T10:00:00Z",
        "head_sha": "a" * 40,
        "body": None,
        "comments": [{"path": "src/db.py", "line": None, "body": text}],
        **more,
    }


# --- learn -------------------------------------------------------------------------------------


def test_a_review_file_becomes_a_commit_and_the_next_one_refreshes(desk: Desk) -> None:
    first = desk.learn(review(), "--json")
    assert first.status == 0
    assert first.json["appended"] == 1
    assert first.json["commit"] == desk.git("rev-parse", "HEAD")
    assert desk.git("log", "-1", "--format=%s") == "chore(lessons): 1 appended from #12"
    before = desk.file()
    second = desk.learn(review(40, AGAIN, submitted_at="2026-11-05T10:00:00Z"), "--json")
    assert (second.json["appended"], second.json["refreshed"]) == (0, 1)
    assert desk.file() == before.replace(b"(#12, 2026-11-02,", b"(#40, 2026-11-05,")
    assert desk.git("status", "--porcelain") == ""


def test_the_same_review_again_writes_nothing_and_exits_0(desk: Desk) -> None:
    desk.learn(review())
    head = desk.git("rev-parse", "HEAD")
    again = desk.learn(review(), "--json")
    assert again.status == 0
    assert again.json["commit"] is None
    assert desk.git("rev-parse", "HEAD") == head


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"state": "approved"}, "an approval"),
        ({"state": "commented"}, "weak"),
        ({"author_association": "NONE"}, "no write access"),
        ({"author": "some-bot[bot]"}, "not listed under reviewers"),
        ({"comments": [], "body": "LGTM!"}, ""),
        ({"comments": None, "body": None}, ""),
    ],
)
def test_what_teaches_nothing_says_why(desk: Desk, more: dict[str, object], reason: str) -> None:
    answer = desk.learn({**review(), **more}, "--json")
    assert answer.status == 0
    assert answer.json["commit"] is None
    assert reason in str(answer.json["ignored"])
    assert not (desk.tree / LESSONS).exists()


def test_a_dry_run_prints_the_plan_and_writes_nothing(desk: Desk) -> None:
    head = desk.git("rev-parse", "HEAD")
    answer = desk.learn(review(), "--dry-run")
    assert answer.status == 0
    assert f"write {LESSONS}" in answer.out
    assert desk.git("rev-parse", "HEAD") == head


def test_push_publishes(desk: Desk, tmp_path: Path) -> None:
    remote = tmp_path / "origin.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    desk.git("remote", "add", "origin", str(remote))
    desk.git("push", "--quiet", "--set-upstream", "origin", "main")
    assert desk.learn(review(), "--push").status == 0
    assert desk.git("rev-parse", "origin/main") == desk.git("rev-parse", "HEAD")


def test_a_bare_repository_will_do(desk: Desk, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", str(desk.tree), str(bare)], check=True)
    desk.tree = bare
    assert desk.learn(review(), "--json").json["appended"] == 1


def test_a_persons_changes_in_the_work_tree_stay(desk: Desk) -> None:
    desk.learn(review())
    mine = desk.file() + b"- Mine, not committed yet.\n"
    (desk.tree / LESSONS).write_bytes(mine)
    answer = desk.learn(review(40, AGAIN, submitted_at="2026-11-05T10:00:00Z"))
    assert answer.status == 0
    assert desk.file() == mine
    assert LESSONS in answer.err


# --- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> x\n", "conflict markers"),
        (b"- \xff\n", "not UTF-8"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "LFS"),
    ],
)
def test_an_untrusted_file_is_left_alone_and_exits_1(desk: Desk, data: bytes, said: str) -> None:
    desk.commit({LESSONS: data})
    head = desk.git("rev-parse", "HEAD")
    answer = desk.learn(review(), "--json")
    assert answer.status == 1
    assert said in answer.err
    assert answer.out == ""
    assert desk.git("rev-parse", "HEAD") == head


def test_a_symlinked_lessons_file_is_refused(desk: Desk) -> None:
    (desk.tree / ".agent-corp").mkdir()
    (desk.tree / LESSONS).symlink_to("../src/db.py")
    desk.commit({})
    answer = desk.learn(review())
    assert answer.status == 1
    assert "symbolic link" in answer.err
    assert desk.file("src/db.py") == b"x = 1\n"


def test_what_people_wrote_survives_byte_for_byte(desk: Desk) -> None:
    theirs = "\ufeff# Ours\r\n\r\nProse.\r\n\r\n- By hand.\r\n* Starred".encode()
    desk.commit({LESSONS: theirs})
    assert desk.learn(review()).status == 0
    assert desk.file().startswith(theirs + b"\r\n- ")
    assert desk.file().endswith(b" -->\r\n")


def test_a_file_of_55_bullets_is_trimmed_in_one_commit_that_says_so(desk: Desk) -> None:
    lines = [
        f"- Keep the setting number {n} of part{n} apart from value{n} in module{n} always. "
        f"(#{n}, 2026-10-01, changes_requested)"
        for n in range(1, 56)
    ]
    desk.commit({LESSONS: "\n".join(lines).encode() + b"\n"})
    answer = desk.learn(review(99), "--json")
    assert answer.json["evicted"] == 16
    assert "16 evicted" in desk.git("log", "-1", "--format=%s")


def test_an_unknown_settings_key_stops_the_write_and_names_line_and_remedy(desk: Desk) -> None:
    desk.commit({".github/lessonkeeper.yml": b"version: 1\nflor: 3\n"})
    answer = desk.learn(review())
    assert answer.status == 1
    assert ".github/lessonkeeper.yml:2:1" in answer.err
    assert "flor" in answer.err


def test_another_text_under_no_id_is_another_review_and_under_the_same_id_an_edit(
    desk: Desk,
) -> None:
    desk.learn(review())
    second = "Bump `MIN_TESTS` in `scripts/run-tests.sh` whenever you add a test."
    desk.learn(review(body=second, comments=[]))
    assert b"; overridden" not in desk.file()
    assert desk.file().count(b"\n- ") == 2
    third = "Never round prices in `src/cart.py` before the tax is added."
    desk.learn(review(body=third, comments=[], id=7))
    desk.learn(review(body="Looks good to me now.", comments=[], id=7))
    assert desk.file().count(b"; overridden") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "neither JSON nor JSON Lines"),
        ("[]", "it holds no review. Put one into it"),
        ("", "it holds no review. Put one into it"),
        ('{"pull_request": "12"}', "`pull_request`"),
        ('{"submitted_at": "yesterday"}', "`submitted_at`"),
        ('{"state": "change_requested"}', "changes_requested, commented"),
        ('{"comments": [3]}', "`comments`"),
        ("3", "JSON object"),
        ('{"a": 1}\n{"b": 2}', "it holds 2 reviews, and one is learned at a time. Give each"),
    ],
)
def test_a_bad_review_file_is_a_wrong_call(desk: Desk, text: str, said: str) -> None:
    answer = desk.learn(text)
    assert answer.status == 2
    assert said in answer.err


def test_no_repository_and_no_file_are_wrong_calls(desk: Desk, tmp_path: Path) -> None:
    desk.tree, there = tmp_path / "none", desk.tree
    nowhere = desk.learn(review())
    assert (nowhere.status, nowhere.out) == (2, "")
    assert "There is no repository" in nowhere.err
    assert desk.run("block", "--repo", str(tmp_path)).status == 2
    silent = desk.run("block", "--repo", (tmp_path / "none.git").as_uri())
    assert ". Check the address" in silent.err
    desk.tree = there
    answer = desk.run("learn", "--repo", str(desk.tree), "--review", str(tmp_path / "none"))
    assert answer.status == 2
    assert desk.run("learn").status == 2
    assert desk.run("unknown").status == 2


def test_without_the_packages_one_line_says_which_python_to_use(desk: Desk) -> None:
    command = [sys.executable, "-S", "app.py", "block", "--repo", str(desk.tree)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    (said,) = done.stderr.splitlines()
    assert said.endswith(
        f"run `make venv` once, then .venv/bin/python app.py block --repo {desk.tree}"
    )


def test_no_help_waits_for_a_package() -> None:
    program = """
import app
for name, _, _ in app.COMMANDS:
    try:
        app.main([name, "--help"])
    except SystemExit as stop:
        assert not stop.code
"""
    command = [sys.executable, "-S", "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.count("usage: app.py ") == len(app.COMMANDS)


def test_what_nobody_foresaw_is_one_line_and_its_place_is_told_on_demand(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.commands.reading.block", None)
    answer = desk.run("block", "--repo", str(desk.tree))
    assert (answer.status, answer.out) == (3, "")
    assert "Traceback" not in answer.err
    assert "TypeError" in answer.err


def test_more_is_said_wherever_verbose_stands(desk: Desk) -> None:
    for arguments in (
        ["--verbose", "block", "--repo", str(desk.tree)],
        ["block", "--repo", str(desk.tree), "--verbose"],
        ["report", "store", "--repo", str(desk.tree), "--verbose"],
    ):
        assert desk.run(*arguments).status == 0


def test_the_version_is_that_of_the_package(desk: Desk) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert desk.run("--version").out == f"lessonkeeper {project['version']}\n"


# --- distill -----------------------------------------------------------------------------------


def test_distill_prints_one_object_per_review_in_order(desk: Desk) -> None:
    file = desk.tree.parent / "reviews.jsonl"
    silent = {**review(comments=[], body="LGTM!"), "id": "rev-7", "tool": None, "unknown": [1]}
    file.write_text(f"{json.dumps(review())}\n{json.dumps(silent)}\n")
    answer = desk.run("distill", "--review", str(file), "--json")
    first, second = json.loads(answer.out)
    assert answer.status == 0
    assert set(first) == {"bullets", "ignored", "quarantined"}
    assert first["bullets"]
    assert first["ignored"] is None
    assert second["bullets"] == []
    assert second["ignored"]


def test_distill_reads_standard_input(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.TextIOWrapper(io.BytesIO(json.dumps(review()).encode()))
    monkeypatch.setattr(sys, "stdin", data)
    assert "`finally`" in desk.run("distill", "--review", "-").out


# --- block and sweep ---------------------------------------------------------------------------


def test_the_block_lists_what_was_learned(desk: Desk) -> None:
    desk.learn(review())
    answer = desk.run("block", "--repo", str(desk.tree), "--format", "json")
    (item,) = answer.json["items"]
    assert set(item) == {"id", "kind", "text", "ref", "date"}
    assert (item["ref"], item["date"], item["kind"]) == ("#12", "2026-11-02", "bullet")
    assert answer.json["cut"] == {"rules": "none", "standing": "none", "bullets": "none"}
    assert answer.json["left_out"] == 0
    text = desk.run("block", "--repo", str(desk.tree)).out
    assert text.startswith("# Known pitfalls in this repo\n")
    assert desk.file(".agent-corp/known-pitfalls.md").decode() == text


def test_each_cap_cuts_by_itself_and_says_so(desk: Desk) -> None:
    lines = [f"- Line {n} by hand.\n" for n in range(2)]
    lines += [
        f"- Keep the setting {n} of part{n} apart in module{n}. (#{n}, 2026-11-0{n}, ci_fix)\n"
        for n in range(1, 6)
    ]
    desk.commit({LESSONS: "".join(lines).encode()})
    few = desk.run("block", "--repo", str(desk.tree), "--items", "3", "--format", "json").json
    assert (len(few["items"]), few["cut"]["bullets"]) == (3, "items")
    short = desk.run("block", "--repo", str(desk.tree), "--chars", "60", "--format", "json").json
    assert short["cut"]["bullets"] == "chars"
    assert short["left_out"]


def test_readers_of_an_untrusted_file_get_the_last_good_version_and_are_told(desk: Desk) -> None:
    desk.learn(review())
    desk.commit({LESSONS: b"<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> x\n"})
    text = desk.run("block", "--repo", str(desk.tree)).out
    assert "Note: .agent-corp/lessons.md has conflict markers" in text
    assert "`finally`" in text
    assert "<<<<" not in text


def test_sweep_marks_what_expired_and_what_lost_its_file(desk: Desk) -> None:
    desk.learn(review(submitted_at="2026-11-20T10:00:00Z"))
    desk.learn(
        review(3, "Never call `eval()` on request input in the handler.",
               submitted_at="2026-08-01T10:00:00Z")
    )  # fmt: skip
    desk.commit({"src/db.py": None})
    answer = desk.run("sweep", "--repo", str(desk.tree), "--json")
    assert answer.json["counts"] == {"stale": 1, "expired": 1}
    assert desk.git("log", "-1", "--format=%s") == "chore(lessons): 1 stale, 1 expired"
    again = desk.run("sweep", "--repo", str(desk.tree), "--json")
    assert again.json == {"counts": {}, "commit": None}


# --- report pairs ------------------------------------------------------------------------------


def test_report_pairs_scores_labels_without_any_file(desk: Desk) -> None:
    labels = desk.tree.parent / "labels.tsv"
    labels.write_text(f"a\tb\tlabel\n{TEXT}\t{AGAIN}\tsame\n{TEXT}\tnew one\tdistinct\n")
    answer = desk.run("report", "pairs", "--labels", str(labels), "--json")
    assert answer.json["rule"] == {
        "merged": 1, "precision": 1.0, "recall": 1.0, "opposite_merged": 0,
    }  # fmt: skip
    assert {"floor", "precision", "recall"} == set(answer.json["floors"][0])


def test_a_file_that_is_no_lessons_file_is_told_and_not_counted(desk: Desk) -> None:
    text, rows = desk.tree.parent / "notes.txt", desk.tree.parent / "rows.jsonl"
    text.write_text("Just a text.\n\nAnd another line.\n")
    rows.write_text('{"a": 1}\n{"b": 2}\n')
    for file in (text, rows):
        for kind in ("pairs", "retention"):
            answer = desk.run("report", kind, str(file))
            assert (answer.status, answer.out) == (2, "")
            assert f"{file}: it holds no bullet" in answer.err


def test_nothing_at_all_is_a_wrong_call(desk: Desk) -> None:
    assert desk.run("report", "pairs").status == 2
