"""The durable inbox: every delivery from the 2xx until its work is done, and its GUID after that.

It knows rows, not what is in a delivery. The GUID saves work and proves nothing (SPEC 11): every
effect is keyed by ids inside the signed body.
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Engine,
    Index,
    Integer,
    LargeBinary,
    Row,
    String,
    Table,
    Text,
    and_,
    delete,
    exists,
    func,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import Moment, metadata, reading
from bot.delivery import Delivery
from bot.errors import UserError
from bot.jobs import Job, Kind
from bot.writer import Writer

KEEP_BODIES = timedelta(days=7)  # after done: long enough to look at a delivery again
KEEP_GUIDS = timedelta(days=90)  # GitHub delivers again for 3 days, GHES for 7


class Status(enum.StrEnum):
    RECEIVED = "received"  # on disk; its work is due at `next_try_at`
    HANDED = "handed"  # a process has its work in hand
    DONE = "done"
    FAILED = "failed"  # broke too often; a redelivery or a replay tries again
    PARKED = "parked"  # waits for a person; so does it


ENDED = (Status.DONE, Status.FAILED, Status.PARKED)

inbox = Table(
    "inbox",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("guid", String(100), nullable=False, unique=True),
    Column("event", String(100), nullable=False),
    Column("action", String(100)),
    Column("repository", BigInteger),
    Column("installation", BigInteger),
    Column("body", LargeBinary),
    Column("received_at", Moment, nullable=False),
    Column("status", String(10), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("reason", Text),
    Column("next_try_at", Moment, nullable=False),
    Column("handed_at", Moment),
    Column("done_at", Moment),
    Column("executor", String(100)),  # the process that has its work in hand
    Column("deaths", Integer, nullable=False, server_default="0"),  # attempts in which one died
    Index("inbox_by_status", "status", "next_try_at"),
    sqlite_autoincrement=True,  # the number of a pruned row must not come back
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One row. `body` is None once erased; `reason` says why it waits, failed or is parked."""

    number: int
    guid: str
    event: str
    action: str | None
    repository: int | None
    installation: int | None
    received_at: datetime
    status: Status
    attempt: int
    reason: str | None
    next_try_at: datetime
    done_at: datetime | None
    body: bytes | None = None


class Receipt(enum.Enum):
    """What storing a delivery came to."""

    STORED = "stored"
    AGAIN = "again"  # it had failed or was parked: its work runs again
    KNOWN = "already handled"


class Inbox:
    """Rows on disk before a call returns. `bell` is set when work is waiting."""

    def __init__(self, engine: Engine, writer: Writer, bell: threading.Event) -> None:
        self._engine = engine
        self._writer = writer
        self._bell = bell
        dialect = postgresql if engine.dialect.name == "postgresql" else sqlite
        # Built once: building it costs as much as running it, and every delivery waits for it.
        self._insert = (
            dialect.insert(inbox)
            .on_conflict_do_nothing(index_elements=[inbox.c.guid])
            .returning(inbox.c.number)
        )

    def store(self, delivery: Delivery) -> Receipt:
        """Keep a delivery; of two processes with one GUID exactly one stores it. Raises Fault."""
        return self.store_all([delivery])[0]

    def store_all(self, deliveries: Sequence[Delivery]) -> list[Receipt]:
        """All or, where it raises Fault, none of them; each as `store` does it."""
        if not deliveries:
            return []
        receipts = self._writer.do(
            lambda connection: [self._store(connection, delivery) for delivery in deliveries]
        )
        if any(receipt is not Receipt.KNOWN for receipt in receipts):
            self._bell.set()
        return receipts

    def _store(self, connection: Connection, delivery: Delivery) -> Receipt:
        # One by one: of a statement for many the driver keeps all their bodies for the next time.
        if connection.execute(self._insert, _row(delivery)).first() is not None:
            return Receipt.STORED
        again = self._receive_again(
            connection, delivery.guid, delivery.ready_at, (Status.FAILED, Status.PARKED)
        )
        return Receipt.AGAIN if again else Receipt.KNOWN

    def replay(self, guid: str, now: datetime) -> None:
        """Let a delivery's work run again, whatever it came to. Raises UserError, Fault."""
        entry = self.find(guid)
        if entry is None:
            raise UserError(
                f"No delivery {guid} is stored.", remedy="The dashboard lists those that are."
            )
        if entry.body is None:
            raise UserError(
                f"The body of {guid} was erased {KEEP_BODIES.days} days after it was done.",
                remedy="Redeliver it from the App's advanced settings, where GitHub still can.",
            )
        if entry.status not in ENDED:
            raise UserError(
                f"Delivery {guid} still waits for its work ({entry.reason or entry.status}).",
                remedy="It runs by itself while the server runs.",
            )
        self._writer.do(lambda connection: self._receive_again(connection, guid, now, ENDED))
        self._bell.set()

    def unpark(self, now: datetime, repositories: Collection[int] | None = None) -> int:
        """Let parked work run again: of these repositories, or all of it; how many rows."""
        return self._revive(now, Status.PARKED, _in(repositories))

    def retry_failed(self, now: datetime, since: datetime) -> int:
        """Let work run again that failed since then; how many rows. For a start of the server."""
        return self._revive(now, Status.FAILED, inbox.c.done_at >= since)

    def _revive(self, now: datetime, status: Status, which: ColumnElement[bool]) -> int:
        row = (
            update(inbox)
            .where(inbox.c.status == status, inbox.c.body.is_not(None), which)
            .values(
                status=Status.RECEIVED,
                attempt=inbox.c.attempt + 1,
                next_try_at=now,
                done_at=None,
            )
        )
        count = self._writer.do(lambda connection: connection.execute(row).rowcount)
        if count:
            self._bell.set()
        return count

    def drop_parked(self, repository: int, now: datetime, reason: str) -> None:
        """There is nobody left for whom this work could be done."""
        row = (
            update(inbox)
            .where(inbox.c.status == Status.PARKED, inbox.c.repository == repository)
            .values(status=Status.DONE, done_at=now, reason=reason)
        )
        self._writer.do(lambda connection: connection.execute(row).rowcount)

    def _receive_again(
        self, connection: Connection, guid: str, at: datetime, ended: Sequence[Status]
    ) -> bool:
        row = (
            update(inbox)
            .where(inbox.c.guid == guid, inbox.c.status.in_(ended), inbox.c.body.is_not(None))
            .values(
                status=Status.RECEIVED,
                attempt=inbox.c.attempt + 1,
                next_try_at=at,
                done_at=None,
                reason=None,
            )
        )
        return connection.execute(row).rowcount == 1

    # What the handover needs of the place where work waits (bot/handover.py: Ledger).

    def claim(self, executor: str, now: datetime, limit: int) -> list[Job]:
        """Mark due rows as handed, in order of arrival. Two processes never claim the same row."""
        due = (
            select(inbox.c.number)
            .where(inbox.c.status == Status.RECEIVED, inbox.c.next_try_at <= now)
            .order_by(inbox.c.number)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        claimed = (
            update(inbox)
            .where(inbox.c.number.in_(due.scalar_subquery()))
            .values(status=Status.HANDED, handed_at=now, executor=executor)
            .returning(*_JOB)
        )
        rows = self._writer.do(lambda connection: connection.execute(claimed).all())
        return sorted((_job(*row) for row in rows), key=lambda job: job.number)

    def is_heard(self, repository: ColumnElement[int], now: datetime) -> ColumnElement[bool]:
        """Whether deliveries of the repository in this column are being worked on, or could be."""
        due = and_(inbox.c.status == Status.RECEIVED, inbox.c.next_try_at <= now)
        return exists().where(
            inbox.c.repository == repository, or_(inbox.c.status == Status.HANDED, due)
        )

    def next_due(self) -> datetime | None:
        with reading(self._engine) as connection:
            waiting = select(func.min(inbox.c.next_try_at)).where(inbox.c.status == Status.RECEIVED)
            return connection.execute(waiting).scalar()

    def handed(self, executor: str | None, before: datetime | None = None) -> list[Job]:
        handed = (
            select(*_JOB)
            .where(inbox.c.status == Status.HANDED, inbox.c.executor.is_not_distinct_from(executor))
            .order_by(inbox.c.number)
        )
        if before is not None:
            handed = handed.where(inbox.c.handed_at <= before)
        with reading(self._engine) as connection:
            return [_job(*row) for row in connection.execute(handed)]

    def done(self, job: Job, now: datetime) -> None:
        self._change(job, status=Status.DONE, done_at=now, reason=None)

    def again(self, job: Job, at: datetime, reason: str) -> None:
        self._change(
            job,
            status=Status.RECEIVED,
            attempt=job.attempt + 1,
            deaths=job.deaths,
            next_try_at=at,
            reason=reason,
        )
        self._bell.set()

    def failed(self, job: Job, now: datetime, reason: str) -> None:
        self._change(job, status=Status.FAILED, done_at=now, reason=reason)

    def parked(self, job: Job, now: datetime, reason: str) -> None:
        self._change(job, status=Status.PARKED, done_at=now, reason=reason)

    def _change(self, job: Job, **values: object) -> None:
        """Puts it out of the hands of its process, if this is still its attempt."""
        row = (
            update(inbox)
            .where(
                inbox.c.number == job.number,
                inbox.c.attempt == job.attempt,
                inbox.c.status == Status.HANDED,
            )
            .values(executor=None, **values)
        )
        self._writer.do(lambda connection: connection.execute(row).rowcount)

    # For the workers, the dashboard and the operator.

    def load(self, number: int) -> Entry | None:
        """The row with its body."""
        with reading(self._engine) as connection:
            row = connection.execute(select(inbox).where(inbox.c.number == number)).first()
        return None if row is None else _entry(row, row.body)

    def find(self, guid: str) -> Entry | None:
        with reading(self._engine) as connection:
            row = connection.execute(select(inbox).where(inbox.c.guid == guid)).first()
        return None if row is None else _entry(row, row.body)

    def unknown(self, guids: Collection[str]) -> set[str]:
        """Those of the deliveries that are not stored."""
        with reading(self._engine) as connection:
            stored = connection.execute(select(inbox.c.guid).where(inbox.c.guid.in_(guids)))
            return set(guids) - set(stored.scalars())

    def newest(
        self,
        limit: int,
        status: Status | None = None,
        repositories: Collection[int] | None = None,
    ) -> list[Entry]:
        """Rows without their bodies, newest first; None: of all repositories, and of none."""
        columns = [column for column in inbox.c if column.name != "body"]
        rows = select(*columns).order_by(inbox.c.number.desc()).limit(limit)
        rows = rows.where(_in(repositories))
        if status is not None:
            rows = rows.where(inbox.c.status == status)
        with reading(self._engine) as connection:
            return [_entry(row) for row in connection.execute(rows)]

    def counts(self, repositories: Collection[int] | None = None) -> dict[Status, int]:
        """Rows by status, every status named."""
        by_status = select(inbox.c.status, func.count()).group_by(inbox.c.status)
        by_status = by_status.where(_in(repositories))
        with reading(self._engine) as connection:
            found = {Status(status): count for status, count in connection.execute(by_status)}
        return {status: found.get(status, 0) for status in Status}

    def prune(self, now: datetime) -> None:
        """Erase bodies 7 days after done, forget ended rows after 90 (SPEC 11). Raises Fault.

        What failed or is parked keeps its body as long as its row, to be replayed.
        """
        erase = (
            update(inbox)
            .where(
                inbox.c.status == Status.DONE,
                inbox.c.done_at <= now - KEEP_BODIES,
                inbox.c.body.is_not(None),
            )
            .values(body=None)
        )
        forget = delete(inbox).where(inbox.c.status.in_(ENDED), inbox.c.done_at <= now - KEEP_GUIDS)
        self._writer.do(lambda connection: connection.execute(erase).rowcount)
        self._writer.do(lambda connection: connection.execute(forget).rowcount)


def _row(delivery: Delivery) -> dict[str, object]:
    return {
        "guid": delivery.guid,
        "event": delivery.event,
        "action": delivery.action,
        "repository": delivery.repository,
        "installation": delivery.installation,
        "body": delivery.body,
        "received_at": delivery.received_at,
        "status": Status.RECEIVED,
        "attempt": 1,
        "next_try_at": delivery.ready_at,
    }


def _in(repositories: Collection[int] | None) -> ColumnElement[bool]:
    return true() if repositories is None else inbox.c.repository.in_(repositories)


_JOB = (inbox.c.repository, inbox.c.number, inbox.c.guid, inbox.c.attempt, inbox.c.deaths)


def _job(repository: int | None, number: int, guid: str, attempt: int, deaths: int) -> Job:
    return Job(Kind.HEAR, str(repository or 0), number, guid, attempt, deaths)


def _entry(row: Row[tuple[object, ...]], body: bytes | None = None) -> Entry:
    return Entry(
        number=row.number,
        guid=row.guid,
        event=row.event,
        action=row.action,
        repository=row.repository,
        installation=row.installation,
        received_at=row.received_at,
        status=Status(row.status),
        attempt=row.attempt,
        reason=row.reason,
        next_try_at=row.next_try_at,
        done_at=row.done_at,
        body=body,
    )
