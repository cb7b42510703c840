"""What a server is about at a moment, seen from outside: its ledgers, what it runs, the remotes."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

import psutil
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from bot.bench.chaos.process import Server
from bot.bench.chaos.world import World
from bot.database import connect, reading
from bot.inbox import Status, inbox
from bot.writes import writes


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
    """What one process has in hand: deliveries, and with each write the remote's tip."""

    hears: frozenset[int]
    writes: Mapping[tuple[int, int], str]  # by repository and number

    @classmethod
    def nothing(cls) -> Self:
        return cls(frozenset(), {})

    def also(self, later: Begun) -> Begun:
        """With what a later look found, at the tips of the earlier one."""
        return Begun(later.hears, {**later.writes, **self.writes})


class Lookout:
    """Looks at one server."""

    def __init__(self, made: World, server: Server) -> None:
        self._world, self._server = made, server
        self._engine = connect(server.database)
        self._hears = select(inbox.c.number).where(
            inbox.c.status == Status.HANDED, inbox.c.executor == server.executor
        )
        self._writes = select(writes.c.repository, writes.c.number).where(
            writes.c.handed_at.is_not(None), writes.c.executor == server.executor
        )

    def close(self) -> None:
        self._engine.dispose()

    def begun(self) -> Begun:
        """Nothing where the database does not answer."""
        hears: list[int] = []
        jobs: list[tuple[int, int]] = []
        with suppress(SQLAlchemyError), reading(self._engine) as connection:
            hears += connection.execute(self._hears).scalars()
            jobs += [(row.repository, row.number) for row in connection.execute(self._writes)]
        tips = {job: self._world.tip(job[0]) for job in jobs}
        return Begun(frozenset(hears), tips)

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
