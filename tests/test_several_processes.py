"""Several processes on one database: who lives is known, and what the dead had begun goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine

from bot.database import connect, migrate
from bot.delivery import Delivery
from bot.handover import Handover
from bot.heartbeats import BEAT, SILENT, Heartbeats
from bot.inbox import Inbox
from bot.jobs import Kind
from bot.metrics import Metrics
from bot.writer import Writer
from tests.queues import InlineQueue

NOW = datetime(2026, 11, 2, 10, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.time = NOW

    def __call__(self) -> datetime:
        return self.time


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = connect(database_url)
    migrate(made)
    yield made
    made.dispose()


@pytest.fixture
def writer(engine: Engine) -> Iterator[Writer]:
    made = Writer(engine)
    yield made
    made.close()


def test_who_says_nothing_for_half_a_minute_is_dead(engine: Engine, writer: Writer) -> None:
    clock = Clock()
    ours, other = (Heartbeats(engine, writer, name, clock) for name in ("ours", "other"))
    assert ours.due()
    ours.beat()
    other.beat()
    assert not ours.due()
    clock.time += BEAT
    assert ours.due()
    clock.time = NOW + SILENT
    assert ours.dead() == ()
    clock.time += timedelta(seconds=1)
    assert ours.dead() == ("other",)  # never itself
    ours.bury("other")
    assert ours.dead() == ()


def test_who_lives_after_all_is_not_buried_and_who_stops_is_not_missed(
    engine: Engine, writer: Writer
) -> None:
    clock = Clock()
    ours, other = (Heartbeats(engine, writer, name, clock) for name in ("ours", "other"))
    other.beat()
    clock.time += SILENT * 2
    other.beat()
    ours.bury("other")
    clock.time += SILENT * 2
    assert ours.dead() == ("other",)
    other.leave()
    assert ours.dead() == ()


def test_who_stops_in_the_middle_of_work_is_missed(engine: Engine, writer: Writer) -> None:
    clock = Clock()
    ours, other = (Heartbeats(engine, writer, name, clock) for name in ("ours", "other"))
    inbox, queue = Inbox(engine, writer, threading.Event()), InlineQueue()
    handover = Handover(
        "other",
        {Kind.HEAR: inbox},
        queue,
        {Kind.HEAR: lambda kind, key, number: handover.stop(0)},
        Metrics(),
        threading.Event(),
        clock,
        other,
    )
    queue.start(handover.work)
    other.beat()
    inbox.store(Delivery("d-1", "ping", b"{}", NOW, NOW, repository=11))
    handover.sweep(NOW)
    queue.drain()
    clock.time += SILENT * 2
    assert ours.dead() == ("other",)
    handover.stop(0)
    assert ours.dead() == ()
