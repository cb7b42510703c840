"""A text becomes a note: its keys, its title, its name."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.errors import UserError
from bot.notes.draft import Given, drafted
from bot.notes.note import Kind, print_note, read_note

TODAY = date(2026, 11, 5)


def test_a_plain_text_gets_front_matter_and_a_title() -> None:
    note = drafted(Given("The gateway listens on 8443.\nAlways.", kind="reference"), TODAY)
    assert note.path == ".agent-corp/notes/the-gateway-listens-on-8443-340f0924.md"
    assert print_note(note).decode() == (
        "---\nkind: reference\nconfirmed: 2026-11-05\n---\n\n"
        "# The gateway listens on 8443\n\nThe gateway listens on 8443.\nAlways.\n"
    )


def test_every_key_can_be_given_beside_the_text() -> None:
    note = drafted(
        Given("It broke.", "lesson", "Pools", "src/db.py", "#12", "stale: cache", "strong"), TODAY
    )
    assert (note.kind, note.title, note.subject) == (Kind.LESSON, "Pools", "src/db.py")
    assert (str(note.job), note.failure_class, note.evidence) == ("#12", "stale: cache", "strong")


def test_front_matter_is_kept_and_a_given_key_goes_before_its_own() -> None:
    text = "---\nkind: context\njob: #12\nowner: ann\nconfirmed: 2026-10-01\n---\n\n# Why\n\nX.\n"
    note = drafted(Given(text, job="#13"), TODAY)
    assert print_note(note).decode() == text.replace("#12", '"#13"')
    assert note.slug.startswith("why-")


def test_the_same_text_has_the_same_name_on_another_day_and_another_text_another() -> None:
    first = drafted(Given("A.", kind="reference"), TODAY)
    later = drafted(Given("A.", kind="reference"), date(2027, 1, 1))
    other = drafted(Given("A.\n\nB.", kind="reference"), TODAY)
    assert first.path == later.path != other.path


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (Given("Something."), "It has no kind. Give one of reference, context, lesson."),
        (Given(" \n", "reference"), "There is nothing in it. Say what shall be found later."),
        (Given("---\nkind: reference\n---\n\n"), "There is nothing below its front matter."),
        (Given("A\ud800.", "reference"), "It holds half a character."),
        (Given("A.", "saga"), "`kind` is `saga`. It must be reference, context or lesson."),
        (Given("---\nkind: saga\n---\nA."), "2: `kind` is `saga`."),
        (Given("A.", "context"), "A context note names its job."),
        (Given("A.", "lesson"), "A lesson names its subject."),
        (Given("A.", "context", job="soon"), "`job` is `soon`."),
        (Given("---\nkind: [\n---\nA."), "3: Its front matter is not YAML"),
        (Given("---\nkind: reference\nA."), "1: It has no front matter."),
    ],
)
def test_what_is_wrong_is_said_with_a_remedy(what: Given, message: str) -> None:
    with pytest.raises(UserError) as told:
        drafted(what, TODAY)
    assert str(told.value).startswith(message)
    assert told.value.remedy


@example(".", "", "reference")
@given(st.text(), st.text(), st.sampled_from(["reference", "context", "lesson", ""]))
def test_any_text_is_a_note_that_can_be_read_again_or_refused(
    text: str, title: str, kind: str
) -> None:
    try:
        note = drafted(Given(text, kind, title, subject="s", job="#1"), TODAY)
    except UserError:
        return
    try:
        data = print_note(note)
    except UnicodeEncodeError:
        pytest.fail("a note that cannot be written")
    assert read_note(note.path, data) == note
