"""Several processes on one database: who lives is known, and what the dead had begun goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine

from bot.database import connect, migrate
from bot.handover import Handover
from bot.heartbeats import BEAT, SILENT, Heartbeats
from bot.inbox import Delivery, Inbox, Status
from bot.jobs import DbosQueue, InlineQueue, Kind
from bot.metrics import Metrics
from bot.writer import Writer
from tests.queues import wait_until

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


BEGINS_AND_HANGS = """
import sys, threading
from datetime import UTC, datetime
from bot.database import connect
from bot.handover import Handover
from bot.heartbeats import Heartbeats
from bot.inbox import Inbox
from bot.jobs import DbosQueue, InlineQueue, Kind
from bot.metrics import Metrics
from bot.writer import Writer

engine = connect(sys.argv[1])
writer = Writer(engine)
bell = threading.Event()

def hang(kind, key, number):
    print("begun", flush=True)
    threading.Event().wait(60)

Handover(
    {kind: Inbox(engine, writer, bell) for kind in (Kind.HEAR,)}, DbosQueue(sys.argv[1], "doomed"),
    {kind: hang for kind in Kind}, Metrics(), bell,
    heartbeats=Heartbeats(engine, writer, "doomed"),
).start()
threading.Event().wait(60)
"""


def test_what_a_killed_process_had_begun_is_done_by_another(postgres_url: str) -> None:
    engine = connect(postgres_url)
    migrate(engine)
    writer = Writer(engine)
    bell = threading.Event()
    inbox = Inbox(engine, writer, bell)
    now = datetime.now(UTC)
    delivery = Delivery("d-1", "ping", b"{}", now, now, repository=11)
    root = Path(__file__).parents[1]
    command = [sys.executable, "-c", BEGINS_AND_HANGS, postgres_url]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as doomed:
        inbox.store(delivery)
        assert doomed.stdout is not None
        assert doomed.stdout.readline() == "begun\n"
        doomed.send_signal(signal.SIGKILL)
    ran: list[int] = []
    heartbeats = Heartbeats(
        engine, writer, "heir", lambda: datetime.now(UTC) + SILENT + timedelta(seconds=1)
    )
    heir = Handover(
        {Kind.HEAR: inbox},
        DbosQueue(postgres_url, "heir"),
        dict.fromkeys(Kind, lambda kind, key, number: ran.append(number)),
        Metrics(),
        bell,
        heartbeats=heartbeats,
    )
    heir.start()
    try:
        wait_until(lambda: inbox.counts()[Status.DONE] == 1)
    finally:
        heir.stop(0)
        writer.close()
    entry = inbox.find("d-1")
    assert entry is not None
    assert (len(ran), entry.attempt) == (1, 2)
    assert replace(entry, body=None).reason is None
    engine.dispose()
