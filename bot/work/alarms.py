"""The alarms that ring: each is raised once and cleared once, and kept in between.

Decides nothing: `bot.channels.alarms` says what is one. Can be lost: the next look raises anew.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import BigInteger, Column, Connection, Engine, String, Table, Text, delete, select
from sqlalchemy import insert as insert_into

from bot.channels.alarms import Alarm, Name, other_of
from bot.database import Moment, metadata, reading
from bot.web import pages
from bot.writer import Writer

log = logging.getLogger(__name__)

SERVER = 0  # no repository of GitHub has this id

alarms = Table(
    "alarms",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("name", String(40), primary_key=True),
    Column("about", String(300), primary_key=True),
    Column("full_name", String(300), nullable=False),  # for people; empty: the server's own
    Column("reason", Text, nullable=False),
    Column("remedy", Text, nullable=False),
    Column("raised_at", Moment, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Raised:
    """One alarm that rings. `full_name` is empty where it is the server's own."""

    repository: int
    full_name: str
    alarm: Alarm
    raised_at: datetime

    def __str__(self) -> str:
        where = f"{self.full_name}: " if self.full_name else ""
        return f"{where}{self.alarm.name}: {self.alarm.reason}"


class Alarms:
    """Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def keep(self, repository: int, full_name: str, found: Sequence[Alarm], now: datetime) -> None:
        """What rings in a repository, or on the server, now; what does not any more is cleared."""
        wanted = {(alarm.name.value, alarm.about[:300]): alarm for alarm in found}

        def change(c: Connection) -> tuple[list[Raised], list[Raised]]:
            there = {(row.alarm.name.value, row.alarm.about): row for row in _read(c, [repository])}
            cleared = [row for key, row in there.items() if key not in wanted]
            for name, about in there:
                c.execute(
                    delete(alarms).where(
                        alarms.c.repository == repository,
                        alarms.c.name == name,
                        alarms.c.about == about,
                    )
                )
            raised = []
            for key, alarm in wanted.items():
                since = there[key].raised_at if key in there else now
                row = Raised(repository, full_name, alarm, since)
                c.execute(insert_into(alarms).values(_values(row, key[1])))
                if key not in there:
                    raised.append(row)
            return raised, cleared

        if not wanted and not self.open([repository]):
            return
        raised, cleared = self._writer.do(change)
        for row in raised:
            log.warning("alarm: %s. %s", _told(row), row.alarm.remedy)
        for row in cleared:
            log.info("alarm over: %s", _told(row))

    def open(self, among: Collection[int] | None = None) -> tuple[Raised, ...]:
        """Those that ring, of these repositories, by name; None: all and the server's own."""
        with reading(self._engine) as c:
            return _read(c, among)

    def counts(self) -> Mapping[str, int]:
        """How many ring, by name; names no repository."""
        found = Counter(row.alarm.name.value for row in self.open())
        return {name.value: found[name.value] for name in Name}

    def shown(self, among: Collection[int] | None = None) -> tuple[pages.Alarm, ...]:
        """As the dashboard shows them, which tells of deliveries by itself.

        To somebody who reads `among` alone no other repository is named.
        """
        told, rows = (Name.DELIVERIES_FAILED, Name.DELIVERIES_WAIT), self.open(among)
        named = {"", *(row.full_name for row in rows)}
        return tuple(
            pages.Alarm(row.repository, str(row), row.alarm.remedy, "python app.py doctor")
            for row in rows
            if row.alarm.name not in told and (among is None or other_of(row.alarm) in named)
        )


def _read(c: Connection, among: Collection[int] | None) -> tuple[Raised, ...]:
    rows = select(alarms).order_by(alarms.c.full_name, alarms.c.name, alarms.c.about)
    if among is not None:
        rows = rows.where(alarms.c.repository.in_(among))
    known = {name.value for name in Name}
    return tuple(
        Raised(
            row.repository,
            row.full_name,
            Alarm(Name(row.name), row.reason, row.remedy, row.about),
            row.raised_at,
        )
        for row in c.execute(rows)
        if row.name in known
    )


def _values(row: Raised, about: str) -> dict[str, object]:
    return {
        "repository": row.repository,
        "name": row.alarm.name.value,
        "about": about,
        "full_name": row.full_name,
        "reason": row.alarm.reason,
        "remedy": row.alarm.remedy,
        "raised_at": row.raised_at,
    }


def _told(row: Raised) -> str:
    """For the log, which names repositories by their ids."""
    where = f"repository {row.repository}: " if row.repository != SERVER else ""
    return f"{where}{row.alarm.name}: {row.alarm.reason}"
