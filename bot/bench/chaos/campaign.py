"""One life of the world: in peace, or with the server killed again and again at what it does."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bot.bench.chaos.lives import Lives, Tally, wait_for
from bot.bench.chaos.outcome import Outcome, outcome
from bot.bench.chaos.process import Server
from bot.bench.chaos.rest import Rest
from bot.bench.chaos.stream import Stream
from bot.bench.chaos.troubles import LostDatabase, Trouble, disk
from bot.bench.chaos.world import script, world
from bot.bench.postgres import Postgres
from bot.errors import Fault

PATIENCE = 600.0  # seconds for what is left at the end, in peace
QUIET = 20  # looks, half a second apart, in which nothing happens any more


@dataclass(frozen=True, slots=True)
class Plan:
    """`processes` share `database`; without one there is one process, with a file of its own."""

    seed: int
    acts: int
    kills: int = 0
    processes: int = 1
    database: Postgres | None = None


def run(directory: Path, plan: Plan, tick: Callable[[], None]) -> tuple[Outcome, Tally]:
    """Without kills it is a calm life. Raises Fault when it never ends."""
    began = time.monotonic()
    tally = Tally()
    directory.mkdir(parents=True)
    with ExitStack() as stack:
        made = stack.enter_context(world(directory, plan.seed))
        home = directory / "bot"
        chance = random.Random(plan.seed + 1) if plan.kills else None  # nosec B311
        troubles: list[Trouble] = [stack.enter_context(disk(home))]
        if plan.database is not None and chance is not None:
            troubles = [LostDatabase(plan.database, chance)]
        url = None if plan.database is None else plan.database.url
        servers = [
            Server(home / f"host{number}", made.forge, f"host{number}", url)
            for number in range(1, plan.processes + 1)
        ]
        stream = stack.enter_context(Stream(made, servers, chance))
        acts = script(made, plan.seed, plan.acts)
        rest = Rest(servers[0].database, [each.data for each in servers])
        stack.callback(rest.close)
        try:
            for server in servers:
                server.start()
                wait_for(server)
                if not server.runs():
                    raise Fault(f"the server ended: {server.last_words()}", retry=False)
            if chance is not None:
                lives = Lives(made, servers, stream, rest, acts, chance, troubles, tally)
                while tally.kills < plan.kills:
                    lives.end_one(plan.kills - tally.kills)
                    tick()
                lives.end()
            for act in acts:
                act()
                stream.take()
            megabytes = _settled(servers, stream, rest)
        finally:
            for server in servers:
                if server.runs():
                    server.stop()
        tally.answers, tally.left_to_recovery = stream.answers, stream.left_to_recovery
        tally.seconds = time.monotonic() - began
        return outcome(made, servers, rest, stream.acknowledged, megabytes), tally


def _settled(servers: Sequence[Server], stream: Stream, rest: Rest) -> float:
    """Waits until everything is known; the memory then of the largest process."""
    end = time.monotonic() + PATIENCE
    quiet = 0
    while quiet < QUIET:
        if time.monotonic() > end:
            raise Fault(f"work was left after {PATIENCE:g} s: {rest.left()}", retry=False)
        time.sleep(0.5)
        stream.take()
        calm = stream.is_empty() and not rest.left()
        quiet = quiet + 1 if calm else 0
    return max(server.megabytes() for server in servers)
