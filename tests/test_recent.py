"""Who may go by what another has just asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot import recent
from bot.recent import Recent

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


class World:
    """A clock, and something that changes whenever it is asked."""

    def __init__(self) -> None:
        self.now = NOON
        self.asked = 0
        self.recent = Recent(lambda: self.now)

    def look(self) -> int:
        self.asked += 1
        self.now += SECOND  # a question takes its time
        return self.asked

    def at(self, since: datetime) -> int:
        return self.recent.since(since).ask("tip", self.look)


def test_an_answer_does_for_all_that_happened_before_its_question() -> None:
    world = World()
    assert world.at(NOON - SECOND) == 1
    assert world.at(NOON - SECOND / 2) == 1


def test_what_happened_while_it_was_asked_is_asked_about_again() -> None:
    world = World()
    world.at(NOON - SECOND)
    assert world.at(NOON + SECOND / 2) == 2
    assert world.at(NOON) == 2


def test_what_happened_at_the_very_moment_of_the_question_may_be_missing_in_the_answer() -> None:
    world = World()
    world.at(NOON - SECOND)
    assert world.at(NOON) == 2


def test_the_answer_to_an_older_question_does_not_take_the_place_of_a_newer_one() -> None:
    world = World()
    late = world.recent.since(NOON - SECOND)
    begun = late.begin()
    late.anew("tip", world.look)
    late.keep("tip", "old", begun)
    assert late.ask("tip", world.look) == 1


def test_an_answer_that_holds_no_more_is_asked_for_again() -> None:
    world = World()
    lately = world.recent.since(NOON - SECOND)
    lately.ask("tip", world.look)
    lately.forget("tip")
    assert lately.ask("tip", world.look) == 2


def test_scopes_and_keys_do_not_answer_for_each_other() -> None:
    world = World()
    here, there = (world.recent.since(NOON - SECOND).within(each) for each in (1, 2))
    assert [here.ask("a", world.look), there.ask("a", world.look), here.ask("b", world.look)] == [
        1, 2, 3,
    ]  # fmt: skip


def test_a_failed_question_answers_nobody() -> None:
    world = World()
    lately = world.recent.since(NOON - SECOND)
    with pytest.raises(ZeroDivisionError):
        lately.ask("tip", lambda: 1 // 0)
    assert lately.ask("tip", world.look) == 1


def test_nobody_goes_by_it_for_long_whatever_the_clock_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    world.at(NOON - SECOND)
    monkeypatch.setattr(recent, "KEPT", 0.0)
    assert world.at(NOON - SECOND) == 2
