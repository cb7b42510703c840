"""How values are written on a page."""

from __future__ import annotations

import shlex

from hypothesis import given
from hypothesis import strategies as st

from bot.web.prose import argument


@given(st.text().filter(lambda text: "\0" not in text))
def test_a_question_is_one_word_of_a_command_whatever_it_holds(text: str) -> None:
    assert shlex.split(f"search {argument(text)}") == ["search", " ".join(text.split())]
