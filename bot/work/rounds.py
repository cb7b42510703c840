"""When work that comes round was last begun: it survives restarts, and a fleet does it once."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Column, Engine, String, Table, delete
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import Moment, metadata
from bot.writer import Writer

rounds = Table(
    "rounds",
    metadata,
    Column("name", String(50), primary_key=True),
    Column("begun_at", Moment, nullable=False),
)


class Rounds:
    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._writer = writer
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def begin(self, name: str, every: timedelta, now: datetime) -> bool:
        """Whether it is time: of several processes that ask, one is told so. Raises Fault."""
        begun = (
            self._insert(rounds)
            .values(name=name, begun_at=now)
            .on_conflict_do_update(
                index_elements=[rounds.c.name],
                set_={"begun_at": now},
                where=rounds.c.begun_at <= now - every,
            )
            .returning(rounds.c.name)  # PostgreSQL's driver counts no inserted rows
        )
        return self._writer.do(lambda connection: connection.execute(begun).first()) is not None

    def forget(self, name: str) -> None:
        """It was not done: it is time for it at once. Raises Fault."""
        row = delete(rounds).where(rounds.c.name == name)
        self._writer.do(lambda connection: connection.execute(row).rowcount)
