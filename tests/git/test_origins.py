"""In which commit a line came to files that only grow."""

from __future__ import annotations

import pytest

from bot.git import origins as room
from bot.git.mirror import Mirror
from bot.git.origins import origins
from tests.git.conftest import Person, git

JUNE, JULY = "events/06.jsonl", "events/07.jsonl"


def marks(*numbers: int) -> list[bytes]:
    return [b"row %d;" % number for number in numbers]


def test_each_line_came_with_the_commit_that_brought_it(ann: Person, mirror: Mirror) -> None:
    lines = b""
    made = {}
    for number in range(1, 8):
        lines += b"row %d;\n" % number
        made[b"row %d;" % number] = ann.commit({JUNE: lines})
        ann.commit({"src/other.py": lines})
    for number in (8, 9):
        lines = b"row 8;\n" if number == 8 else b"row 8;\nrow 9;\n"
        made[b"row %d;" % number] = ann.commit({JULY: lines})
    tip = mirror.fetch("main")
    assert tip is not None
    assert origins(mirror.clone, tip, "events", [*made, b"row 10;"]) == made


def test_what_a_merge_brought_came_with_the_merge(ann: Person, mirror: Mirror) -> None:
    ann.commit({JUNE: b"row 1;\n"})
    git(ann.tree, "switch", "--quiet", "--create", "work")
    ann.commit({JUNE: b"row 1;\nrow 2;\n"}, push=False)
    git(ann.tree, "switch", "--quiet", "main")
    git(ann.tree, "merge", "--quiet", "--no-ff", "--no-edit", "work")
    ann.push()
    tip = mirror.fetch("main")
    assert tip is not None
    assert origins(mirror.clone, tip, "events", marks(2)) == {b"row 2;": tip}


def test_what_is_older_than_the_commits_looked_at_has_no_origin(
    ann: Person, mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann.commit({JUNE: b"row 1;\n"})
    ann.commit({JUNE: b"row 1;\nrow 2;\n"})
    last = ann.commit({JUNE: b"row 1;\nrow 2;\nrow 3;\n"})
    tip = mirror.fetch("main")
    assert tip is not None
    monkeypatch.setattr(room, "MOST", 2)
    assert origins(mirror.clone, tip, "events", marks(1, 2, 3)) == {b"row 3;": last}
