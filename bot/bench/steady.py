"""How fast deliveries are acknowledged at a fixed rate, with the work running; Probot beside it."""

from __future__ import annotations

import json
import sqlite3
import statistics
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

from bot.bench.deliveries import BYTES, Tick, as_sent, chatter, new_shop, sandbox, verdict
from bot.bench.load import Answered, Load
from bot.bench.receivers import ROOT, Receiver, installed_probot, probot, product
from bot.bench.table import Row
from bot.letterbox import LETTERBOX

RATE, FOR = 300, 10  # deliveries per second, for so many seconds
ACTIONABLE = 20  # one in so many


def steady(directory: Path, tick: Tick) -> list[Row]:
    """Acknowledgement at a fixed rate, 1 in 20 a verdict to be written, the work running."""
    with sandbox(directory) as forge:
        shops = [new_shop(forge, f"steady{n}") for n in range(10)]
        talk = [as_sent(forge, chatter(shop)) for shop in shops]
        count = RATE * FOR // ACTIONABLE
        verdicts = [as_sent(forge, verdict(shops[n % len(shops)], n)) for n in range(count)]
        tick()
        bodies = [
            verdicts[n // ACTIONABLE] if n % ACTIONABLE == 0 else talk[n % len(talk)]
            for n in range(RATE * FOR)
        ]
        with product(directory / "ours", forge, debounce=timedelta(0)) as ours:
            answered = _at_a_rate(ours, bodies)
            tick()
            kept = _kept(directory / "ours" / "data")
        installed = installed_probot(directory)
        with probot(installed, directory / "disk", forge.webhook_secret, on_disk=True) as other:
            theirs = _at_a_rate(other, bodies)
            tick()
    lost = len(set(answered.guids) - kept)
    p99, their_p99 = (_percentile(each.seconds, 99) for each in (answered, theirs))
    measured = (
        f"p50 {_percentile(answered.seconds, 50):.1f} ms, p99 {p99:.1f} ms, {answered.refused} "
        f"refused; Probot, with no work to do, p99 {their_p99:.1f} ms, {theirs.refused} refused"
    )
    return [
        Row(
            f"acknowledgement at {RATE} deliveries/s of {BYTES // 1000} kB, on disk first, 1 in "
            f"{ACTIONABLE} a verdict, the work running",
            "Probot 14 making the same promise, without work",
            "p99 ≤ 25 ms, and no worse",
            measured,
            p99 <= 25 and p99 <= their_p99 and not answered.refused,
            {"p99": p99, "probot_p99": their_p99},
        ),
        Row(
            "acknowledged deliveries that are not on disk",
            "–",
            "0",
            str(lost),
            lost == 0,
        ),
    ]


def _at_a_rate(receiver: Receiver, bodies: Sequence[tuple[str, str, str]]) -> Answered:
    load = Load("127.0.0.1", receiver.port, receiver.path, RATE, RATE * FOR, bodies)
    said = subprocess.run(
        [sys.executable, "-m", "bot.bench.load"],
        input=json.dumps(asdict(load)),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    ).stdout
    return Answered(**json.loads(said))


def _percentile(seconds: Sequence[float], which: int) -> float:
    """Milliseconds."""
    return statistics.quantiles(seconds, n=100)[which - 1] * 1000


def _kept(data: Path) -> set[str]:
    """The GUIDs on disk. A letter is in the inbox before it leaves the letterbox."""
    return _guids(data / LETTERBOX, "letters") | _guids(data / "lessonkeeper.sqlite", "inbox")


def _guids(database: Path, table: str) -> set[str]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return {guid for (guid,) in connection.execute(f"SELECT guid FROM {table}")}  # nosec B608
