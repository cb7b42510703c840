"""Repositories that the App came to, and what became of their onboarding.

Lost rows cost one look: whether a pull request was opened once is asked of GitHub as well.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Table,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import Moment, metadata, reading
from bot.writer import Writer
from bot.writes import request_write

arrivals = Table(
    "arrivals",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("installation", BigInteger, nullable=False),
    Column("at", Moment, nullable=False),
    Column("begun_at", Moment),  # its place among those of the day
    Column("settled", Boolean, nullable=False),  # nothing is to be opened (any more)
    Column("caught_up", Boolean, nullable=False),  # reviews since then were read
)


class Arrivals:
    """Every change is on disk when a call returns. Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def arrive(self, installation: int, repositories: Collection[int], now: datetime) -> None:
        """These are all that the installation is in; others are forgotten.

        Asks for a write job in each that was not heard of: its onboarding is done there.
        """
        elsewhere = delete(arrivals).where(
            arrivals.c.installation == installation, arrivals.c.repository.not_in(repositories)
        )

        def change(c: Connection) -> None:
            c.execute(elsewhere)
            for repository in repositories:
                new = self._insert(arrivals).values(
                    repository=repository,
                    installation=installation,
                    at=now,
                    settled=False,
                    caught_up=False,
                )
                if c.execute(new.on_conflict_do_nothing()).rowcount:
                    request_write(c, repository, now)

        self._writer.do(change)

    def waits(self, repository: int) -> bool:
        row = select(arrivals.c.repository).where(
            arrivals.c.repository == repository, arrivals.c.settled.is_(False)
        )
        with reading(self._engine) as c:
            return c.execute(row).scalar() is not None

    def behind(self, repository: int) -> datetime | None:
        """Since when reviews are to be read there; None where that was done."""
        row = select(arrivals.c.at).where(
            arrivals.c.repository == repository, arrivals.c.caught_up.is_(False)
        )
        with reading(self._engine) as c:
            return c.execute(row).scalar()

    def begin(
        self, repository: int, now: datetime, limit: int, every: timedelta
    ) -> datetime | None:
        """Takes one of the `limit` places that its installation has in this time.

        None: it is taken, now or before. Otherwise when there will be one.
        """
        mine = arrivals.c.repository == repository
        home = select(arrivals.c.installation).where(mine).scalar_subquery()
        recent = (arrivals.c.installation == home, arrivals.c.begun_at > now - every)

        def change(c: Connection) -> datetime | None:
            if c.execute(select(arrivals.c.begun_at).where(mine)).scalar() is not None:
                return None
            if c.execute(select(func.count()).where(*recent)).scalar_one() < limit:
                c.execute(update(arrivals).where(mine).values(begun_at=now))
                return None
            first: datetime = c.execute(
                select(func.min(arrivals.c.begun_at)).where(*recent)
            ).scalar_one()
            return first + every

        return self._writer.do(change)

    def settle(self, repository: int) -> None:
        self._set(repository, settled=True)

    def caught_up(self, repository: int) -> None:
        self._set(repository, settled=True, caught_up=True)

    def _set(self, repository: int, **values: bool) -> None:
        row = update(arrivals).where(arrivals.c.repository == repository).values(**values)
        self._writer.do(lambda c: c.execute(row).rowcount)
