"""What past pull requests came to, kept for a day: a long reading goes on where it stopped.

All of it can be lost: it is read again from GitHub.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from sqlalchemy import BigInteger, Column, Engine, Integer, String, Table, Text, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import Moment, metadata, reading
from bot.settings import Settings
from bot.work.codec import Wanted, wanted_from_text, wanted_to_text
from bot.writer import Writer

KEPT = timedelta(days=1)  # a resolved thread is no update that the list would tell

readings = Table(
    "past_readings",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("updated_at", Moment, nullable=False),  # of the pull request when it was read
    Column("settings", String(16), nullable=False),
    Column("at", Moment, nullable=False),
    Column("wanted", Text, nullable=False),
)


class PastReadings:
    """Every change is on disk when a call returns. Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def of(
        self,
        repository: int,
        number: int,
        updated_at: datetime,
        settings: Settings,
        now: datetime,
    ) -> Wanted | None:
        """What was read of it as it is now, under the same settings."""
        row = select(readings.c.wanted).where(
            readings.c.repository == repository,
            readings.c.number == number,
            readings.c.updated_at == updated_at,
            readings.c.settings == _digest(settings),
            readings.c.at > now - KEPT,
        )
        with reading(self._engine) as c:
            text = c.execute(row).scalar()
        return None if text is None else wanted_from_text(text)

    def keep(
        self,
        repository: int,
        number: int,
        updated_at: datetime,
        settings: Settings,
        wanted: Wanted,
        now: datetime,
    ) -> None:
        found = {
            "updated_at": updated_at,
            "settings": _digest(settings),
            "at": now,
            "wanted": wanted_to_text(wanted),
        }
        new = self._insert(readings).values(repository=repository, number=number, **found)
        keys = [readings.c.repository, readings.c.number]
        row = new.on_conflict_do_update(index_elements=keys, set_=found)
        self._writer.do(lambda c: c.execute(row).rowcount)

    def prune(self, now: datetime) -> None:
        old = delete(readings).where(readings.c.at <= now - KEPT)
        self._writer.do(lambda c: c.execute(old).rowcount)


def _digest(settings: Settings) -> str:
    return hashlib.sha256(repr(settings).encode()).hexdigest()[:16]
