"""The letterbox: what was put is there until it is forgotten, in order; no number returns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.delivery import Delivery
from bot.letterbox import AT_ONCE, LETTERBOX, Letterbox

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)


@pytest.fixture
def letterbox(tmp_path: Path) -> Iterator[Letterbox]:
    made = Letterbox(tmp_path)
    yield made
    made.close()


def letter(guid: str) -> Delivery:
    return Delivery(guid, "push", b'{"ref": "caf\xc3\xa9"}', NOON, NOON)


def test_letters_come_back_as_they_were_put_in_the_order_they_came(letterbox: Letterbox) -> None:
    assert letterbox.put([letter("b"), letter("a")]) == (2, False)
    assert letterbox.after(0, 10) == [(1, letter("b")), (2, letter("a"))]
    assert letterbox.after(0, 1) == [(1, letter("b"))]
    assert letterbox.after(1, 10) == [(2, letter("a"))]


def test_another_process_reads_while_one_writes(letterbox: Letterbox, tmp_path: Path) -> None:
    letterbox.put([letter("a")])
    with sqlite3.connect(tmp_path / LETTERBOX, isolation_level=None) as writer:
        writer.execute("BEGIN IMMEDIATE")
        assert [number for number, _ in letterbox.after(0, 10)] == [1]


def test_a_number_is_not_given_twice(letterbox: Letterbox) -> None:
    letterbox.put([letter("a"), letter("b")])
    assert letterbox.put([], taken=2) == (0, False)
    assert letterbox.put([letter("c")], taken=2) == (3, False)


def test_many_are_forgotten_a_portion_at_a_time(letterbox: Letterbox) -> None:
    """A transaction that frees thousands of bodies takes half a second, and somebody waits."""
    letterbox.put([letter(f"d-{number}") for number in range(AT_ONCE + 1)])
    assert letterbox.put([], taken=AT_ONCE + 1) == (AT_ONCE + 1, True)
    assert letterbox.put([], taken=AT_ONCE + 1) == (0, False)


def test_all_or_none_of_a_group_is_kept(letterbox: Letterbox) -> None:
    broken = Delivery("b", "push", None, NOON, NOON)  # type: ignore[arg-type]
    with pytest.raises(sqlite3.IntegrityError):
        letterbox.put([letter("a"), broken])
    assert letterbox.after(0, 10) == []
    assert letterbox.put([letter("c")])[1] is False
