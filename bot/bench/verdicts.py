"""How long it takes from a verdict to its commit; and what doing nothing costs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from bot.bench.deliveries import Tick, as_sent, family, megabytes, new_shop, sandbox, verdict
from bot.bench.load import LEAD, Load, send
from bot.bench.receivers import Receiver, product
from bot.bench.rounds import Spread
from bot.bench.table import Row
from bot.errors import Fault
from bot.sandbox.forge import SandboxForge
from bot.sandbox.records import Delivery
from bot.sandbox.repository import SandboxRepository
from bot.search.meaning import KEPT

VERDICTS, AT_ONCE = 15, 100
ALL_AT_ONCE = 1e6  # per second
IDLE = 10.0  # seconds
START = 10.0  # seconds that the first look at the repositories may take
WORK = 120.0  # seconds that work has before a measurement gives up


def verdicts(directory: Path, tick: Tick) -> list[Row]:
    """Seconds until the bot's commit is on the branch, one at a time and a hundred at once."""
    with sandbox(directory) as forge:
        shop = new_shop(forge, "verdicts")
        with product(directory / "ours", forge, debounce=timedelta(0)) as ours:
            idle = _idle(ours.pid)
            tick()
            single = []
            for number in range(VERDICTS + 1):
                told = verdict(shop, number)
                single.append(until_written(ours, forge, shop, [told]))
                tick()
            crowd = new_shop(forge, "crowd")
            many = [verdict(crowd, number) for number in range(AT_ONCE)]
            together = until_written(ours, forge, crowd, many)
            commits = len(_ours(crowd))
    spread = Spread.of(single[1:])
    megabytes, share = idle
    return [
        Row(
            "verdict to pushed commit, idle, offline distiller",
            "–",
            "p50 ≤ 400 ms",
            spread.milliseconds(),
            spread.median <= 0.4,
            {"p50": spread.median},
        ),
        Row(
            f"{AT_ONCE} verdicts for one repository at once",
            "–",
            "all present, ≤ 15 s",
            f"{together:.1f} s, {commits} commits",
            together <= 15,
            {"seconds": together, "commits": float(commits)},
        ),
        Row(
            "doing nothing",
            "–",
            "≤ 130 MB, ≤ 5 % of one core",
            f"{megabytes:.0f} MB, {share:.1f} %",
            megabytes <= 130 and share <= 5,
            {"megabytes": megabytes, "percent": share},
        ),
    ]


def _idle(pid: int) -> tuple[float, float]:
    """Megabytes, and per cent of one core over some seconds without a delivery."""
    time.sleep(START + KEPT.total_seconds())
    before = _processor(pid)
    time.sleep(IDLE)
    return megabytes(*family(pid)), (_processor(pid) - before) / IDLE * 100


def _processor(pid: int) -> float:
    """Seconds that a process and its children have computed."""
    times = [each.cpu_times() for each in family(pid)]
    return sum(float(each.user + each.system) for each in times)


def until_written(
    receiver: Receiver, forge: SandboxForge, shop: SandboxRepository, told: Sequence[Delivery]
) -> float:
    """Seconds from sending until every one of these sources is named in a commit of the branch."""
    bodies = [as_sent(forge, each) for each in told]
    wanted = _sources(shop) + len(told)
    start = time.perf_counter() + LEAD
    load = Load("127.0.0.1", receiver.port, receiver.path, ALL_AT_ONCE, len(bodies), bodies)
    if send(load).refused:
        raise Fault("a verdict was refused", retry=False)
    while _sources(shop) < wanted:
        if time.perf_counter() - start > WORK:
            raise Fault(f"{_sources(shop)} of {wanted} verdicts were written", retry=False)
        time.sleep(0.01)
    return time.perf_counter() - start


def _ours(shop: SandboxRepository) -> Mapping[str, int]:
    """Our commits on the branch, by their sources."""
    commits = shop.bare.commits(shop.tip())
    return {
        commit.sha: commit.message.count("Lesson-Source:")
        for commit in commits
        if "Lesson-Source:" in commit.message
    }


def _sources(shop: SandboxRepository) -> int:
    return sum(_ours(shop).values())
