"""What is to be looked at or done about looked-up notes, until a write job has done it.

Lost rows cost nothing but time: the daily look asks for everything again; a tick is ticked again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    Integer,
    String,
    Table,
    Text,
    delete,
    insert,
    select,
    update,
)

from bot.database import Moment, metadata, reading
from bot.writer import Writer
from bot.writes import request_write

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LookAtAll:
    """The daily sweep: every job that a note names, every subject, and what is over its grace."""


@dataclass(frozen=True, slots=True)
class LookAtSubjects:
    """Something was pushed: a directory may be gone."""


@dataclass(frozen=True, slots=True)
class LookAtJob:
    """An issue or pull request was closed or opened again."""

    number: int


@dataclass(frozen=True, slots=True)
class RetireSubject:
    """`/lessons subject-retired NAME`, in this comment on the issue or pull request `number`."""

    subject: str
    login: str
    number: int
    comment: int


@dataclass(frozen=True, slots=True)
class DeleteNote:
    """A person with write access ticked the note's box in the checklist `issue`."""

    path: str
    issue: int


KEEP = timedelta(days=30)

NoteWant = LookAtAll | LookAtSubjects | LookAtJob | RetireSubject | DeleteNote
_KINDS: dict[str, type[NoteWant]] = {
    each.__name__: each
    for each in (LookAtAll, LookAtSubjects, LookAtJob, RetireSubject, DeleteNote)
}

note_wants = Table(
    "note_wants",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("repository", BigInteger, nullable=False, index=True),
    Column("kind", String(40), nullable=False),
    Column("want", Text, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("attempt", Integer, nullable=False),  # tries that failed
    sqlite_autoincrement=True,  # what is done is deleted by its id, not what came meanwhile
)


@dataclass(frozen=True, slots=True)
class Due:
    """One row that is due. `attempt` counts the tries that failed."""

    id: int
    attempt: int
    want: NoteWant


class NoteWants:
    """Every change is on disk when a call returns. Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def add(self, repository: int, want: NoteWant, now: datetime) -> None:
        """Asks for a write job, and for this to be done in it."""
        row = insert(note_wants).values(
            repository=repository,
            kind=type(want).__name__,
            want=json.dumps(asdict(want), ensure_ascii=False),
            due_at=now,
            attempt=0,
        )

        def change(c: Connection) -> None:
            c.execute(row)
            request_write(c, repository, now)

        self._writer.do(change)

    def due(self, repository: int, now: datetime) -> tuple[Due, ...]:
        """Oldest first, without what cannot be read: a later version may, until it is pruned."""
        rows = (
            select(note_wants)
            .where(note_wants.c.repository == repository, note_wants.c.due_at <= now)
            .order_by(note_wants.c.id)
        )
        with reading(self._engine) as c:
            found = [(row, _want(row.kind, row.want)) for row in c.execute(rows)]
        return tuple(Due(row.id, row.attempt, want) for row, want in found if want is not None)

    def done(self, ids: Collection[int]) -> None:
        rows = delete(note_wants).where(note_wants.c.id.in_(ids))
        self._writer.do(lambda c: c.execute(rows).rowcount)

    def later(self, repository: int, ids: Collection[int], at: datetime) -> None:
        """They failed, and are tried again with the write job of that time."""
        rows = update(note_wants).where(note_wants.c.id.in_(ids))

        def change(c: Connection) -> None:
            c.execute(rows.values(due_at=at, attempt=note_wants.c.attempt + 1))
            request_write(c, repository, at)

        self._writer.do(change)

    def prune(self, now: datetime) -> None:
        """Of repositories that the App has left for good, nobody takes them."""
        old = delete(note_wants).where(note_wants.c.due_at < now - KEEP)
        self._writer.do(lambda c: c.execute(old).rowcount)


def _want(kind: str, text: str) -> NoteWant | None:
    try:
        return _KINDS[kind](**json.loads(text))
    except (KeyError, ValueError, TypeError) as error:
        log.warning("what waits for the notes cannot be read: %r", error)
        return None
