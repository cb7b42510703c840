"""What a server is about at a moment, seen from outside: what it runs, its queue, the remotes."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

import psutil
from sqlalchemy import column, create_engine, select, table
from sqlalchemy.exc import SQLAlchemyError

from bot.bench.chaos.process import Server
from bot.bench.chaos.world import World
from bot.jobs import queue_url

_WRITE = re.compile(r"write-(\d+)-")  # bot/writes.py names them; a delivery's job has its GUID


class Phase(enum.StrEnum):
    """`distil`: facts are read and sentences made of them. `bookkeeping`: the push has landed, and
    that it has is still to be written down and told."""

    START = "start"
    RECEIVE = "receive"
    DISTIL = "distil"
    COMMIT = "commit"
    PUSH = "push"
    BOOKKEEPING = "bookkeeping"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Begun:
    """The jobs that one process has taken from its queue; with each write, the remote's tip."""

    hears: frozenset[str]
    writes: Mapping[str, str]

    @classmethod
    def nothing(cls) -> Self:
        return cls(frozenset(), {})

    def also(self, later: Begun) -> Begun:
        """With what a later look found, at the tips of the earlier one."""
        return Begun(later.hears, {**later.writes, **self.writes})


class Lookout:
    """Looks at one server. Its queue is asked by its tables: no process of the product knows it."""

    def __init__(self, made: World, server: Server) -> None:
        self._world, self._server = made, server
        url = queue_url(server.database)
        self._engine = create_engine(url, pool_pre_ping=True)
        schema = None if self._engine.dialect.name == "sqlite" else "dbos"
        rows = table(
            "workflow_status",
            *map(column, ("workflow_uuid", "status", "executor_id", "name")),
            schema=schema,
        )
        self._begun = select(rows.c.workflow_uuid).where(
            rows.c.status == "PENDING",
            rows.c.executor_id == server.executor,
            rows.c.name == "job",
        )

    def close(self) -> None:
        self._engine.dispose()

    def begun(self) -> Begun:
        """Nothing where the database does not answer."""
        ids: list[str] = []
        with suppress(SQLAlchemyError), self._engine.connect() as connection:
            ids += connection.execute(self._begun).scalars()
        writes = {each: int(found[1]) for each in ids if (found := _WRITE.match(each))}
        tips = {each: self._world.tip(repository) for each, repository in writes.items()}
        return Begun(frozenset(ids) - writes.keys(), tips)

    def phases_of(self, before: Begun, now: Begun, *, posting: bool) -> set[Phase]:
        """Of the server that has begun this, and had begun that at earlier looks."""
        phases = set()
        if posting:
            phases.add(Phase.RECEIVE)
        if now.hears:
            phases.add(Phase.DISTIL)
        if now.writes:
            phases.add(self._of_write(before, now))
        return phases or {Phase.IDLE}

    def _of_write(self, before: Begun, now: Begun) -> Phase:
        if any("push" in _arguments(command) for command in self._server.commands()):
            return Phase.PUSH
        moved = any(before.writes.get(each, tip) != tip for each, tip in now.writes.items())
        return Phase.BOOKKEEPING if moved else Phase.COMMIT


def _arguments(command: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return command.cmdline()
    return []
