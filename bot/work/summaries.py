"""What is kept of each store for the page of all stores, brought up at the end of its write jobs.

A table derived from clones: lost, it fills again with the next look at each store.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from sqlalchemy import BigInteger, Column, Engine, Table, Text, select
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import metadata, reading
from bot.errors import Fault, UserError
from bot.web.fleet import Summary
from bot.work.memory import Known, Waiting
from bot.work.places import Place
from bot.work.visit import Open
from bot.work.writing import Written
from bot.writer import Writer

log = logging.getLogger(__name__)

summaries = Table(
    "summaries",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("summary", Text, nullable=False),
)


class Summaries:
    """Every change is on disk when a call returns. Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def keep(self, repository: int, summary: Summary) -> None:
        text = summary.to_text()
        new = self._insert(summaries).values(repository=repository, summary=text)
        keys, now = [summaries.c.repository], {"summary": text}
        row = new.on_conflict_do_update(index_elements=keys, set_=now)
        self._writer.do(lambda c: c.execute(row).rowcount)

    def get(self, repository: int) -> Summary | None:
        return self.of([repository]).get(repository)

    def of(self, repositories: Collection[int]) -> Mapping[int, Summary]:
        """By repository; one that another version kept in another form is as good as none."""
        rows = select(summaries).where(summaries.c.repository.in_(repositories))
        found: dict[int, Summary] = {}
        with reading(self._engine) as c:
            for row in c.execute(rows):
                with suppress(KeyError, TypeError, ValueError):
                    found[row.repository] = Summary.from_text(row.summary)
        return found


@dataclass(frozen=True, slots=True)
class Following:
    """Listens to `bot.work.committing`. `look` reads a store and keeps its summary."""

    summaries: Summaries
    look: Callable[[Known, Place], object]
    _written: set[int] = field(default_factory=set)

    def landed(self, known: Known, written: Written, waiting: Sequence[Waiting]) -> None:
        """Also where nothing was to be written: the daily look at what expires is one such."""
        self._written.add(known.id)

    def refused(self, known: Known, waiting: Sequence[Waiting], reason: str) -> None:
        """The store stands as it was."""

    def after(self, known: Known, opened: Open) -> None:
        if known.id not in self._written and self.summaries.get(known.id) is not None:
            return
        self._written.discard(known.id)
        try:
            with opened(known) as place:
                self.look(known, place)
        except (Fault, UserError) as error:
            log.info("repository %d: its summary stays as it was: %s", known.id, error)
