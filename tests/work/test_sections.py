"""The record of what a check run says once, on each kind of database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bot.forge.check_run import Section
from bot.work.notices import Notices
from bot.work.sections import KEPT, Sections
from tests.stores import NOW, stores

SHOP, PULL = 11, 12
OLD, NEW = "a" * 40, "b" * 40
REPEAT = Section("It repeats a lesson", "- #1", warns=True)
WRITTEN = Section("1 appended", "- it")


class Rooms:
    def __init__(self, sections: Sections, notices: Notices) -> None:
        self.sections = sections
        self.notices = notices

    def drawn(self, head: str) -> tuple[Section, ...]:
        """As the write job draws it; nothing is due afterwards."""
        (notice,) = self.notices.due(SHOP)
        found = self.sections.of(SHOP, PULL, head)
        self.sections.said(SHOP, PULL, head)
        self.notices.said(SHOP, notice)
        return found


@pytest.fixture
def rooms(database_url: str) -> Iterator[Rooms]:
    with stores(database_url) as made:
        notices = Notices(made.engine, made.writer)
        yield Rooms(Sections(made.engine, made.writer, notices), notices)


def test_what_is_said_once_stays_on_its_head_and_comes_on_no_other(rooms: Rooms) -> None:
    rooms.sections.once(SHOP, PULL, "repeat:1", REPEAT, NOW)
    assert rooms.drawn(OLD) == (REPEAT,)
    rooms.sections.once(SHOP, PULL, "repeat:1", Section("again", ""), NOW)
    assert rooms.notices.due(SHOP) == ()
    assert rooms.sections.of(SHOP, PULL, OLD) == (REPEAT,)
    assert rooms.sections.of(SHOP, PULL, NEW) == ()


def test_what_is_about_one_head_waits_for_it(rooms: Rooms) -> None:
    rooms.sections.once(SHOP, PULL, "outside", REPEAT, NOW, OLD)
    assert rooms.sections.of(SHOP, PULL, NEW) == ()
    assert rooms.drawn(OLD) == (REPEAT,)


def test_what_changes_is_said_on_the_head_of_then(rooms: Rooms) -> None:
    rooms.sections.anew(SHOP, PULL, "written", WRITTEN, NOW)
    assert rooms.drawn(OLD) == (WRITTEN,)
    rooms.sections.anew(SHOP, PULL, "written", WRITTEN, NOW)  # the same words
    assert rooms.notices.due(SHOP) == ()
    more = Section("2 appended", "- both")
    rooms.sections.anew(SHOP, PULL, "written", more, NOW)
    assert rooms.drawn(NEW) == (more,)
    assert rooms.sections.of(SHOP, PULL, OLD) == ()


def test_it_is_of_one_pull_request_of_one_repository_and_ends(rooms: Rooms) -> None:
    rooms.sections.once(SHOP, PULL, "repeat:1", REPEAT, NOW)
    assert rooms.sections.of(SHOP, PULL + 1, OLD) == ()
    assert rooms.sections.of(SHOP + 1, PULL, OLD) == ()
    rooms.sections.prune(NOW + KEPT - timedelta(seconds=1))
    assert rooms.sections.of(SHOP, PULL, OLD) == (REPEAT,)
    rooms.sections.prune(NOW + KEPT)
    assert rooms.sections.of(SHOP, PULL, OLD) == ()
