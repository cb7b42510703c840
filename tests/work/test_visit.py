"""One opening for all that a job does in a repository, and what goes before the talk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

import pytest

from bot.errors import Fault
from bot.work.memory import Known, Memory
from bot.work.notices import Notices
from bot.work.places import Place
from bot.work.questions import Questions
from bot.work.sections import Sections
from bot.work.telling import Telling
from bot.work.visit import Open, Visit
from tests.stores import NOW, stores
from tests.work.conftest import Shop


@dataclass
class Door:
    """Opens the repository, and counts how often it did and how often it was closed again."""

    real: Open
    opened: int = 0
    closed: int = 0

    @contextmanager
    def open(self, known: Known) -> Iterator[Place]:
        self.opened += 1
        try:
            with self.real(known) as place:
                yield place
        finally:
            self.closed += 1


@pytest.fixture
def door(shop: Shop) -> Door:
    return Door(shop.stage.server.presence.open)


def test_a_repository_is_opened_once_however_many_want_it_opened(door: Door, known: Known) -> None:
    with closing(Visit(door.open)) as visit:
        assert door.opened == 0
        for _ in range(3):
            with visit.open(known) as place:
                assert place.repository.id == known.id
        assert (door.opened, door.closed) == (1, 0)
    assert (door.opened, door.closed) == (1, 1)


def test_after_a_fault_it_is_opened_anew(door: Door, known: Known) -> None:
    with closing(Visit(door.open)) as visit:
        with pytest.raises(Fault, match="lost"), visit.open(known):
            raise Fault("the line was lost")
        assert (door.opened, door.closed) == (1, 1)
        with visit.open(known):
            assert (door.opened, door.closed) == (2, 1)


def test_what_waits_to_be_written_goes_before_the_rest_of_the_talk(
    shop: Shop, known: Known, door: Door, sqlite_url: str
) -> None:
    with stores(sqlite_url) as made:
        notices = Notices(made.engine, made.writer)
        memory = Memory(made.engine, made.writer)
        telling = Telling(
            Questions(made.engine, made.writer, memory, notices),
            notices,
            Sections(made.engine, made.writer, notices),
            made.writes,
            lambda: NOW,
        )
        for key in ("reply:1", "reply:2", "reply:3"):
            notices.say(known.id, 1, key, f"This answers {key}.", NOW)
        telling.after(known, door.open)
        assert len(notices.due(known.id)) == 2
        (job,) = made.writes.claim("here", NOW, 10)
        telling.after(known, door.open)
        assert notices.due(known.id) == ()
        assert job in made.writes.handed("here")
    assert len(shop.repository.comments) == 3
