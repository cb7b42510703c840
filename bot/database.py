"""The bot's own database: one engine, one MetaData, numbered migrations.

SQLite by default, PostgreSQL by URL. Each room declares its tables on `metadata`; this module knows
none of them. Nothing in here is canonical for a repository: its lessons live in git.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import (
    Column,
    Connection,
    DateTime,
    Dialect,
    Engine,
    Integer,
    MetaData,
    Table,
    create_engine,
    event,
    insert,
    inspect,
    make_url,
    select,
    text,
    update,
)
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.types import TypeDecorator

from bot.errors import UserError

metadata = MetaData()
schema_version = Table("schema_version", metadata, Column("version", Integer, nullable=False))


def _readers_may_capture(connection: Connection) -> None:
    if inspect(connection).has_table("reader_tokens"):
        column = "captures BOOLEAN NOT NULL DEFAULT false"
        connection.execute(text(f"ALTER TABLE reader_tokens ADD COLUMN {column}"))


def _work_is_in_named_hands(connection: Connection) -> None:
    for ledger in ("inbox", "writes"):
        if inspect(connection).has_table(ledger):
            for column in ("executor VARCHAR(100)", "deaths INTEGER NOT NULL DEFAULT 0"):
                connection.execute(text(f"ALTER TABLE {ledger} ADD COLUMN {column}"))


# What a step does to the tables of the version before it; new tables need none, they are created.
# Append only: the version of a database is the number of steps it has seen.
MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    _readers_may_capture,
    _work_is_in_named_hands,
)

BUSY_SECONDS = 30.0  # rides out another process's checkpoint on a slow disk
_MIGRATION_LOCK = 0x1E550  # any constant: two processes that start together migrate one by one


class Moment(TypeDecorator[datetime]):
    """An aware datetime in UTC, with microseconds; SQLite keeps it as text that sorts by time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a naive datetime has no place in the database")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def connect(url: str) -> Engine:
    """An engine for `url` (`sqlite:///FILE`, `postgresql://…`); the folder of the file is made.

    A committed transaction is on disk (SQLite: WAL with synchronous=FULL). Raises UserError for a
    URL that names neither.
    """
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise UserError(
            "The database URL cannot be read.",
            remedy="Write it as sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME.",
        ) from error
    match parsed.drivername.partition("+")[0]:
        case "sqlite" if parsed.database not in (None, "", ":memory:"):
            Path(str(parsed.database)).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            engine = create_engine(parsed, connect_args={"timeout": BUSY_SECONDS})
            event.listen(engine, "connect", _prepare_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
            return engine
        case "postgresql" | "postgres":
            return create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
        case _:
            raise UserError(
                f"The database {parsed.drivername!r} is not supported.",
                remedy="Use a SQLite file (sqlite:///FILE) or PostgreSQL (postgresql://…).",
            )


def is_embedded(url: str) -> bool:
    """Whether it is a file of this machine, which takes one writer at a time."""
    return make_url(url).drivername.startswith("sqlite")


def reading(engine: Engine) -> Connection:
    """A connection that only reads: on SQLite it never waits for a writer and never blocks one."""
    return engine.connect().execution_options(lessonkeeper_reads=True)


def migrate(
    engine: Engine, migrations: Sequence[Callable[[Connection], None]] = MIGRATIONS
) -> None:
    """Create what is missing and run the steps this database has not seen, all in one transaction.

    Raises UserError where the database was written by a newer version of the program.
    """
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
        metadata.create_all(connection, tables=[schema_version])
        version = connection.execute(select(schema_version.c.version)).scalar()
        if version is None:
            metadata.create_all(connection)
            connection.execute(insert(schema_version).values(version=len(migrations)))
            return
        if version > len(migrations):
            raise UserError(
                f"The database has schema {version}, this program knows {len(migrations)}.",
                remedy="Run the newer version of the program, or restore a backup made before it.",
            )
        for step in migrations[version:]:
            step(connection)
        metadata.create_all(connection)
        connection.execute(update(schema_version).values(version=len(migrations)))


def _prepare_sqlite(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # the driver shall not begin transactions; _begin_sqlite does
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later cannot wait for the lock, it fails at once:
    # whoever may write takes the lock at the beginning.
    reads = connection.get_execution_options().get("lessonkeeper_reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
