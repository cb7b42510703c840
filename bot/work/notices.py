"""What is to be said on the forge, until it was said: comments, and a conversation's check run.

The write job says it, one repository at a time, so that two jobs never say one thing twice or the
older after the newer. A check run is drawn from the questions at that moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Engine,
    Integer,
    String,
    Table,
    Text,
    case,
    delete,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import Moment, metadata, reading
from bot.writer import Writer
from bot.writes import request_write

CHECK_RUN = "questions"  # the key of what is drawn
KEEP = timedelta(days=30)

notices = Table(
    "notices",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),  # of the conversation
    Column("key", String(60), primary_key=True),  # one comment of ours for each
    Column("body", Text),  # NULL: drawn from the questions
    Column("version", Integer, nullable=False),
    Column("said", Integer, nullable=False),  # the version that was said last; 0: none
    Column("attempt", Integer, nullable=False),
    Column("at", Moment, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Notice:
    """`said`: whether an earlier version stands there. `attempt` counts tries of this one."""

    number: int
    key: str
    body: str | None
    version: int
    said: bool
    attempt: int


class Notices:
    """Every change is on disk when a call returns. Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def say(self, repository: int, number: int, key: str, body: str, now: datetime) -> None:
        """A comment about `key`; the same words once more are not said again."""
        self._writer.do(lambda c: self.put(c, repository, number, key, body, now))

    def has(self, repository: int, number: int, key: str) -> bool:
        """Whether something was said, or is about to be, about `key`."""
        row = select(notices.c.version).where(
            notices.c.repository == repository, notices.c.number == number, notices.c.key == key
        )
        with reading(self._engine) as c:
            return c.execute(row).first() is not None

    def redraw(self, repository: int, number: int, now: datetime) -> None:
        """The check run once more, where there is one: somebody may look at an old state."""
        there = (notices.c.repository == repository, notices.c.number == number)
        row = update(notices).where(*there, notices.c.key == CHECK_RUN)

        def change(c: Connection) -> None:
            if c.execute(row.values(version=notices.c.version + 1, attempt=0)).rowcount:
                request_write(c, repository, now)

        self._writer.do(change)

    def put(
        self,
        c: Connection,
        repository: int,
        number: int,
        key: str,
        body: str | None,
        now: datetime,
        *,
        wake: bool = True,
    ) -> None:
        """`say`, or with no body the check run, inside the caller's transaction.

        `wake`: asks for the write job that says it; one that runs says it at its own end.
        """
        new = self._insert(notices).values(
            repository=repository,
            number=number,
            key=key,
            body=body,
            version=1,
            said=0,
            attempt=0,
            at=now,
        )
        old = notices.c.version
        c.execute(
            new.on_conflict_do_update(
                index_elements=[notices.c.repository, notices.c.number, notices.c.key],
                set_={
                    "body": body,
                    "version": old + 1 if body is None else _grown(body),
                    "attempt": 0,
                    "at": now,
                },
            )
        )
        if wake:
            request_write(c, repository, now)

    def due(self, repository: int) -> tuple[Notice, ...]:
        rows = (
            select(notices)
            .where(notices.c.repository == repository, notices.c.said < notices.c.version)
            .order_by(notices.c.at)
        )
        with reading(self._engine) as c:
            return tuple(
                Notice(r.number, r.key, r.body, r.version, r.said > 0, r.attempt)
                for r in c.execute(rows)
            )

    def said(self, repository: int, notice: Notice) -> None:
        self._change(repository, notice, said=notice.version, attempt=0)

    def failed(self, repository: int, notice: Notice, again_at: datetime) -> None:
        """It is tried again with the write job of that time, or an earlier one."""
        self._change(repository, notice, attempt=notice.attempt + 1)
        self._writer.do(lambda c: request_write(c, repository, again_at))

    def prune(self, now: datetime) -> None:
        old = delete(notices).where(notices.c.at <= now - KEEP)
        self._writer.do(lambda c: c.execute(old).rowcount)

    def _change(self, repository: int, notice: Notice, **values: int) -> None:
        row = update(notices).where(
            notices.c.repository == repository,
            notices.c.number == notice.number,
            notices.c.key == notice.key,
        )
        self._writer.do(lambda c: c.execute(row.values(**values)).rowcount)


def _grown(body: str) -> ColumnElement[int]:
    return case((notices.c.body == body, notices.c.version), else_=notices.c.version + 1)
