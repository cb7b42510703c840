"""Which lessons a pull request is told that it repeats."""

from __future__ import annotations

from datetime import date

from bot.channels.repeat import repeats
from bot.lessons.edit import Occasion, Reckoning, Taught
from bot.settings import Settings

BEFORE = tuple(Occasion(pr, date(2026, 11, pr)) for pr in (1, 2, 3))
TAUGHT = tuple(
    Taught(f"{times:08x}", "Close it.", "refreshed", BEFORE[:times]) for times in range(4)
)
CAME = Reckoning(9, TAUGHT)


def test_from_the_third_pull_request_on() -> None:
    assert repeats(CAME, Settings()) == TAUGHT[2:]


def test_one_setting_turns_it_off() -> None:
    assert repeats(CAME, Settings(repeat_notice=False)) == ()
