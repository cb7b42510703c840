"""One thread writes: what `do` returned is on disk, and one bad change spoils no other."""

from __future__ import annotations

import resource
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection, Engine, event, func, insert, select, text

from bot.database import MIGRATIONS, connect, migrate, reading, schema_version
from bot.errors import Fault
from bot.writer import GROUP, Writer


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = connect(database_url)
    migrate(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def writer(engine: Engine) -> Iterator[Writer]:
    writer = Writer(engine)
    yield writer
    writer.close()


def versions(engine: Engine) -> list[int]:
    with reading(engine) as connection:
        return sorted(connection.execute(select(schema_version.c.version)).scalars())


def test_waiting_changes_share_a_transaction(engine: Engine, writer: Writer) -> None:
    commits: list[Connection] = []
    event.listen(engine, "commit", commits.append)
    first_runs, go_on = threading.Event(), threading.Event()

    def hold(connection: Connection) -> None:
        first_runs.set()
        assert go_on.wait(5)

    def change(connection: Connection) -> None:
        connection.execute(insert(schema_version).values(version=9))

    with ThreadPoolExecutor(GROUP + 2) as threads:
        holding = threads.submit(writer.do, hold)
        assert first_runs.wait(5)
        waiting = [threads.submit(writer.do, change) for _ in range(GROUP)]
        while writer.waiting() < GROUP:
            pass
        go_on.set()
        holding.result()
        for future in waiting:
            future.result()
    assert versions(engine) == [len(MIGRATIONS)] + [9] * GROUP
    assert len(commits) == 2


def test_a_bad_change_fails_alone(engine: Engine, writer: Writer) -> None:
    first_runs, go_on = threading.Event(), threading.Event()

    def hold(connection: Connection) -> None:
        first_runs.set()
        assert go_on.wait(5)

    def good(version: int, connection: Connection) -> None:
        connection.execute(insert(schema_version).values(version=version))

    def bad(connection: Connection) -> None:
        connection.execute(text("INSERT INTO no_such_table VALUES (1)"))

    with ThreadPoolExecutor(4) as threads:
        holding = threads.submit(writer.do, hold)
        assert first_runs.wait(5)
        before = threads.submit(writer.do, lambda connection: good(1, connection))
        broken = threads.submit(writer.do, bad)
        after = threads.submit(writer.do, lambda connection: good(2, connection))
        while writer.waiting() < 3:
            pass
        go_on.set()
        holding.result()
        before.result()
        after.result()
        with pytest.raises(Fault, match="refused a change"):
            broken.result()
    assert versions(engine) == sorted([len(MIGRATIONS), 1, 2])


def test_a_change_answers_with_its_result_once_others_can_see_it(
    engine: Engine, writer: Writer
) -> None:
    def change(connection: Connection) -> int:
        connection.execute(insert(schema_version).values(version=5))
        return connection.execute(select(func.count()).select_from(schema_version)).scalar_one()

    assert writer.do(change) == 2
    assert versions(engine) == [len(MIGRATIONS), 5]


def test_closing_finishes_what_waits_and_refuses_what_comes_later(engine: Engine) -> None:
    writer = Writer(engine)
    writer.do(lambda connection: connection.execute(insert(schema_version).values(version=3)))
    writer.close()
    assert versions(engine) == [len(MIGRATIONS), 3]
    with pytest.raises(Fault, match="closed"):
        writer.do(lambda connection: None)


@contextmanager
def full_disk() -> Iterator[None]:
    """The kernel lets no file of this process grow; what it writes is refused as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_change_that_finds_no_room_on_the_disk_is_refused_and_the_next_one_is_made(
    sqlite_url: str,
) -> None:
    engine = connect(sqlite_url)
    migrate(engine)
    writer = Writer(engine)
    with full_disk(), pytest.raises(Fault, match="refused a change: OperationalError"):
        writer.do(lambda connection: connection.execute(insert(schema_version).values(version=8)))
    writer.do(lambda connection: connection.execute(insert(schema_version).values(version=9)))
    assert versions(engine) == [len(MIGRATIONS), 9]
    writer.close()
    engine.dispose()


def test_a_connection_that_is_lost_costs_one_change_at_most(postgres_url: str) -> None:
    engine = connect(postgres_url)
    migrate(engine)
    writer = Writer(engine)
    cut = text("SELECT pg_terminate_backend(pg_backend_pid())")
    with pytest.raises(Fault, match="refused a change"):
        writer.do(lambda connection: connection.execute(cut))
    writer.do(lambda connection: connection.execute(insert(schema_version).values(version=9)))
    assert versions(engine) == [len(MIGRATIONS), 9]
    writer.close()
    engine.dispose()
