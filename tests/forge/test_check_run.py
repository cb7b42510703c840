"""GitHub's limits on a check run, kept by the value itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.forge.check_run import CUT, TEXT_LIMIT, Action, CheckRun


@given(st.integers(0, 3).flatmap(lambda n: st.text(max_size=50).map(lambda t: t * 10 ** (n + 1))))
def test_any_text_fits_and_says_when_it_was_cut(text: str) -> None:
    text = text.encode(errors="ignore").decode()
    run = CheckRun("r", "t", text, text)

    for shown in (run.summary, run.text):
        assert len(shown.encode()) <= TEXT_LIMIT
        assert shown == text or (shown.endswith(CUT) and text.startswith(shown.removesuffix(CUT)))


def test_a_text_of_exactly_the_limit_is_left_alone() -> None:
    assert CheckRun("r", "t", "x" * TEXT_LIMIT).summary == "x" * TEXT_LIMIT
    assert CheckRun("r", "t", "x" * (TEXT_LIMIT + 1)).summary.endswith(CUT)


@pytest.mark.parametrize(
    ("label", "description", "identifier"),
    [
        ("x" * 21, "d", "i"),
        ("l", "x" * 41, "i"),
        ("l", "d", "x" * 21),
        ("", "d", "i"),
    ],
)
def test_an_action_beyond_the_limits_cannot_be_made(
    label: str, description: str, identifier: str
) -> None:
    with pytest.raises(ValueError, match="of an action takes"):
        Action(label, description, identifier)


def test_a_fourth_action_is_refused() -> None:
    action = Action("Keep", "Keeps it", "keep:1")
    assert len(CheckRun("r", "t", "s", actions=(action,) * 3).actions) == 3
    with pytest.raises(ValueError, match="at most 3"):
        CheckRun("r", "t", "s", actions=(action,) * 4)
