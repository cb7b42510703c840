from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.buttons import Pressed, data_of, pressed
from bot.channels.questions import Answer
from bot.telegram import DATA_LIMIT

KEY = b"k" * 32
LARGEST = 2**63 - 1


@given(
    st.integers(1, LARGEST),
    st.from_regex(r"[0-9a-f]{12}", fullmatch=True),
    st.sampled_from(Answer),
)
def test_what_was_signed_comes_back_and_fits_under_a_button(
    repository: int, question: str, answer: Answer
) -> None:
    data = data_of(KEY, repository, question, answer)
    assert len(data.encode()) <= DATA_LIMIT
    assert pressed(KEY, data) == Pressed(repository, question, answer)


GOOD = data_of(KEY, 12, "0123456789ab", Answer.KEEP)


@given(st.integers(0, len(GOOD) - 1), st.characters(codec="ascii"))
def test_a_change_of_any_character_is_noticed(at: int, letter: str) -> None:
    changed = GOOD[:at] + letter + GOOD[at + 1 :]
    assert (pressed(KEY, changed) is not None) == (changed == GOOD)


@pytest.mark.parametrize("data", ["", GOOD + "\n", GOOD + "A", " " + GOOD, GOOD.upper(), "ä" * 40])
def test_anything_else_is_nothing(data: str) -> None:
    assert pressed(KEY, data) is None


def test_another_key_signs_nothing_here() -> None:
    assert pressed(b"another", GOOD) is None
