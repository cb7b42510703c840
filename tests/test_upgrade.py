"""What an earlier version left in its database goes on with this one.

`releases/schema-N.sql` is the database of a server whose schema was N: a delivery that had not been
worked on, and a reader with a token.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import Engine, inspect, select

import bot.work.server  # noqa: F401  # every table is declared
from bot.database import MIGRATIONS, connect, metadata, migrate, schema_version
from bot.inbox import Status
from bot.readers import Reader, Tokens
from tests.stores import NOW, stores

RELEASES = sorted(Path(__file__).with_name("releases").glob("schema-*.sql"))
KEY = b"k" * 32
TOKEN = (
    "lkr_eyJpZCI6IjdkOTg2ZmM3NjBjOCIsInJlcG9zaXRvcnkiOjExfQ"
    ".QxwmIsZMYO72JJxYufwdpT6QuFSSnOAqu5y1dIwDL94"
)


@pytest.fixture(params=RELEASES, ids=lambda path: path.stem)
def left_behind(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    file = tmp_path / "lessonkeeper.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(request.param.read_text("utf-8"))
    connection.close()
    return f"sqlite:///{file}"


def described(engine: Engine) -> dict[str, object]:
    """Each table's columns and indexes, as a database has them."""
    found = inspect(engine)
    return {
        table: (
            {c["name"]: (str(c["type"]), c["nullable"]) for c in found.get_columns(table)},
            found.get_pk_constraint(table)["constrained_columns"],
            sorted(str(index["name"]) for index in found.get_indexes(table)),
        )
        for table in found.get_table_names()
    }


def test_there_is_one_of_every_schema_before_this() -> None:
    assert [path.stem for path in RELEASES] == [f"schema-{n}" for n in range(len(MIGRATIONS))]


def test_an_upgraded_database_is_like_a_new_one(left_behind: str, sqlite_url: str) -> None:
    old, new = connect(left_behind), connect(sqlite_url)
    assert set(inspect(old).get_table_names()) <= set(metadata.tables)
    migrate(old)
    migrate(new)
    assert described(old) == described(new)
    with old.connect() as connection:
        assert connection.execute(select(schema_version.c.version)).scalar() == len(MIGRATIONS)
    old.dispose()
    new.dispose()


def test_what_waited_is_worked_on_and_who_could_read_reads(left_behind: str) -> None:
    with stores(left_behind) as kept:
        assert [job.name for job in kept.inbox.claim("here", NOW, 10)] == ["d-1"]
        reader = Tokens(kept.engine, kept.writer, [KEY], lambda: NOW).reader(TOKEN)
        assert reader == Reader("review-bot", 11, captures=False)
        assert kept.inbox.counts()[Status.FAILED] == 0
