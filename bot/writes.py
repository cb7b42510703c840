"""Which repositories want a write job, and when: one request and one job per repository at most.

A write takes everything that is ready, so requests made while one waits become one. This module
knows nothing of what will be written.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
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
    bindparam,
    case,
    false,
    func,
    not_,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import Moment, metadata, reading
from bot.jobs import Job, Kind
from bot.writer import Writer

GATHER = timedelta(seconds=2)  # a hundred reviews at once become few commits, nobody waits long

writes = Table(
    "writes",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("number", Integer, nullable=False),  # of the newest job
    Column("attempt", Integer, nullable=False),
    Column("not_before", Moment),  # when the next job is wanted; NULL: none is
    Column("paused_until", Moment),  # after a fault, whatever is wanted
    Column("handed_at", Moment),  # NULL: no job of this repository is in hand
    Column("reason", Text),  # why the last job failed or is parked
    Column("executor", String(100)),  # the process that has it in hand
    Column("deaths", Integer, nullable=False, server_default="0"),  # attempts in which one died
)


def _request(insert: postgresql.Insert | sqlite.Insert) -> postgresql.Insert | sqlite.Insert:
    """Built once for each dialect: building it costs more than running it."""
    new = insert.values(
        repository=bindparam("repository"), number=0, attempt=1, not_before=bindparam("not_before")
    )
    wanted = new.excluded.not_before
    earlier = func.coalesce(writes.c.not_before, wanted) < wanted
    return new.on_conflict_do_update(
        index_elements=[writes.c.repository],
        set_={"not_before": case((earlier, writes.c.not_before), else_=wanted)},
    )


_REQUESTS = {
    "postgresql": _request(postgresql.insert(writes)),
    "sqlite": _request(sqlite.insert(writes)),
}


def request_write(connection: Connection, repository: int, not_before: datetime) -> None:
    """Ask for a write inside the caller's transaction; the earlier of two requests counts.

    The server sees it within a second; `Writes.request` wakes it at once.
    """
    connection.execute(
        _REQUESTS[connection.dialect.name], {"repository": repository, "not_before": not_before}
    )


Busy = Callable[[ColumnElement[int], datetime], ColumnElement[bool]]
"""Whether more may be about to be wanted in a repository, which is a column, at a time."""


def _never(_repository: ColumnElement[int], _now: datetime) -> ColumnElement[bool]:
    return false()


class Writes:
    """The ledger of write jobs: a repository's next one is handed over when its last has ended.

    While it is `busy`, a job is held back for at most GATHER, to take along what else comes.
    """

    def __init__(
        self, engine: Engine, writer: Writer, bell: threading.Event, busy: Busy = _never
    ) -> None:
        self._engine = engine
        self._writer = writer
        self._bell = bell
        self._busy = busy

    def request(self, repository: int, not_before: datetime) -> None:
        """Ask for a write of everything that is ready by then. Raises Fault."""
        self._writer.do(lambda connection: request_write(connection, repository, not_before))
        self._bell.set()

    def running(self) -> bool:
        """Whether any write job is in the hands of a process."""
        with reading(self._engine) as connection:
            handed = select(writes.c.repository).where(writes.c.handed_at.is_not(None)).limit(1)
            return connection.execute(handed).first() is not None

    def is_due(self, repository: int, now: datetime) -> bool:
        """Whether another write job of a repository is wanted by now, the one that runs apart."""
        row = select(writes.c.repository).where(
            writes.c.repository == repository, writes.c.not_before <= now
        )
        with reading(self._engine) as connection:
            return connection.execute(row).first() is not None

    def reasons(self) -> dict[int, str]:
        """Repositories whose last write failed or is parked, and why."""
        with reading(self._engine) as connection:
            rows = connection.execute(
                select(writes.c.repository, writes.c.reason).where(writes.c.reason.is_not(None))
            )
            return {row.repository: row.reason for row in rows}

    # What the handover needs of the place where work waits (bot/handover.py: Ledger).

    def claim(self, executor: str, now: datetime, limit: int) -> list[Job]:
        due = (
            select(writes.c.repository)
            .where(
                writes.c.not_before <= now,
                writes.c.handed_at.is_(None),
                or_(writes.c.paused_until.is_(None), writes.c.paused_until <= now),
                or_(
                    writes.c.not_before <= now - GATHER, not_(self._busy(writes.c.repository, now))
                ),
            )
            .order_by(writes.c.not_before)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        claimed = (
            update(writes)
            .where(writes.c.repository.in_(due.scalar_subquery()))
            .values(
                number=writes.c.number + 1,
                handed_at=now,
                executor=executor,
                not_before=None,
                paused_until=None,
            )
            .returning(*_JOB)
        )
        rows = self._writer.do(lambda connection: connection.execute(claimed).all())
        return [_job(*row) for row in rows]

    def next_due(self) -> datetime | None:
        later = case(
            (writes.c.paused_until > writes.c.not_before, writes.c.paused_until),
            else_=writes.c.not_before,
        )
        waiting = select(func.min(later)).where(
            writes.c.not_before.is_not(None), writes.c.handed_at.is_(None)
        )
        with reading(self._engine) as connection:
            return connection.execute(waiting).scalar()

    def handed(self, executor: str | None, before: datetime | None = None) -> list[Job]:
        handed = (
            select(*_JOB)
            .where(
                writes.c.handed_at.is_not(None), writes.c.executor.is_not_distinct_from(executor)
            )
            .order_by(writes.c.repository)
        )
        if before is not None:
            handed = handed.where(writes.c.handed_at <= before)
        with reading(self._engine) as connection:
            return [_job(*row) for row in connection.execute(handed)]

    def done(self, job: Job, now: datetime) -> None:
        self._change(job, attempt=1, deaths=0, reason=None)

    def again(self, job: Job, at: datetime, reason: str) -> None:
        self._change(
            job,
            attempt=job.attempt + 1,
            deaths=job.deaths,
            reason=reason,
            paused_until=at,
            not_before=func.coalesce(writes.c.not_before, at),
        )

    def failed(self, job: Job, now: datetime, reason: str) -> None:
        self._change(job, attempt=1, deaths=0, reason=reason)

    def parked(self, job: Job, now: datetime, reason: str) -> None:
        self._change(job, attempt=1, deaths=0, reason=reason)

    def _change(self, job: Job, **values: object) -> None:
        row = update(writes).where(*_same(job)).values(handed_at=None, executor=None, **values)
        self._writer.do(lambda connection: connection.execute(row).rowcount)
        self._bell.set()  # a request may have waited for this job to end


def _same(job: Job) -> tuple[ColumnElement[bool], ...]:
    return (
        writes.c.repository == int(job.key),
        writes.c.number == job.number,
        writes.c.attempt == job.attempt,
        writes.c.handed_at.is_not(None),
    )


_JOB = (writes.c.repository, writes.c.number, writes.c.attempt, writes.c.deaths)


def _job(repository: int, number: int, attempt: int, deaths: int) -> Job:
    name = f"write-{repository}-{number}"
    return Job(Kind.WRITE, str(repository), number, name, attempt, deaths)
