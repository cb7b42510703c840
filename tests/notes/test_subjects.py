"""What a story is about, and which ticks count."""

from __future__ import annotations

import pytest

from bot.notes.note import Kind, Note
from bot.notes.subjects import boxes, is_about, is_done, key_of, newly_ticked

LIST = """The directory `src/queue` is gone.

- [ ] `.agent-corp/notes/a.md`: A
- [x] `.agent-corp/notes/b.md`: B
* [X] `.agent-corp/notes/c.md`: C `[ ]`
- [ ] no note
"""
A, B, C = (f".agent-corp/notes/{name}.md" for name in "abc")


@pytest.mark.parametrize(
    ("subject", "retired", "about"),
    [
        ("src/queue/", "src/queue", True),
        ("./src/queue", "src/queue/", True),
        ("`src/queue`", "src/queue", True),
        ("src/queue/run.py", "src/queue", True),
        ("Billing", "billing", True),
        ("src", "src/queue", False),
        ("src/queues", "src/queue", False),
        ("billing v2", "billing", False),
        ("anything", "/", False),
        ("anything", "  ", False),
    ],
)
def test_a_story_is_about_its_subject_and_what_holds_it(
    subject: str, retired: str, *, about: bool
) -> None:
    assert is_about(Note("a", Kind.LESSON, "A", subject=subject), retired) is about
    assert not is_about(Note("a", Kind.REFERENCE, "A", subject=subject), retired)


def test_a_subject_has_one_checklist_however_it_is_written() -> None:
    assert key_of("src/queue/") == key_of("./SRC/queue") == "subject:cd19498525d9"
    assert key_of("src/queue") != key_of("src/queues")
    assert "--" not in key_of("a -- b > c")


def test_boxes_are_read_as_people_leave_them() -> None:
    assert boxes(LIST) == {A: False, B: True, C: True}
    assert boxes(LIST.replace("\n", "\r\n")) == boxes(LIST)


def test_only_what_this_edit_ticked_and_still_is_counts() -> None:
    ticked = LIST.replace("- [ ] `.agent-corp/notes/a", "- [x] `.agent-corp/notes/a")
    assert newly_ticked(LIST, ticked, ticked) == {A}
    assert newly_ticked(LIST, ticked, LIST) == frozenset()  # unticked again since
    assert newly_ticked(ticked, ticked + "More.", ticked) == frozenset()
    assert newly_ticked(LIST, LIST + "- [x] `.agent-corp/notes/d.md`: D", LIST) == frozenset()
    assert newly_ticked("", LIST, LIST) == frozenset()


def test_a_checklist_is_done_when_none_of_its_notes_is_left() -> None:
    assert is_done(LIST, {".agent-corp/notes/other.md"})
    assert not is_done(LIST, {A})
    assert not is_done("No boxes.", ())


@pytest.mark.parametrize("piece", ["\n", " ", "- [ ] `a\n", "\t\n"])
def test_hostile_repetition_comes_to_an_end(piece: str) -> None:
    assert boxes(piece * (200_000 // len(piece))) == {}
