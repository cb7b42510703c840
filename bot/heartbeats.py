"""Which processes of one database are alive: each says so every few seconds.

By the real clock, whatever clock the work goes by. It knows no work.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import Column, Connection, Engine, String, Table, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import Moment, metadata, reading
from bot.writer import Writer

BEAT = timedelta(seconds=5)
SILENT = timedelta(seconds=30)  # six missed: work is taken over within a minute of a death

heartbeats = Table(
    "heartbeats",
    metadata,
    Column("executor", String(100), primary_key=True),
    Column("at", Moment, nullable=False),
)


class Heartbeats:
    """Of the process that runs jobs as `name`; one thread uses it."""

    def __init__(
        self,
        engine: Engine,
        writer: Writer,
        name: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._engine = engine
        self._writer = writer
        self._name = name
        self._now = now
        self._next = now()
        dialect = postgresql if engine.dialect.name == "postgresql" else sqlite
        said = dialect.insert(heartbeats)
        self._say = said.on_conflict_do_update(
            index_elements=[heartbeats.c.executor], set_={"at": said.excluded.at}
        )

    def due(self) -> bool:
        return self._now() >= self._next

    def beat(self) -> None:
        """Says that this process lives. Raises Fault."""
        now = self._now()
        self._next = now + BEAT
        row = {"executor": self._name, "at": now}

        def say(connection: Connection) -> None:
            connection.execute(self._say, row)

        self._writer.do(say)

    def dead(self) -> tuple[str, ...]:
        """The other processes that have said nothing for too long."""
        late = select(heartbeats.c.executor).where(
            heartbeats.c.at < self._now() - SILENT, heartbeats.c.executor != self._name
        )
        with reading(self._engine) as connection:
            return tuple(connection.execute(late).scalars())

    def bury(self, name: str) -> None:
        """Its work is taken over; should it live after all, it says so itself. Raises Fault."""
        row = delete(heartbeats).where(
            heartbeats.c.executor == name, heartbeats.c.at < self._now() - SILENT
        )
        self._writer.do(lambda connection: connection.execute(row).rowcount)

    def leave(self) -> None:
        """This process stops and leaves nothing half done. Raises Fault."""
        row = delete(heartbeats).where(heartbeats.c.executor == self._name)
        self._writer.do(lambda connection: connection.execute(row).rowcount)
