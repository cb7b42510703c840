"""How fast deliveries are acknowledged, beside Probot with the same payload, secret and machine;
and how long it takes from a verdict to its commit.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil

from bot.bench.load import LEAD, Answered, Load, send
from bot.bench.receivers import ROOT, Receiver, installed_probot, probot, product
from bot.bench.rounds import Spread
from bot.bench.table import Row
from bot.errors import Fault, UserError
from bot.facts import Permission
from bot.sandbox.deliver import signature
from bot.sandbox.forge import SandboxForge
from bot.sandbox.pull_request import Inline
from bot.sandbox.records import Delivery
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer

Tick = Callable[[], None]

BYTES = 22_000  # of a pull_request_review as GitHub sends it, with all its addresses
CONNECTIONS, SECONDS, ROUNDS = 8, 5, 3  # of a peak, per receiver
RATE, FOR = 300, 10  # deliveries per second, for so many seconds
ACTIONABLE = 20  # one in so many
VERDICTS, AT_ONCE = 15, 100
ALL_AT_ONCE = 1e6  # per second
IDLE = 10.0  # seconds
WORK = 120.0  # seconds that work has before a measurement gives up

FINDINGS = (
    "Close the {0} session in a `finally` block in `src/{0}.py`, or a query that raises leaks it.",
    "Bump `MIN_{0}` in `scripts/{0}.sh` whenever you add a test, or the run passes without it.",
    "Never round the {0} total in `src/{0}.py` before the tax is added to the whole cart.",
    "Escape every {0} label in `web/{0}.js` before you put it into the page.",
    "Take the {0} lock in `src/{0}.py` before you read the queue, not after it.",
)


@dataclass(frozen=True, slots=True)
class Peak:
    """What wrk read: answers per second, milliseconds at the 50th and 99th percentile."""

    rate: float
    p50: float
    p99: float
    refused: int

    def __str__(self) -> str:
        return f"{self.rate:,.0f}/s, p50 {self.p50:.1f} ms, p99 {self.p99:.1f} ms"


@contextmanager
def sandbox(directory: Path) -> Iterator[SandboxForge]:
    """A forge to deliver from: its repository writes at once what it learns."""
    forge = SandboxForge(directory / "github", lambda: datetime.now(UTC))
    with SandboxServer(forge):
        yield forge


def _shop(forge: SandboxForge, name: str) -> SandboxRepository:
    shop = forge.create_repository(
        f"acme/{name}",
        {"README.md": "# Shop\n", ".github/lessonkeeper.yml": "version: 1\ncommit_every: 0\n"},
    )
    for login in ("ada", "ben"):
        shop.set_permission(login, Permission.WRITE)
    forge.take_deliveries()
    return shop


def _verdict(shop: SandboxRepository, number: int) -> Delivery:
    """A review that asks for changes, in a pull request of its own; the delivery that tells it."""
    finding = FINDINGS[number % len(FINDINGS)].format(f"part{number}")
    pull = shop.open_pull_request(
        "ben", {f"src/part{number}.py": f"n = {number}\n"}, title=f"Change {number}"
    )
    shop.forge.take_deliveries()
    pull.review("ada", "changes_requested", "", [Inline(f"src/part{number}.py", finding, 1)])
    told = shop.forge.take_deliveries()
    return next(each for each in told if each.event == "pull_request_review")


def _chatter(shop: SandboxRepository) -> Delivery:
    """A comment that asks nothing of us: kept and heard like any other."""
    pull = shop.open_pull_request("ben", {"docs/talk.md": "Talk.\n"}, title="Talk")
    shop.comment(pull.number, "ada", "Looks fine to me, one more look tomorrow.")
    return next(e for e in shop.forge.take_deliveries() if e.event == "issue_comment")


def _body(delivery: Delivery) -> str:
    """Its JSON, padded to the size of GitHub's own."""
    bare = json.dumps(delivery.payload, separators=(",", ":"))
    padded = {**delivery.payload, "enterprise": {"description": "x" * max(0, BYTES - len(bare))}}
    return json.dumps(padded, separators=(",", ":"))


def _signed(forge: SandboxForge, delivery: Delivery) -> tuple[str, str, str]:
    body = _body(delivery)
    return delivery.event, body, signature(body.encode(), forge.webhook_secret)


# Peak: as many as they can, wrk beside them.

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


def peaks(directory: Path, tick: Tick) -> list[Row]:
    """Throughput on disk first against Probot making the same promise, and as it ships."""
    if shutil.which("wrk") is None:
        raise UserError("wrk is missing.", remedy="Install it: apt-get install wrk")
    taken: dict[str, list[Peak]] = {}
    memory: dict[str, float] = {}
    runs = itertools.count()
    with sandbox(directory) as forge, ExitStack() as stack:
        signed = _signed(forge, _verdict(_shop(forge, "peak"), 0))
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
        for number in range(ROUNDS + 1):
            for side in sides[number % 3 :] + sides[: number % 3]:
                found = peak(side, signed, directory, f"run{next(runs)}")
                if found.refused:
                    raise Fault(f"{side.name} refused {found.refused} deliveries", retry=False)
                if number:  # the first round warms up
                    taken.setdefault(side.name, []).append(found)
                tick()
        memory = {side.name: _megabytes(side.pid) for side in sides}
    ours, disk, shipped = (taken[side.name] for side in sides)
    against = Spread.of([a.rate / b.rate for a, b in zip(ours, disk, strict=True)])
    tail = Spread.of([a.p99 / b.p99 for a, b in zip(ours, disk, strict=True)])
    rows = [
        Row(
            "deliveries acknowledged at the peak, on disk first",
            "Probot 14 making the same promise",
            "≥ 1.3 ×",
            f"{against} × ({_middle(ours)}; Probot {_middle(disk)})",
            against.median >= 1.3,
            {"ratio": against.median, "ours": _middle(ours).rate, "probot": _middle(disk).rate},
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
            f"Probot {_middle(shipped)}",
            None,
            {"probot": _middle(shipped).rate},
        ),
    ]
    names = ", ".join(f"{name} {size:.0f} MB" for name, size in memory.items())
    return [*rows, Row("memory of the process after the peaks", "–", "–", names, None, memory)]


def _middle(found: Sequence[Peak]) -> Peak:
    return sorted(found, key=lambda each: each.rate)[len(found) // 2]


def _megabytes(pid: int) -> float:
    """Resident memory of a process and its children, in MB."""
    process = psutil.Process(pid)
    family = [process, *process.children(recursive=True)]
    return sum(int(each.memory_info().rss) for each in family) / 1e6


# Steady: at a fixed rate, with the work running.


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


def steady(directory: Path, tick: Tick) -> list[Row]:
    """Acknowledgement at a fixed rate, 1 in 20 a verdict to be written, the work running."""
    with sandbox(directory) as forge:
        shops = [_shop(forge, f"steady{n}") for n in range(10)]
        talk = [_signed(forge, _chatter(shop)) for shop in shops]
        count = RATE * FOR // ACTIONABLE
        verdicts = [_signed(forge, _verdict(shops[n % len(shops)], n)) for n in range(count)]
        tick()
        bodies = [
            verdicts[n // ACTIONABLE] if n % ACTIONABLE == 0 else talk[n % len(talk)]
            for n in range(RATE * FOR)
        ]
        with product(directory / "ours", forge, debounce=timedelta(0)) as ours:
            answered = _at_a_rate(ours, bodies)
            tick()
            kept = _kept(directory / "ours" / "data" / "lessonkeeper.sqlite")
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
            "acknowledged deliveries that are not in the inbox",
            "–",
            "0",
            str(lost),
            lost == 0,
        ),
    ]


def _kept(database: Path) -> set[str]:
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return {guid for (guid,) in connection.execute("SELECT guid FROM inbox")}


# From a verdict to its commit, and doing nothing.


def verdicts(directory: Path, tick: Tick) -> list[Row]:
    """Seconds until the bot's commit is on the branch, one at a time and a hundred at once."""
    with sandbox(directory) as forge:
        shop = _shop(forge, "verdicts")
        with product(directory / "ours", forge, debounce=timedelta(0)) as ours:
            idle = _idle(ours.pid)
            tick()
            single = []
            for number in range(VERDICTS + 1):
                told = _verdict(shop, number)
                single.append(_until_written(ours, forge, shop, [told]))
                tick()
            crowd = _shop(forge, "crowd")
            many = [_verdict(crowd, number) for number in range(AT_ONCE)]
            together = _until_written(ours, forge, crowd, many)
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
    process = psutil.Process(pid)
    time.sleep(2)  # its start is over
    process.cpu_percent()
    time.sleep(IDLE)
    return _megabytes(pid), float(process.cpu_percent())


def _until_written(
    receiver: Receiver, forge: SandboxForge, shop: SandboxRepository, told: Sequence[Delivery]
) -> float:
    """Seconds from sending until every one of these sources is named in a commit of the branch."""
    bodies = [_signed(forge, each) for each in told]
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
