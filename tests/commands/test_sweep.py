"""`sweep` ends notes as far as the repository itself tells, and deletes no story."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.lessons import event_files
from bot.lessons.rows import NoteRow
from tests.commands.conftest import Desk

NOTE = ".agent-corp/notes/slow.md"
STORY = ".agent-corp/notes/lost.md"
CONTEXT = b'---\nkind: context\njob: "#12"\n---\n\n# Slow\n'


def flagged(days_ago: int) -> dict[str, bytes]:
    at = datetime.now(UTC) - timedelta(days=days_ago)
    return event_files.add({}, [NoteRow(at, NOTE, "flagged", "#12")])


def test_a_note_over_its_grace_is_deleted_in_a_commit_of_its_own(desk: Desk) -> None:
    desk.commit({NOTE: CONTEXT, **flagged(days_ago=8)})
    answer = desk.run("sweep", "--repo", str(desk.tree), "--json")
    assert answer.json == {"counts": {"deleted": 1}, "commit": desk.git("rev-parse", "HEAD")}
    assert desk.git("log", "-1", "--format=%s") == "docs(notes): 1 deleted"
    assert not (desk.tree / NOTE).exists()
    assert desk.run("sweep", "--repo", str(desk.tree), "--json").json["commit"] is None


def test_a_note_within_its_grace_and_one_that_nobody_flagged_stay(desk: Desk) -> None:
    desk.commit({NOTE: CONTEXT, **flagged(days_ago=6)})
    assert desk.run("sweep", "--repo", str(desk.tree), "--json").json["commit"] is None
    desk.commit({NOTE: CONTEXT.replace(b"#12", b"#13"), **flagged(days_ago=60)})
    assert desk.run("sweep", "--repo", str(desk.tree), "--json").json["commit"] is None
    assert (desk.tree / NOTE).exists()


def test_a_story_whose_directory_is_gone_is_told_of_and_stays(desk: Desk) -> None:
    story = b"---\nkind: lesson\nsubject: src/\n---\n\n# Lost\n"
    desk.commit({STORY: story, "src/b.py": b"y = 2\n"})
    desk.commit({"src/db.py": None, "src/b.py": None})
    answer = desk.run("sweep", "--repo", str(desk.tree))
    assert answer.status == 0
    assert answer.out == (
        "src is gone, and 1 note is about it. Comment `/lessons subject-retired src`"
        " on any issue to choose which end.\nNothing to write: everything stands as it is.\n"
    )
    assert (desk.tree / STORY).exists()
