"""What a server remembers between two jobs. All of it can be lost: it is read again from GitHub.

Repositories by numeric id under their present names, what waits for a write, and what a
distiller said of each review, so that a failed write costs no second call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Boolean,
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
from bot.distill.model import Distilled
from bot.work.codec import (
    Wanted,
    distilled_from_text,
    distilled_to_text,
    wanted_from_text,
    wanted_to_text,
)
from bot.writer import Writer
from bot.writes import request_write

KEEP_DISTILLED = timedelta(days=90)

repositories = Table(
    "repositories",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("installation", BigInteger, nullable=False),
    Column("full_name", String(300), nullable=False),
    Column("here", Boolean, nullable=False),  # installed there, not suspended
    Column("committed_at", Moment),  # of our last commit: `commit_every` counts from it
    Column("housekeeping_at", Moment),  # when it is wanted; NULL: it is not
)
wants = Table(
    "wants",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("subject", String(100), primary_key=True),  # pr:12, note:…, order:…
    Column("version", Integer, nullable=False),
    Column("since", Moment, nullable=False),
    Column("write_at", Moment, nullable=False),  # alone; an earlier write takes it along
    Column("wanted", Text, nullable=False),
)
distillations = Table(
    "distillations",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("source", String(100), primary_key=True),
    Column("at", Moment, nullable=False),
    Column("distilled", Text, nullable=False),
)
calls = Table(
    "calls",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("day", String(10), primary_key=True),  # UTC
    Column("count", Integer, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Known:
    """A repository that the App was heard of in."""

    id: int
    installation: int
    full_name: str
    here: bool
    committed_at: datetime | None
    housekeeping_at: datetime | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a subject wants written, since when, by when, and which version of it this is."""

    subject: str
    version: int
    since: datetime
    write_at: datetime
    wanted: Wanted


class Memory:
    """Every change is on disk when a call returns. Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    # repositories

    def meet(self, repository: int, installation: int, full_name: str) -> None:
        """Notes where a repository is now: renames and transfers keep the id."""
        self._writer.do(lambda c: self._meet(c, repository, installation, full_name))

    def _meet(self, c: Connection, repository: int, installation: int, full_name: str) -> None:
        now = {"installation": installation, "full_name": full_name, "here": True}
        new = self._insert(repositories).values(id=repository, **now)
        c.execute(new.on_conflict_do_update(index_elements=[repositories.c.id], set_=now))

    def leave(self, *, repository: int | None = None, installation: int | None = None) -> None:
        """The App is no longer there, or suspended: sweeps skip it, what waits is kept."""
        row = update(repositories).values(here=False)
        if repository is not None:
            row = row.where(repositories.c.id == repository)
        if installation is not None:
            row = row.where(repositories.c.installation == installation)
        self._writer.do(lambda c: c.execute(row).rowcount)

    def known(self, repository: int) -> Known | None:
        with reading(self._engine) as c:
            row = c.execute(select(repositories).where(repositories.c.id == repository)).first()
        return None if row is None else Known(*row)

    def here(self) -> tuple[Known, ...]:
        with reading(self._engine) as c:
            rows = c.execute(select(repositories).where(repositories.c.here).order_by("id"))
            return tuple(Known(*row) for row in rows)

    def of_installation(self, installation: int) -> tuple[Known, ...]:
        """Wherever it was heard of, there or not."""
        rows = select(repositories).where(repositories.c.installation == installation)
        with reading(self._engine) as c:
            return tuple(Known(*row) for row in c.execute(rows.order_by("id")))

    def installations(self) -> frozenset[int]:
        """Those that some repository was last heard of in."""
        rows = select(repositories.c.installation).where(repositories.c.here).distinct()
        with reading(self._engine) as c:
            return frozenset(c.execute(rows).scalars())

    def drop(self, repository: int) -> int:
        """Leaves a repository for good, with all that waited for a write; how much that was."""
        away = update(repositories).where(repositories.c.id == repository)
        waiting = delete(wants).where(wants.c.repository == repository)

        def change(c: Connection) -> int:
            c.execute(away.values(here=False))
            return c.execute(waiting).rowcount

        return self._writer.do(change)

    def committed(self, repository: int, at: datetime) -> None:
        row = update(repositories).where(repositories.c.id == repository).values(committed_at=at)
        self._writer.do(lambda c: c.execute(row).rowcount)

    def want_housekeeping(self, repository: int, not_before: datetime) -> None:
        wanted = repositories.c.housekeeping_at
        row = (
            update(repositories)
            .where(repositories.c.id == repository)
            .values(housekeeping_at=_earlier(wanted, not_before))
        )

        def change(c: Connection) -> None:
            c.execute(row)
            request_write(c, repository, not_before)

        self._writer.do(change)

    def housekeeping_done(self, repository: int) -> None:
        row = (
            update(repositories).where(repositories.c.id == repository).values(housekeeping_at=None)
        )
        self._writer.do(lambda c: c.execute(row).rowcount)

    # what waits for a write

    def want(
        self, repository: int, subject: str, wanted: Wanted, now: datetime, write_at: datetime
    ) -> None:
        """Keeps what a subject wants now, and asks for a write, in one transaction."""
        self._writer.do(lambda c: self.put(c, repository, subject, wanted, now, write_at))

    def put(
        self,
        c: Connection,
        repository: int,
        subject: str,
        wanted: Wanted,
        now: datetime,
        write_at: datetime,
    ) -> None:
        """`want` inside the caller's transaction."""
        text = wanted_to_text(wanted)
        new = self._insert(wants).values(
            repository=repository,
            subject=subject,
            version=1,
            since=now,
            write_at=write_at,
            wanted=text,
        )
        newer = {
            "version": wants.c.version + 1,
            "wanted": text,
            "write_at": _earlier(wants.c.write_at, write_at),
        }
        keys = [wants.c.repository, wants.c.subject]
        c.execute(new.on_conflict_do_update(index_elements=keys, set_=newer))
        request_write(c, repository, write_at)

    def waiting(self, repository: int, prefix: str = "") -> tuple[Waiting, ...]:
        """By subject; those alone whose subject begins so."""
        mine = (
            wants.c.repository == repository,
            wants.c.subject.startswith(prefix, autoescape=True),
        )
        rows = select(wants).where(*mine).order_by(wants.c.subject)
        with reading(self._engine) as c:
            return tuple(
                Waiting(
                    row.subject, row.version, row.since, row.write_at, wanted_from_text(row.wanted)
                )
                for row in c.execute(rows)
            )

    def with_waiting(self, among: Collection[int]) -> frozenset[int]:
        """Those repositories in which something waits for a write."""
        rows = select(wants.c.repository).where(wants.c.repository.in_(among)).distinct()
        with reading(self._engine) as c:
            return frozenset(c.execute(rows).scalars())

    def written(self, repository: int, done: tuple[Waiting, ...]) -> None:
        """Forgets what was written, unless the subject says something else meanwhile."""

        def change(c: Connection) -> None:
            for each in done:
                c.execute(
                    delete(wants).where(
                        wants.c.repository == repository,
                        wants.c.subject == each.subject,
                        wants.c.version == each.version,
                    )
                )

        if done:
            self._writer.do(change)

    # distillations

    def distilled(self, repository: int, source: str) -> Distilled | None:
        row = select(distillations.c.distilled).where(
            distillations.c.repository == repository, distillations.c.source == source
        )
        with reading(self._engine) as c:
            text = c.execute(row).scalar()
        return None if text is None else distilled_from_text(text)

    def keep_distilled(
        self, repository: int, source: str, distilled: Distilled, now: datetime
    ) -> None:
        new = self._insert(distillations).values(
            repository=repository, source=source, at=now, distilled=distilled_to_text(distilled)
        )
        self._writer.do(lambda c: c.execute(new.on_conflict_do_nothing()).rowcount)

    # calls of a paid distiller

    def take_call(self, repository: int, limit: int, now: datetime) -> bool:
        """One more call today, unless the day's are used up."""
        day = now.date().isoformat()
        new = self._insert(calls).values(repository=repository, day=day, count=1)
        keys = [calls.c.repository, calls.c.day]
        taken = new.on_conflict_do_update(
            index_elements=keys, set_={"count": calls.c.count + 1}, where=calls.c.count < limit
        )
        counted = taken.returning(calls.c.count)  # PostgreSQL's driver counts no inserted rows
        return limit > 0 and self._writer.do(lambda c: c.execute(counted).first()) is not None

    def prune(self, now: datetime) -> None:
        old = delete(distillations).where(distillations.c.at <= now - KEEP_DISTILLED)
        past = delete(calls).where(calls.c.day < (now - KEEP_DISTILLED).date().isoformat())
        self._writer.do(lambda c: c.execute(old).rowcount)
        self._writer.do(lambda c: c.execute(past).rowcount)


def _earlier(column: Column[datetime], at: datetime) -> ColumnElement[datetime]:
    """What stands in the column where that is earlier than `at`."""
    return case((column <= at, column), else_=at)


@dataclass(frozen=True, slots=True)
class DailyBudget:
    """The calls that one repository may make on one day (UTC)."""

    memory: Memory
    repository: int
    limit: int
    now: Callable[[], datetime]

    def take(self) -> bool:
        return self.memory.take_call(self.repository, self.limit, self.now())
