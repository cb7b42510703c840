"""What the check run of a pull request says once, until it was said; then the head it stands on.

All of it can be lost: what is known of a pull request is in the events of its repository.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    String,
    Table,
    Text,
    delete,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import Moment, metadata, reading
from bot.forge.check_run import Section
from bot.work.notices import CHECK_RUN, Notices
from bot.writer import Writer

KEPT = timedelta(days=90)  # a pull request that is older is told once more at worst

sections = Table(
    "sections",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),  # of the pull request
    Column("key", String(80), primary_key=True),
    Column("head", String(64)),  # where it stands; NULL: it was not said yet
    Column("title", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("warns", Boolean, nullable=False),
    Column("at", Moment, nullable=False),
)


class Sections:
    """Every change is on disk when a call returns. Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer, notices: Notices) -> None:
        self._engine = engine
        self._writer = writer
        self._notices = notices
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def once(
        self,
        repository: int,
        number: int,
        key: str,
        section: Section,
        now: datetime,
        head: str | None = None,
        *,
        wake: bool = True,
    ) -> None:
        """Says it, unless something was said under this key. `head`: it is about that one.

        `wake` is that of `Notices.put`.
        """
        new = self._insert(sections).values(
            repository=repository,
            number=number,
            key=key,
            head=head,
            title=section.title,
            body=section.body,
            warns=section.warns,
            at=now,
        )
        row = new.on_conflict_do_nothing().returning(sections.c.key)

        def change(c: Connection) -> None:
            if c.execute(row).first() is not None:
                self._notices.put(c, repository, number, CHECK_RUN, None, now, wake=wake)

        self._writer.do(change)

    def anew(self, repository: int, number: int, key: str, section: Section, now: datetime) -> None:
        """Says it on the head of then, at the end of the write job that this is called in.

        The same words once more are not said again.
        """
        told = {
            "title": section.title,
            "body": section.body,
            "warns": section.warns,
            "at": now,
        }
        new = self._insert(sections).values(repository=repository, number=number, key=key, **told)
        row = new.on_conflict_do_update(
            index_elements=[sections.c.repository, sections.c.number, sections.c.key],
            set_={**told, "head": None},
            where=or_(sections.c.title != section.title, sections.c.body != section.body),
        ).returning(sections.c.key)

        def change(c: Connection) -> None:
            if c.execute(row).first() is not None:
                self._notices.put(c, repository, number, CHECK_RUN, None, now, wake=False)

        self._writer.do(change)

    def of(self, repository: int, number: int, head: str) -> tuple[Section, ...]:
        """What stands on that head of a pull request or was not said yet, oldest first."""
        mine = sections.c.repository == repository, sections.c.number == number
        here = or_(sections.c.head.is_(None), sections.c.head == head)
        rows = select(sections).where(*mine, here).order_by(sections.c.at, sections.c.key)
        with reading(self._engine) as c:
            return tuple(Section(row.title, row.body, row.warns) for row in c.execute(rows))

    def said(self, repository: int, number: int, head: str) -> None:
        """What waited stands on that head now."""
        mine = sections.c.repository == repository, sections.c.number == number
        row = update(sections).where(*mine, sections.c.head.is_(None)).values(head=head)
        self._writer.do(lambda c: c.execute(row).rowcount)

    def prune(self, now: datetime) -> None:
        old = delete(sections).where(sections.c.at <= now - KEPT)
        self._writer.do(lambda c: c.execute(old).rowcount)
