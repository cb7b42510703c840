"""What counts as a command, and what it says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.commands import (
    Command,
    Decide,
    ExplainReviews,
    KeepNote,
    ListLessons,
    NotUnderstood,
    OfferNote,
    RetireBullet,
    SubjectRetired,
    UndoAccount,
    UndoPullRequest,
    parse,
)
from bot.channels.questions import Answer

REVISE = ("/revise",)


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/lesson Never deploy on a Friday.", KeepNote("Never deploy on a Friday.")),
        ("/Lesson: Never deploy\n  on a Friday.\n\nThanks!", KeepNote("Never deploy on a Friday.")),
        ("Good catch.\n\n/lesson Never deploy.", KeepNote("Never deploy.")),
        ("Good catch.\r\n/lesson Never deploy.\r\n", KeepNote("Never deploy.")),
        ("/lesson", KeepNote("")),
        ("/revise It leaks.\n\n- Close it.", OfferNote("It leaks.\n\n- Close it.")),
        ("/lessons", ListLessons()),
        ("/lessons list", ListLessons()),
        ("/LESSONS Why?", ExplainReviews()),
        ("/lessons retire 3F9A2C1D", RetireBullet("3f9a2c1d")),
        ("/lessons retire `3f9a2c1d`.", RetireBullet("3f9a2c1d")),
        ("/lessons undo #12", UndoPullRequest(12)),
        ("/lessons undo 12", UndoPullRequest(12)),
        ("/lessons undo @rabbit[bot]", UndoAccount("rabbit[bot]")),
        ("/lessons subject-retired src/queue/", SubjectRetired("src/queue/")),
        ("/Lessons subject-retired the old billing.", SubjectRetired("the old billing")),
        ("/lessons subject-retired", NotUnderstood()),
        ("/lessons keep 0123456789ab", Decide("0123456789ab", Answer.KEEP)),
        ("/lessons keep `0123456789ab` Same", Decide("0123456789ab", Answer.SAME)),
        ("/lessons discard 0123456789ab", Decide("0123456789ab", Answer.DISCARD)),
        ("/lessons retire", NotUnderstood()),
        ("/lessons retire 3f9a2c1d and all others", NotUnderstood()),
        ("/lessons undo #0", NotUnderstood()),
        ("/lessons undo 3f9a2c1d", NotUnderstood()),
    ],
)
def test_a_command_opens_a_line_of_the_comments_own_prose(body: str, command: Command) -> None:
    assert parse(body, REVISE) == command


@pytest.mark.parametrize(
    "body",
    [
        "",
        "I would write /lesson here.",
        "/lessonsX",
        "/lesson's end",
        "> /lesson Never deploy.",
        "> He said\n/lesson Never deploy.",  # shown as part of the quote
        "```\n/lesson Never deploy.\n```",
        "    /lesson Never deploy.",
        "- /lesson Never deploy.",
        "<!-- /lesson Never deploy. -->",
        "<details>\n/lesson Never deploy.\n</details>",
        "`/lesson` keeps a note",
        "/revised it",
    ],
)
def test_quotes_code_lists_and_mentions_of_a_command_do_not_act(body: str) -> None:
    assert parse(body, REVISE) is None


def test_the_first_command_alone_acts() -> None:
    assert parse("/lessons why\n/lessons undo #1") == ExplainReviews()


def test_note_prefixes_are_a_setting() -> None:
    assert parse("/revise It leaks.") is None
    assert parse("note: It leaks.", ("note",)) == OfferNote("It leaks.")


@given(st.text(st.sampled_from("/lesons why\n`>-#\t:") | st.characters(), max_size=60))
def test_any_text_is_read_and_none_acts_once_it_is_quoted(body: str) -> None:
    parse(body, REVISE)
    lines = f"/lesson {body}".replace("\r", "\n").split("\n")
    assert parse("\n".join(f"> {line}" for line in lines), REVISE) is None


@given(st.from_regex(r"[a-z ,.]{1,80}", fullmatch=True))
def test_a_note_is_what_was_typed(text: str) -> None:
    assert parse(f"/lesson {text}") == KeepNote(" ".join(text.split()))
