"""What the bot writes into the commit history, to the letter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.lessons.store import COUNTED, Change, Edit
from bot.settings import CommitStyle
from bot.texts import commit_message, subject

PREFIX = "chore(lessons)"


@pytest.mark.parametrize(
    ("counts", "prs", "wanted"),
    [
        ({"appended": 1, "refreshed": 2}, [123], "1 appended, 2 refreshed from #123"),
        (
            {"refreshed": 1, "appended": 1},
            [5, 6, 7],
            "1 appended, 1 refreshed from 3 pull requests",
        ),
        ({"expired": 3}, [], "3 expired"),
        ({}, [9], "evidence only"),
    ],
)
def test_the_subject_carries_the_counts(
    counts: dict[str, int], prs: list[int], wanted: str
) -> None:
    assert subject(counts, prs, PREFIX) == f"{PREFIX}: {wanted}"


def test_a_followed_file_is_told_where_nothing_was_counted() -> None:
    assert subject({}, [], PREFIX, followed=1) == f"{PREFIX}: follow 1 moved file"
    assert subject({"stale": 1}, [], PREFIX, followed=1) == f"{PREFIX}: 1 stale"


@given(
    st.dictionaries(st.sampled_from(COUNTED), st.integers(1, 4000)),
    st.lists(st.integers(1, 10**9), max_size=9),
)
def test_the_subject_fits_and_never_looks_like_a_squash(
    counts: dict[str, int], prs: list[int]
) -> None:
    text = subject(counts, prs, PREFIX)
    assert len(text) <= 72
    assert not text.endswith(")")


EDIT = Edit(
    changes={},
    counts={"appended": 1},
    told=(
        Change("appended", "3f9a2c1d", "Never merge as @alice said in #3. [skip ci]", "from #12"),
    ),
    sources=(("review:7@0123456789ab", "a" * 40),),
    prs=(12,),
)


def test_the_message_names_its_sources_and_pings_nobody() -> None:
    message = commit_message(EDIT, CommitStyle(skip_checks=False), direct=True)
    head, blank, *rest = message.split("\n")
    assert head == "chore(lessons): 1 appended from #12"
    assert blank == ""
    assert rest[0].startswith("Appended 3f9a2c1d")
    for acting in ("@alice", "#3", "[skip ci]"):
        assert acting not in rest[0]
    assert rest[1:] == ["", f"Lesson-Source: review:7@0123456789ab {'a' * 40}", ""]


def test_skip_checks_is_the_last_line_after_two_empty_ones_and_on_direct_pushes_alone() -> None:
    message = commit_message(EDIT, CommitStyle(), direct=True)
    assert message.endswith(
        f"\n\n\nLesson-Source: review:7@0123456789ab {'a' * 40}\nskip-checks: true\n"
    )
    assert "skip-checks" not in commit_message(EDIT, CommitStyle(), direct=False)


def test_sign_off_and_marker_are_settings() -> None:
    style = CommitStyle(sign_off=True, marker="[bot]", skip_checks=False)
    message = commit_message(EDIT, style, direct=True, signer="Bot <b@x>")
    assert message.startswith("chore(lessons): 1 appended from #12 [bot]\n")
    assert message.endswith("\nSigned-off-by: Bot <b@x>\n")
