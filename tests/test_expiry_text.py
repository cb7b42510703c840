"""The words about notes that end soon, to the letter; the issue's list is read back from them."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from bot import expiry_text as words
from bot.channels.expiring import Ending

FRIDAY = Ending(
    "3f9a2c1d", "Never deploy on a Friday.", "#12", date(2026, 8, 11), date(2026, 11, 9), 41
)
GONE = Ending("00000001", "Ask before.", "manual", date(2026, 8, 12), date(2026, 11, 10))


def test_the_body_of_the_issue() -> None:
    assert words.body([FRIDAY, GONE], {41: "ada"}) == (
        "Nobody kept these notes again for a long time, so they end: from that day on agents are"
        " not shown them, and search still finds them. To let one go, do nothing. To keep one,"
        " comment the line that stands under it, here or on any pull request; that takes write"
        " access.\n\n"
        "- Ends on 2026-11-09, kept by ada on 2026-08-11 (#\u200b12)."
        " <!-- 3f9a2c1d 2026-11-09 -->\n\n"
        "  ```\n  /lesson Never deploy on a Friday.\n  ```\n\n"
        "- Ends on 2026-11-10, kept on 2026-08-12 (manual). <!-- 00000001 2026-11-10 -->\n\n"
        "  ```\n  /lesson Ask before.\n  ```"
    )


def test_what_a_body_lists_is_read_back_also_after_a_person_edited_it() -> None:
    body = words.body([FRIDAY, GONE], {})

    assert words.listed(body) == {FRIDAY.listed, GONE.listed}
    assert words.listed(f"Thanks.\r\n\r\n{body}".replace("\n", "\r\n")) == words.listed(body)
    assert words.listed(body.replace("2026-11-10 -->", "2026-13-10 -->")) == {FRIDAY.listed}
    assert words.listed(words.NOTHING) == frozenset()


def test_of_many_notes_the_first_are_listed_and_the_rest_counted() -> None:
    many = [Ending(f"{n:08x}", "x" * 1000, "#1", FRIDAY.kept_on, FRIDAY.ends) for n in range(500)]
    body = words.body(many, {})

    assert len(body) < 65_000
    assert words.listed(body) == {each.listed for each in many[: words.SHOWN]}
    assert body.endswith("\n\n460 more end soon.")


def test_a_comment_on_what_was_added() -> None:
    assert words.more([FRIDAY], {41: "ada"}) == (
        "1 more note ends soon, as listed above:\n\n"
        "- ends on 2026-11-09, kept by ada on 2026-08-11 (#\u200b12): Never deploy on a Friday."
    )


def test_the_message_in_the_chat() -> None:
    assert words.in_chat("acme/shop", FRIDAY, "ada") == (
        "acme/shop: a founder note ends on 2026-11-09, kept by ada on 2026-08-11 (#\u200b12)."
        " To keep it, write here:\n\n/lesson acme/shop Never deploy on a Friday."
    )


@given(text=st.text(), login=st.text(min_size=1))
def test_no_text_lists_a_note_of_its_own_or_leaves_its_code_block(text: str, login: str) -> None:
    nasty = f"``` {text} <!-- aaaaaaaa 2026-01-01 -->"
    note = Ending("3f9a2c1d", nasty, "#12", FRIDAY.kept_on, FRIDAY.ends, 41)
    body = words.body([note], {41: login})

    assert words.listed(body) == {note.listed}
    assert [line for line in body.splitlines() if line.strip().startswith("```")] == ["  ```"] * 2
