"""The database: durable, migrated by number, the same on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import Column, Connection, Engine, MetaData, Table, insert, inspect, select, text
from sqlalchemy.exc import StatementError

from bot import database
from bot.database import MIGRATIONS, Moment, connect, migrate, reading, schema_version
from bot.errors import UserError

moments = Table("moments", MetaData(), Column("at", Moment))


@contextmanager
def opened(url: str) -> Iterator[Engine]:
    engine = connect(url)
    try:
        yield engine
    finally:
        engine.dispose()


def columns(engine: Engine) -> set[str]:
    return {column["name"] for column in inspect(engine).get_columns("schema_version")}


def test_a_committed_transaction_is_on_disk(sqlite_url: str) -> None:
    with opened(sqlite_url) as engine, engine.connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        full = 2
        assert connection.execute(text("PRAGMA synchronous")).scalar() == full


def test_reading_neither_waits_for_a_writer_nor_sees_half_of_its_work(sqlite_url: str) -> None:
    with opened(sqlite_url) as engine:
        migrate(engine)
        with engine.begin() as writing, reading(engine) as other:
            writing.execute(insert(schema_version).values(version=7))
            seen = other.execute(select(schema_version.c.version)).scalars().all()
            assert seen == [len(MIGRATIONS)]


def test_a_moment_is_utc_and_keeps_its_microseconds(database_url: str) -> None:
    at = datetime(2026, 11, 2, 10, 0, 0, 123, tzinfo=timezone(timedelta(hours=5)))
    with opened(database_url) as engine, engine.begin() as connection:
        moments.create(connection)
        connection.execute(insert(moments).values(at=at))
        found = connection.execute(select(moments.c.at)).scalar_one()
        earlier = moments.c.at < at + timedelta(microseconds=1)
        assert (found, found.tzinfo) == (at, UTC)
        assert connection.execute(select(moments).where(earlier)).first() is not None


def test_a_moment_without_a_zone_is_refused(sqlite_url: str) -> None:
    naive = insert(moments).values(at=datetime(2026, 11, 2))  # noqa: DTZ001
    with opened(sqlite_url) as engine, engine.begin() as connection:
        moments.create(connection)
        with pytest.raises(StatementError, match="naive"):
            connection.execute(naive)


def test_a_step_runs_once_in_a_database_that_has_not_seen_it(database_url: str) -> None:
    def add_column(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE schema_version ADD COLUMN colour TEXT"))

    with opened(database_url) as engine:
        migrate(engine, [])
        migrate(engine, [add_column])
        migrate(engine, [add_column])
        assert columns(engine) == {"version", "colour"}


def test_a_new_database_needs_no_steps(database_url: str) -> None:
    def never(connection: Connection) -> None:
        raise AssertionError("a new database is created as it should be")

    with opened(database_url) as engine:
        migrate(engine, [never])
        migrate(engine, [never])


def test_a_step_that_breaks_leaves_the_database_as_it_was(database_url: str) -> None:
    def half(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE schema_version ADD COLUMN colour TEXT"))
        raise RuntimeError("the power went")

    with opened(database_url) as engine:
        migrate(engine, [])
        with pytest.raises(RuntimeError):
            migrate(engine, [half])
        assert columns(engine) == {"version"}


def test_a_database_from_the_future_is_not_touched(sqlite_url: str) -> None:
    with opened(sqlite_url) as engine:
        migrate(engine, [lambda connection: None])
        with pytest.raises(UserError, match="schema 1, this program knows 0"):
            migrate(engine, [])


@pytest.mark.parametrize(
    "url", ["mysql://localhost/x", "sqlite://", "sqlite:///:memory:", "nonsense"]
)
def test_a_database_that_cannot_serve_is_refused_with_a_remedy(url: str) -> None:
    with pytest.raises(UserError) as refused:
        database.connect(url)
    assert "postgresql://" in refused.value.remedy


def test_a_password_never_stands_in_a_message() -> None:
    with pytest.raises(UserError) as refused:
        connect("mysql://user:s3cret@localhost/x")
    assert "s3cret" not in str(refused.value)
