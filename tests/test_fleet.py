"""Four processes on one database: order, no double work, a death among them, a rolling restart."""

from __future__ import annotations

import itertools
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing.context import ForkServerProcess

from sqlalchemy import Engine, or_, select, update

from bot.database import connect, migrate
from bot.delivery import Delivery
from bot.handover import POLL
from bot.heartbeats import BEAT, SILENT, heartbeats
from bot.inbox import Inbox, Status
from bot.jobs import Kind
from bot.writer import Writer
from bot.writes import writes
from tests.fleet import start, trace
from tests.queues import wait_until

SHOPS = range(1, 6)
HOSTS = ("host2", "host3", "host4")


class Fleet:
    def __init__(self, url: str, engine: Engine, writer: Writer) -> None:
        self.url, self.engine = url, engine
        self.inbox = Inbox(engine, writer, threading.Event())
        self.processes: dict[str, ForkServerProcess] = {}
        self._guids = map(str, itertools.count())

    def start(self, name: str, *, hangs: bool = False) -> None:
        """Returns when it works."""
        began = datetime.now(UTC)
        self.processes[name] = start(self.url, name, hangs=hangs)
        beats = select(heartbeats.c.executor).where(
            heartbeats.c.executor == name, heartbeats.c.at > began
        )

        def lives() -> bool:
            with self.engine.connect() as connection:
                return connection.execute(beats).first() is not None

        wait_until(lives)

    def end(self, name: str, by: signal.Signals) -> None:
        process = self.processes.pop(name)
        (process.kill if by is signal.SIGKILL else process.terminate)()
        process.join(30)
        assert process.exitcode == (-by if by is signal.SIGKILL else 0)

    def deliver(self, times: int = 1) -> None:
        """To each shop, so often."""
        for shop in [*SHOPS] * times:
            now = datetime.now(UTC)
            guid = f"d-{next(self._guids)}"
            self.inbox.store(Delivery(guid, "push", b"{}", now, now, repository=shop))

    def traces(self, kind: Kind, what: str) -> list[tuple[int, int, str]]:
        """Repository, number and process, in the order in which it happened."""
        rows = select(trace.c.repository, trace.c.number, trace.c.executor).order_by(trace.c.at)
        with self.engine.connect() as connection:
            found = connection.execute(rows.where(trace.c.kind == kind, trace.c.what == what))
            return [(row.repository, row.number, row.executor) for row in found]

    def grow_silent(self, name: str) -> None:
        """Half a minute passes for the dead; the living wait for nothing in a test."""
        with self.engine.begin() as connection:
            row = update(heartbeats).where(heartbeats.c.executor == name)
            connection.execute(row.values(at=datetime.now(UTC) - SILENT - timedelta(seconds=1)))

    def is_done(self) -> bool:
        counts = self.inbox.counts()
        if counts[Status.RECEIVED] or counts[Status.HANDED]:
            return False
        # In one question: between two a job that is due can become one that runs, or the other way.
        open_ = select(writes.c.repository).where(
            or_(writes.c.not_before.is_not(None), writes.c.handed_at.is_not(None))
        )
        with self.engine.connect() as connection:
            return connection.execute(open_).first() is None


@contextmanager
def fleet(url: str) -> Iterator[Fleet]:
    with ExitStack() as stack:
        engine = connect(url)
        stack.callback(engine.dispose)
        migrate(engine)
        trace.create(engine)
        writer = Writer(engine)
        stack.callback(writer.close)
        made = Fleet(url, engine, writer)
        try:
            yield made
        finally:
            for process in made.processes.values():
                process.kill()
                process.join()


def test_a_fleet_goes_on_whoever_dies_or_starts_anew(postgres_url: str) -> None:
    with fleet(postgres_url) as many:
        many.start("host1", hangs=True)
        many.deliver()
        wait_until(lambda: len(many.traces(Kind.WRITE, "begun")) >= 2)
        held = {shop for shop, _, _ in many.traces(Kind.WRITE, "begun")}
        for host in HOSTS:
            many.start(host)
        many.deliver(times=3)
        wait_until(lambda: many.inbox.counts()[Status.DONE] == 4 * len(SHOPS))
        assert not held & {shop for shop, _, _ in many.traces(Kind.WRITE, "done")}

        many.end("host1", signal.SIGKILL)
        many.grow_silent("host1")
        wait_until(many.is_done)
        assert held < {shop for shop, _, _ in many.traces(Kind.WRITE, "done")}

        many.start("host1")
        for host in ("host1", *HOSTS):
            many.deliver()
            many.end(host, signal.SIGTERM)
            many.start(host)
        wait_until(many.is_done)

        heard = [number for _, number, _ in many.traces(Kind.HEAR, "done")]
        assert sorted(heard) == sorted(set(heard))
        assert many.inbox.counts()[Status.DONE] == len(heard) == 8 * len(SHOPS)
        assert many.traces(Kind.WRITE, "beside") == []
        wrote = many.traces(Kind.WRITE, "done")
        for shop in SHOPS:
            numbers = [number for each, number, _ in wrote if each == shop]
            assert numbers == sorted(set(numbers))
        assert len(Counter(host for _, _, host in wrote)) > 1


def test_a_death_is_noticed_within_a_minute() -> None:
    assert timedelta(minutes=1) > SILENT + BEAT + POLL
