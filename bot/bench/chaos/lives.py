"""Lives of servers that end badly: what each is killed at, and what happens to it meanwhile."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy.exc import SQLAlchemyError

from bot.bench.chaos.phases import Begun, Lookout, Phase
from bot.bench.chaos.process import Server, kill_all
from bot.bench.chaos.rest import Rest
from bot.bench.chaos.stream import Stream
from bot.bench.chaos.troubles import Trouble
from bot.bench.chaos.world import Act, World
from bot.errors import Fault

LIFE = 2.0  # times what a start takes, until a kill comes that waits for something to meet
START = 180.0  # seconds at most that a start takes, on however busy a machine
LOOK = 0.005  # seconds between two looks at what a server does
# How long after the moment that it waits for a kill may come, in seconds.
DELAYS = {
    Phase.RECEIVE: 0.02,
    Phase.DISTIL: 0.3,
    Phase.COMMIT: 0.3,
    Phase.PUSH: 0.05,
    Phase.BOOKKEEPING: 0.05,
    Phase.IDLE: 1.0,
}
TROUBLED = 1.0  # seconds for deliveries to meet a full disk, or no database
SILENCE = 40.0  # seconds that a process stays dead until another has to have its work
SAMPLED = 25  # kills between two looks at memory and disk
REFUSALS: tuple[tuple[int, str, dict[str, str]], ...] = (
    (500, "Server Error", {}),
    (502, "Bad Gateway", {}),
    (403, "You have exceeded a secondary rate limit", {"Retry-After": "1"}),
    (429, "Too many requests", {"Retry-After": "1"}),
)


@dataclass(slots=True)
class Tally:
    """What was done to the servers. `samples`: MB of memory and of disk, now and then."""

    kills: int = 0
    phases: Counter[Phase] = field(default_factory=Counter)
    git: int = 0  # a git command killed under a server that lives
    receivers: int = 0  # and the receiver in front of one
    restarts: int = 0  # with SIGTERM
    deaths: int = 0  # processes that stayed dead until another took over
    troubles: Counter[str] = field(default_factory=Counter)
    answers: Counter[int] = field(default_factory=Counter)
    left_to_recovery: int = 0
    samples: list[tuple[float, float]] = field(default_factory=list)
    seconds: float = 0.0


class Lives:
    """One after the other; whatever lasts longer than one of them is kept here."""

    def __init__(
        self,
        made: World,
        servers: Sequence[Server],
        stream: Stream,
        rest: Rest,
        acts: list[Act],
        chance: random.Random,
        troubles: Sequence[Trouble],
        tally: Tally,
    ) -> None:
        self._made, self._servers, self._acts = made, servers, acts
        self._stream, self._rest = stream, rest
        self._chance, self._troubles, self._tally = chance, troubles, tally
        self._lookouts = {server: Lookout(made, server) for server in servers}
        self._dead: dict[Server, float] = {}  # and when they may live again
        self._start = 1.0  # seconds that the last one took, one at least

    def end_one(self, left: int) -> None:
        """A life of one of the servers, and how it ends; `left` more shall follow."""
        chance = self._chance
        self._revive()
        alive = [each for each in self._servers if each not in self._dead]
        if len(alive) > 1 and chance.random() < 0.05:
            restarted = chance.choice(alive)
            restarted.stop()
            restarted.start()
            self._tally.restarts += 1
        trouble = chance.choice(self._troubles) if chance.random() < 0.1 else None
        if trouble is not None:
            self._tally.troubles[trouble.name] += 1
            wait_for(alive[0])
            trouble.begin(alive[0])
        while self._acts and chance.random() < len(self._acts) / max(1, left):
            self._acts.pop(0)()
        self._refuse()
        self._stream.take()
        if trouble is not None:
            time.sleep(TROUBLED)
        self._end(alive)
        if trouble is not None:
            trouble.end(alive[0])

    def end(self) -> None:
        """Peace; each process starts once more, and asks GitHub for what it has missed."""
        self._made.github.fail_no_more()
        self._made.github.git.drop_answers = False
        for lookout in self._lookouts.values():
            lookout.close()
        self._dead.clear()
        self._revive()
        for server in self._servers:
            wait_for(server)
            server.stop()
            server.start()
            wait_for(server)

    def _revive(self) -> None:
        """Who is not meant to be dead runs, whatever ended it, as under a service manager."""
        now = time.monotonic()
        self._dead = {server: until for server, until in self._dead.items() if until > now}
        for server in self._servers:
            if server not in self._dead and not server.runs():
                server.start()

    def _refuse(self) -> None:
        """GitHub refuses what is asked next, or loses the answer to a push."""
        chance, github = self._chance, self._made.github
        if chance.random() < 0.2:
            status, message, headers = chance.choice(REFUSALS)
            github.fail_next(
                chance.choice(("GET", "POST")), "*", status, message=message,
                headers=dict(headers), after_effect=chance.random() < 0.3,
            )  # fmt: skip
        github.git.drop_answers = chance.random() < 0.1

    def _end(self, alive: Sequence[Server]) -> None:
        chance, tally = self._chance, self._tally
        server, before = self._wait_for_a_moment(alive)
        listened, posting = server.listens(), server in self._stream.posting
        if not server.runs():
            return  # its start met a trouble
        if before.writes and chance.random() < 0.1 and kill_all(server.commands()):
            tally.git += 1
            return
        if chance.random() < 0.1 and kill_all(server.receivers()):
            tally.receivers += 1
            return
        server.freeze()
        phases = {Phase.START}
        if listened:
            lookout = self._lookouts[server]
            phases = lookout.phases_of(before, lookout.begun(), posting=posting)
        if tally.kills % SAMPLED == 0:
            tally.samples.append((server.megabytes(), server.bytes_on_disk() / 1e6))
        server.kill(family=chance.random() < 0.5)
        tally.kills += 1
        tally.phases.update(phases)
        if len(self._servers) > 1 and not self._dead and chance.random() < 0.05:
            self._dead[server] = time.monotonic() + SILENCE
            tally.deaths += 1
        else:
            server.start()

    def _wait_for_a_moment(self, servers: Sequence[Server]) -> tuple[Server, Begun]:
        """Until one of them does what this kill is meant to meet, and a moment of chance longer."""
        chance = self._chance
        victim = chance.choice(servers)
        seen = {server: Begun.nothing() for server in servers}
        if chance.random() < 0.1:
            time.sleep(chance.random() * self._start)
            return victim, seen[victim]
        self._start = max(1.0, wait_for(victim))
        if chance.random() < 0.1:
            self._stream.abuse(victim)
        end = time.monotonic() + LIFE * self._start
        wanted = chance.choice([*DELAYS])
        met: list[Server] = []
        while not met and time.monotonic() < end and not self._has_nothing_to_do():
            time.sleep(LOOK)
            for server in servers:
                now = self._lookouts[server].begun()
                seen[server] = seen[server].also(now)
                posting = server in self._stream.posting
                if wanted in self._lookouts[server].phases_of(seen[server], now, posting=posting):
                    met.append(server)
        time.sleep(chance.random() * DELAYS[wanted])
        victim = chance.choice(met or [victim])
        return victim, seen[victim]

    def _has_nothing_to_do(self) -> bool:
        try:
            return self._stream.is_empty() and not self._rest.left()
        except SQLAlchemyError:  # the database is away
            return False


def wait_for(server: Server) -> float:
    """Seconds until it listens, or has ended because it cannot."""
    began = time.monotonic()
    while server.runs() and not server.listens():
        if time.monotonic() - began > START:
            raise Fault("the server does not start", retry=False)
        time.sleep(LOOK)
    return time.monotonic() - began
