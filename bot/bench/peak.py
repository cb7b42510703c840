"""How fast deliveries are acknowledged at the most, beside Probot with the same payload, secret and
machine.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bot.bench.deliveries import Tick, as_sent, family, megabytes, new_shop, sandbox, verdict
from bot.bench.receivers import Receiver, installed_probot, probot, product
from bot.bench.rounds import Spread
from bot.bench.table import Row
from bot.errors import Fault, UserError

CONNECTIONS, SECONDS, ROUNDS = 8, 5, 3  # of a peak, per receiver

_WRK = """
local file = io.open("{body}", "rb")
local body = file:read("*a")
file:close()
local number = 0
request = function()
  number = number + 1
  return wrk.format("POST", nil, {{
    ["Content-Type"] = "application/json",
    ["X-GitHub-Event"] = "{event}",
    ["X-GitHub-Delivery"] = "{run}-" .. number,
    ["X-Hub-Signature-256"] = "{signature}",
  }}, body)
end
done = function(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format("figures %f %f %f %d\\n",
    summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
"""


@dataclass(frozen=True, slots=True)
class Peak:
    """What wrk read: answers per second, milliseconds at the 50th and 99th percentile."""

    rate: float
    p50: float
    p99: float
    refused: int

    def __str__(self) -> str:
        return f"{self.rate:,.0f}/s, p50 {self.p50:.1f} ms, p99 {self.p99:.1f} ms"


def peak(receiver: Receiver, signed: tuple[str, str, str], directory: Path, run: str) -> Peak:
    """One round against a receiver, under GUIDs that begin with `run`."""
    event, body, signed_with = signed
    text = directory / "body.json"
    text.write_text(body)
    script = directory / "wrk.lua"
    script.write_text(_WRK.format(body=text, event=event, run=run, signature=signed_with))
    url = f"http://127.0.0.1:{receiver.port}{receiver.path}"
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "-s", str(script), url]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(r"figures (\S+) (\S+) (\S+) (\d+)", said)
    if found is None:
        raise Fault(f"wrk said nothing that can be read: {said[-300:]}", retry=False)
    return Peak(float(found[1]), float(found[2]), float(found[3]), int(found[4]))


def need_wrk() -> None:
    """Raises UserError where it is not installed."""
    if shutil.which("wrk") is None:
        raise UserError("wrk is missing.", remedy="Install it: apt-get install wrk")


def peaks_in_turns(
    sides: Sequence[Receiver], signed: tuple[str, str, str], directory: Path, tick: Tick
) -> Mapping[str, Sequence[Peak]]:
    """The rounds of each receiver by its name. Raises Fault where one refuses a delivery."""
    taken: dict[str, list[Peak]] = {side.name: [] for side in sides}
    for number in range(ROUNDS + 1):
        first = number % len(sides)
        for side in (*sides[first:], *sides[:first]):
            found = peak(side, signed, directory, f"round{number}")
            if found.refused:
                raise Fault(f"{side.name} refused {found.refused} deliveries", retry=False)
            if number:  # the first round warms up
                taken[side.name].append(found)
            tick()
    return taken


def peaks(directory: Path, tick: Tick) -> list[Row]:
    """Throughput on disk first against Probot making the same promise, and as it ships."""
    need_wrk()
    with sandbox(directory) as forge, ExitStack() as stack:
        signed = as_sent(forge, verdict(new_shop(forge, "peak"), 0))
        installed = installed_probot(directory)
        sides = [
            # No work falls due while it is measured: the peers have none to do.
            stack.enter_context(product(directory / "ours", forge, debounce=timedelta(minutes=10))),
            *(
                stack.enter_context(
                    probot(
                        installed,
                        directory / f"probot{int(disk)}",
                        forge.webhook_secret,
                        on_disk=disk,
                    )
                )
                for disk in (True, False)
            ),
        ]
        taken = peaks_in_turns(sides, signed, directory, tick)
        memory = {side.name: megabytes(*family(side.pid)) for side in sides}
    ours, disk, shipped = (taken[side.name] for side in sides)
    against = Spread.of([a.rate / b.rate for a, b in zip(ours, disk, strict=True)])
    tail = Spread.of([a.p99 / b.p99 for a, b in zip(ours, disk, strict=True)])
    rows = [
        Row(
            "deliveries acknowledged at the peak, on disk first",
            "Probot 14 making the same promise",
            "≥ 1.3 ×",
            f"{against} × ({middle(ours)}; Probot {middle(disk)})",
            against.median >= 1.3,
            {"ratio": against.median, "ours": middle(ours).rate, "probot": middle(disk).rate},
        ),
        Row(
            "p99 of an acknowledgement at the peak",
            "Probot 14 making the same promise",
            "–",
            f"{tail} ×",
            None,
            {"ratio": tail.median},
        ),
        Row(
            "the same",
            "Probot 14 as it ships, answering from memory",
            "–",
            f"Probot {middle(shipped)}",
            None,
            {"probot": middle(shipped).rate},
        ),
    ]
    names = ", ".join(f"{name} {size:.0f} MB" for name, size in memory.items())
    return [*rows, Row("memory of the process after the peaks", "–", "–", names, None, memory)]


def middle(found: Sequence[Peak]) -> Peak:
    """That of the middle rate."""
    return sorted(found, key=lambda each: each.rate)[len(found) // 2]
