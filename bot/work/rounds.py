"""When work that comes round was last begun: it survives restarts, and a fleet does it once."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Column, Engine, String, Table, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import Moment, metadata, reading
from bot.writer import Writer

rounds = Table(
    "rounds",
    metadata,
    Column("name", String(50), primary_key=True),
    Column("begun_at", Moment, nullable=False),
)


class Rounds:
    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def begin(
        self, name: str, every: timedelta, now: datetime, lease: timedelta | None = None
    ) -> bool:
        """Whether it is time: of several processes that ask, one is told so. Raises Fault.

        With a `lease` it is time again after that, unless `done` is called meanwhile: what a killed
        process had begun is begun once more.
        """
        begun_at = now if lease is None else now - every + lease
        begun = (
            self._insert(rounds)
            .values(name=name, begun_at=begun_at)
            .on_conflict_do_update(
                index_elements=[rounds.c.name],
                set_={"begun_at": begun_at},
                where=rounds.c.begun_at <= now - every,
            )
            .returning(rounds.c.name)  # PostgreSQL's driver counts no inserted rows
        )
        return self._writer.do(lambda connection: connection.execute(begun).first()) is not None

    def done(self, name: str, at: datetime) -> None:
        """Raises Fault."""
        new = self._insert(rounds).values(name=name, begun_at=at)
        row = new.on_conflict_do_update(index_elements=[rounds.c.name], set_={"begun_at": at})
        self._writer.do(lambda connection: connection.execute(row).rowcount)

    def last(self, name: str) -> datetime | None:
        """When it was last begun or done. Raises Fault."""
        with reading(self._engine) as connection:
            return connection.execute(
                select(rounds.c.begun_at).where(rounds.c.name == name)
            ).scalar()

    def forget(self, name: str) -> None:
        """It was not done: it is time for it at once. Raises Fault."""
        row = delete(rounds).where(rounds.c.name == name)
        self._writer.do(lambda connection: connection.execute(row).rowcount)
