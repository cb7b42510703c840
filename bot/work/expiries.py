"""When each repository is looked through for notes that end soon, and what a chat was told."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Integer,
    String,
    Table,
    delete,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from bot.channels.expiring import Listed
from bot.database import Moment, metadata, reading
from bot.writer import Writer
from bot.writes import request_write

KEEP = timedelta(days=30)  # what was told is about a day that is at most as far ahead as `notice`

expiries = Table(
    "expiries",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("due_at", Moment),  # NULL: nothing is to be looked at
    Column("attempt", Integer, nullable=False),  # tries that failed since it last worked
    Column("issue", Boolean),  # whether ours is open; NULL: not known
)
told = Table(
    "expiries_told",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("bullet", String(8), primary_key=True),
    Column("ends", String(10), primary_key=True),
    Column("at", Moment, nullable=False),
)


class Expiries:
    """Every change is on disk when a call returns. Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def want(self, repository: int, due_at: datetime, attempt: int = 0) -> None:
        """A look with the write job of that time, which is asked for."""
        values = {"due_at": due_at, "attempt": attempt}
        new = self._insert(expiries).values(repository=repository, **values)
        row = new.on_conflict_do_update(index_elements=["repository"], set_=values)

        def change(c: Connection) -> None:
            c.execute(row)
            request_write(c, repository, due_at)

        self._writer.do(change)

    def due(self, repository: int, now: datetime) -> int | None:
        """How often the look that is due failed; None: none is due."""
        row = select(expiries.c.attempt).where(
            expiries.c.repository == repository, expiries.c.due_at <= now
        )
        with reading(self._engine) as c:
            return c.execute(row).scalar()

    def done(self, repository: int) -> None:
        self._change(repository, due_at=None, attempt=0)

    def issue(self, repository: int) -> bool | None:
        """Whether our issue is open there; None: not known."""
        row = select(expiries.c.issue).where(expiries.c.repository == repository)
        with reading(self._engine) as c:
            return c.execute(row).scalar()

    def issue_is(self, repository: int, *, is_open: bool) -> None:
        self._change(repository, issue=is_open)

    def untold(self, repository: int, among: Collection[Listed]) -> frozenset[Listed]:
        rows = select(told.c.bullet, told.c.ends).where(told.c.repository == repository)
        with reading(self._engine) as c:
            known = {(row.bullet, date.fromisoformat(row.ends)) for row in c.execute(rows)}
        return frozenset(among) - known

    def tell(self, repository: int, listed: Listed, now: datetime) -> None:
        """This was told, and is not to be told again."""
        bullet, ends = listed
        new = self._insert(told).values(
            repository=repository, bullet=bullet, ends=ends.isoformat(), at=now
        )
        self._writer.do(lambda c: c.execute(new.on_conflict_do_nothing()).rowcount)

    def prune(self, now: datetime) -> None:
        old = delete(told).where(told.c.ends <= (now - KEEP).date().isoformat())
        self._writer.do(lambda c: c.execute(old).rowcount)

    def _change(self, repository: int, **values: object) -> None:
        row = update(expiries).where(expiries.c.repository == repository).values(**values)
        self._writer.do(lambda c: c.execute(row).rowcount)
