"""Work on a timer is done once, whoever asks, on each kind of database."""

from __future__ import annotations

from datetime import timedelta

from bot.work.rounds import Rounds
from tests.stores import NOW, stores

DAY = timedelta(days=1)


def test_of_many_who_ask_one_begins_and_again_when_it_is_time(database_url: str) -> None:
    with stores(database_url) as made:
        rounds = Rounds(made.engine, made.writer)
        assert [rounds.begin("sweep", DAY, NOW) for _ in range(3)] == [True, False, False]
        assert rounds.begin("prune", DAY, NOW)
        assert not rounds.begin("sweep", DAY, NOW + DAY / 2)
        assert rounds.begin("sweep", DAY, NOW + DAY)
