"""Searches that came back empty: what nobody knows, and what is known under other words."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Column,
    Engine,
    Integer,
    String,
    Table,
    Text,
    delete,
    insert,
    select,
    true,
)

from bot.database import Moment, metadata, reading
from bot.search.model import Finding
from bot.writer import Writer

KEEP = timedelta(days=90)
MOST_LISTED = 200

empty_searches = Table(
    "empty_searches",
    metadata,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("repository", BigInteger, nullable=False),
    Column("at", Moment, nullable=False),
    Column("finding", String(40), nullable=False),
    Column("query", Text, nullable=False),
    Column("nearest", Text, nullable=False),  # JSON list
)


@dataclass(frozen=True, slots=True)
class Gap:
    """One such search. `nearest` names pages that mean something near, as "owner/name:path"."""

    at: datetime
    query: str
    finding: Finding
    nearest: tuple[str, ...]


class Gaps:
    """Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def keep(
        self,
        repository: int,
        query: str,
        finding: Finding,
        nearest: tuple[str, ...],
        now: datetime,
    ) -> None:
        """`repository`: that of the reader who asked. The same twice in a row is one gap."""
        before = next(iter(self.of(repository)), None)
        if before is not None and before.query == query:
            return
        row = insert(empty_searches).values(
            repository=repository,
            at=now,
            finding=finding.name,
            query=query,
            nearest=json.dumps(nearest),
        )
        self._writer.do(lambda c: c.execute(row).rowcount)

    def of(self, repository: int) -> tuple[Gap, ...]:
        """The newest first."""
        return self.among([repository])

    def among(self, repositories: Collection[int] | None) -> tuple[Gap, ...]:
        """The newest first, of these repositories; None: of all, and of none."""
        columns = [empty_searches.c[name] for name in ("at", "query", "finding", "nearest")]
        rows = (
            select(*columns)
            .where(
                true() if repositories is None else empty_searches.c.repository.in_(repositories)
            )
            .order_by(empty_searches.c.number.desc())
            .limit(MOST_LISTED)
        )
        with reading(self._engine) as c:
            return tuple(
                Gap(at, query, Finding[finding], tuple(json.loads(nearest)))
                for at, query, finding, nearest in c.execute(rows)
            )

    def prune(self, now: datetime) -> None:
        old = delete(empty_searches).where(empty_searches.c.at <= now - KEEP)
        self._writer.do(lambda c: c.execute(old).rowcount)
