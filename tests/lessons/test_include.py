"""The include line: once, in the form its file needs, and nothing else of the file changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UserError
from bot.lessons.include import include, pointer, with_pointer

IMPORT = "@.agent-corp/known-pitfalls.md"
SENTENCE = pointer("AGENTS.md")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"{IMPORT}\n"),
        ("# A\n", f"# A\n\n{IMPORT}\n"),
        ("# A\r\n", f"# A\r\n\r\n{IMPORT}\r\n"),
        ("\ufeff# A\n", f"\ufeff# A\n\n{IMPORT}\n"),
        ("\ufeff", f"\ufeff{IMPORT}\n"),
        ("# A", f"# A\n\n{IMPORT}"),
        ("- a\n- b", f"- a\n- b\n\n{IMPORT}"),
    ],
)
def test_line_endings_mark_and_the_missing_last_newline_are_kept(before: str, after: str) -> None:
    assert with_pointer("CLAUDE.md", before.encode()) == after.encode()


@pytest.mark.parametrize(
    "there",
    [
        f"See {IMPORT}.",
        f"- {IMPORT}",
        "@./.agent-corp/known-pitfalls.md",
    ],
)
def test_a_line_that_points_there_already_is_enough(there: str) -> None:
    assert with_pointer("CLAUDE.md", there.encode()) == there.encode()


@pytest.mark.parametrize(
    "other",
    [f"`{IMPORT}`\n", f"```\n{IMPORT}\n```\n", f"{IMPORT}.bak\n", f"a{IMPORT}\n"],
)
def test_code_imports_nothing_and_another_file_is_another_file(other: str) -> None:
    assert with_pointer("CLAUDE.md", other.encode()) == f"{other}\n{IMPORT}\n".encode()


def test_a_nested_file_imports_relative_to_itself() -> None:
    assert pointer("web/CLAUDE.md") == "@../.agent-corp/known-pitfalls.md"
    assert with_pointer("web/CLAUDE.md", b"# A\n").endswith(b"@../.agent-corp/known-pitfalls.md\n")


def test_the_words_around_the_path_are_the_persons_own() -> None:
    own = b"Read .agent-corp/known-pitfalls.md first.\n"
    assert with_pointer("AGENTS.md", own) == own


def test_one_file_that_may_not_be_touched_is_an_agent_file_all_the_same() -> None:
    assert include({"AGENTS.md": None}, ("CLAUDE.md", "AGENTS.md")) == {}
    assert include({"CLAUDE.md": None, "AGENTS.md": None}, ("CLAUDE.md", "AGENTS.md")) == {
        "AGENTS.md": f"{SENTENCE}\n".encode()
    }


@given(st.binary() | st.text(alphabet="a# \n\r`~-<!>@").map(str.encode))
def test_the_file_is_kept_as_a_prefix_and_a_second_time_changes_nothing(data: bytes) -> None:
    try:
        once = with_pointer("AGENTS.md", data)
    except UserError:
        return  # it ends inside of code
    assert once.startswith(data)
    assert once.count(SENTENCE.encode()) == 1
    assert with_pointer("AGENTS.md", once) == once
