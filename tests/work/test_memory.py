"""What is remembered between two jobs, on each kind of database."""

from __future__ import annotations

from datetime import timedelta

from bot.work.memory import Memory
from tests.stores import NOW, stores


def test_a_repository_makes_so_many_calls_a_day_and_no_more(database_url: str) -> None:
    with stores(database_url) as made:
        memory = Memory(made.engine, made.writer)
        assert [memory.take_call(11, 2, NOW) for _ in range(3)] == [True, True, False]
        assert memory.take_call(12, 2, NOW)
        assert memory.take_call(11, 2, NOW + timedelta(days=1))
        assert not memory.take_call(11, 0, NOW + timedelta(days=2))


def test_housekeeping_is_wanted_at_the_earliest_of_the_times(database_url: str) -> None:
    with stores(database_url) as made:
        memory = Memory(made.engine, made.writer)
        memory.meet(11, 100, "acme/shop")
        for minutes in (9, 3, 5):
            memory.want_housekeeping(11, NOW + timedelta(minutes=minutes))
        known = memory.known(11)
        assert known is not None
        assert known.housekeeping_at == NOW + timedelta(minutes=3)
        memory.housekeeping_done(11)
        known = memory.known(11)
        assert known is not None
        assert known.housekeeping_at is None
