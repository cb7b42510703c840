"""Thirty notes, five killed sessions: what was answered is what the remote has."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.bench.saved import Tally, _judge, home, save_and_find
from bot.notes.capture import State


@pytest.mark.campaign
def test_every_note_is_found_or_honestly_not_there(tmp_path: Path) -> None:
    place = home(tmp_path)
    found = save_and_find(place, 30, 5, lambda: None, seed=7)
    assert found.lost == []
    assert found.notes == 30
    assert found.saved >= 25
    assert place.index().prepared(1) == ()


def test_an_answer_that_the_remote_does_not_bear_out_is_counted(tmp_path: Path) -> None:
    place, tally = home(tmp_path), Tally()
    _judge(place, "quokka", (State.CAPTURED.value, 0.1), tally)
    place.save("quokka")
    _judge(place, "quokka", (State.NOT_SAVED.value, 0.1), tally)
    _judge(place, "quokka", (State.CAPTURED.value, 0.1), tally)
    assert (tally.lost, tally.saved) == (["quokka: captured", "quokka: not saved"], 1)
