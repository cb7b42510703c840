"""`make chaos`: the server killed at random moments while everything around it misbehaves.

A seeded world of pull requests is played twice: to a server that is left in peace, and to one
that is killed (`kill -9`) again and again under duplicates, disorder, refusals, lost answers,
half-closed connections and a branch that moves. In the end both have to know the same: every
source applied once, the same evidence for each lesson. Exit status 1 where they do not.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import psutil
import requests
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bot.bench.receivers import ROOT, free_port
from bot.errors import Fault
from bot.facts import Permission
from bot.lessons.history import History
from bot.lessons.rows import RetiredRow
from bot.sandbox.deliver import deliver
from bot.sandbox.forge import SandboxForge
from bot.sandbox.pull_request import Inline
from bot.sandbox.records import Delivery
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer

REPOSITORIES = 3
LIVES = 3.0  # times what a start takes: a third of the kills meet a server that still starts
PATIENCE = 300.0  # seconds for what is left at the end, in peace
QUIET = 8  # looks, half a second apart, in which nothing happens any more
FINDINGS = (
    "Close the session in a `finally` block in `src/db.py`, or a query that raises leaks it.",
    "Bump `MIN_TESTS` in `scripts/run-tests.sh` whenever you add a test, or it never runs.",
    "Never round prices in `src/cart.py` before the tax is added to the whole cart.",
    "Escape every label in `web/list.js` before you put it into the page.",
    "Take the lock in `src/queue.py` before you read the next job, not after it.",
    "Read `LIMIT_BYTES` from the settings in `src/upload.py` instead of repeating the number.",
    "Send dates to `src/api.py` in UTC with an offset, because the client cannot guess the zone.",
    "Add an index on `orders.customer_id` to every migration that filters orders by customer.",
)
NOTES = (
    "Say in the changelog what a user has to do, before you tag a release.",
    "Name the migration in the title of a pull request that brings one.",
    "Ask the payments team before you change the shape of an invoice.",
)
FAULTS: tuple[tuple[int, str, dict[str, str]], ...] = (
    (500, "Server Error", {}),
    (502, "Bad Gateway", {}),
    (403, "You have exceeded a secondary rate limit", {"Retry-After": "1"}),
    (429, "Too many requests", {"Retry-After": "1"}),
)


@dataclass(slots=True)
class World:
    """The forge, the repositories, and which act each review or comment came from."""

    forge: SandboxForge
    github: SandboxServer
    shops: list[SandboxRepository]
    acts: dict[int, str] = field(default_factory=dict)


Act = Callable[[World], None]


def _taught(name: str, shop: int, text: str, then: str) -> Act:
    """A pull request with one finding, and what becomes of it."""

    def act(world: World) -> None:
        repository = world.shops[shop]
        path = f"src/{name}.py"
        pull = repository.open_pull_request("ben", {path: f"{name} = 1\n"}, title=f"Change {name}")
        review = pull.review("ada", "changes_requested", "", [Inline(path, text, 1)])
        world.acts[review] = name
        if then == "merge":
            pull.merge("ben")
        elif then == "dismiss":
            pull.dismiss_review(review, "ada")

    return act


def _noted(name: str, shop: int, text: str) -> Act:
    def act(world: World) -> None:
        repository = world.shops[shop]
        pull = repository.open_pull_request("ben", {f"docs/{name}.md": "1\n"}, title=f"Doc {name}")
        world.acts[repository.comment(pull.number, "ada", f"/lesson {text}")] = name

    return act


def _moved(name: str, shop: int) -> Act:
    """A person pushes to the default branch, perhaps between our read and our push."""

    def act(world: World) -> None:
        world.shops[shop].commit("ada", {f"docs/{name}.md": "1\n"}, message=f"Write {name}")

    return act


def script(seed: int, length: int) -> list[Act]:
    """What people do, the same for every run of a seed."""
    chance = random.Random(seed)  # nosec B311
    acts: list[Act] = []
    for number in range(length):
        name, shop = f"act{number}", chance.randrange(REPOSITORIES)
        kind = chance.random()
        if kind < 0.70:
            then = chance.choices(("open", "merge", "dismiss"), (8, 1, 1))[0]
            acts.append(_taught(name, shop, chance.choice(FINDINGS), then))
        elif kind < 0.85:
            acts.append(_noted(name, shop, chance.choice(NOTES)))
        else:
            acts.append(_moved(name, shop))
    return acts


class Server:
    """`app.py serve` on data that stay, to be killed and started again."""

    def __init__(self, directory: Path, forge: SandboxForge, database: str | None = None) -> None:
        directory.mkdir(parents=True)
        key = directory / "app.pem"
        key.write_text(forge.private_key)
        self.port = free_port()
        self.data = directory / "data"
        self._log = directory / "log.txt"
        self._variables = {
            **{k: v for k, v in os.environ.items() if not k.startswith("LESSONKEEPER_")},
            "LESSONKEEPER_DATA": str(self.data),
            "LESSONKEEPER_APP_ID": str(forge.app_id),
            "LESSONKEEPER_PRIVATE_KEY_FILE": str(key),
            "LESSONKEEPER_WEBHOOK_SECRETS": forge.webhook_secret,
            "LESSONKEEPER_GITHUB_URL": forge.url,
            "LESSONKEEPER_DEBOUNCE": "0",
            **({"LESSONKEEPER_DATABASE_URL": database} if database else {}),
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, str(ROOT / "app.py"), "serve", "--port", str(self.port)],
                env=self._variables,
                cwd=ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, *, family: bool) -> None:
        """At once; with `family` the git commands that it runs die as well."""
        assert self._process is not None
        if family:
            os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait(60)

    def listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def waiting(self) -> int:
        """Deliveries whose work is not done. Fault where it does not answer."""
        try:
            text = requests.get(f"{self.url}/metrics", timeout=10).text
        except requests.RequestException as error:
            raise Fault("the server does not answer") from error
        rows = re.findall(r'^lessonkeeper_inbox\w*\{status="(received|handed)"\} (\S+)', text, re.M)
        return sum(int(float(count)) for _, count in rows)

    def megabytes(self) -> float:
        assert self._process is not None
        return float(psutil.Process(self._process.pid).memory_info().rss) / 1e6

    def bytes_on_disk(self) -> int:
        return sum(each.stat().st_size for each in self.data.rglob("*") if each.is_file())

    def left_behind(self) -> list[str]:
        """Locks and temporary files of git in the mirrors, after a stop."""
        patterns = ("*.lock", "tmp_*", ".tmp-*")
        return [
            each.relative_to(self.data).as_posix()
            for pattern in patterns
            for each in (self.data / "mirrors").rglob(pattern)
            if each.is_file() and each.parent != self.data / "mirrors"
        ]


@contextmanager
def world(directory: Path, seed: int) -> Iterator[World]:
    forge = SandboxForge(directory / "github", lambda: datetime.now(UTC), seed=seed)
    with SandboxServer(forge) as github:
        shops = []
        for number in range(REPOSITORIES):
            files = {
                "README.md": "# Shop\n",
                ".github/lessonkeeper.yml": "version: 1\ncommit_every: 0\n",
                **{f"src/{n}.py": "n = 1\n" for n in ("db", "cart", "queue", "upload", "api")},
                "scripts/run-tests.sh": "MIN_TESTS=1\n",
                "web/list.js": "1\n",
            }
            shop = forge.create_repository(f"acme/shop{number}", files)
            for login in ("ada", "ben"):
                shop.set_permission(login, Permission.WRITE)
            shops.append(shop)
        yield World(forge, github, shops)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run knew in the end. `lessons`: the acts behind each bullet, and its flag."""

    applied: Counter[str]
    lessons: frozenset[tuple[int, frozenset[str], str]]
    kills: int
    repeated: int  # rows of one id that stand twice in one file
    left_behind: Sequence[str]
    megabytes: float
    bytes_on_disk: int
    seconds: float


def outcome(made: World, server: Server, kills: int, megabytes: float, began: float) -> Outcome:
    applied: Counter[str] = Counter()
    lessons: set[tuple[int, frozenset[str], str]] = set()
    repeated = 0
    for number, shop in enumerate(made.shops):
        tip = shop.tip()
        files = {
            path: shop.bare.read(tip, path)
            for path in shop.bare.paths(tip)
            if path.startswith(".agent-corp/events/")
        }
        for data in files.values():
            repeated += len(data.splitlines()) - len(set(data.splitlines()))
        history = History.read(files)
        retired = [each.row for each in history.recorded if isinstance(each.row, RetiredRow)]
        flags = {each.bullet: each.flag for each in retired}
        behind: dict[str, set[str]] = {}
        for each in history.signals:
            name = made.acts[int(re.findall(r"\d+", each.row.source)[0])]
            applied[name] += 1
            behind.setdefault(each.row.bullet or "", set()).add(name)
        lessons |= {(number, frozenset(n), flags.get(b, "")) for b, n in behind.items()}
    return Outcome(
        applied,
        frozenset(lessons),
        kills,
        repeated,
        server.left_behind(),
        megabytes,
        server.bytes_on_disk(),
        time.monotonic() - began,
    )


class Stream:
    """Deliveries on their way: what is not acknowledged comes again, some come twice or late."""

    def __init__(self, made: World, server: Server, chance: random.Random | None) -> None:
        self._world, self._server, self._chance = made, server, chance
        self.waiting: list[Delivery] = []

    def take(self) -> None:
        """What the forge has to say since the last time, out of order where there is chaos."""
        new = self._world.forge.take_deliveries()
        chance = self._chance
        if chance is not None:
            twins = [each for each in new if chance.random() < 0.3]
            # A recorded delivery may come again under a GUID of its own.
            new += [
                replace(each, guid=str(uuid4())) if chance.random() < 0.5 else each
                for each in twins
            ]
        self.waiting += new
        if chance is not None:
            chance.shuffle(self.waiting)

    def post(self) -> None:
        """Tries each once; the others wait."""
        left = []
        for each in self.waiting:
            try:
                status = deliver(self._world.forge, each, f"{self._server.url}/webhooks/github")
            except requests.RequestException:
                status = 0
            if status != 202:
                left.append(each)
        self.waiting = left

    def abuse(self) -> None:
        """Connections that stop in the middle of a request, and one that says nothing."""
        for begun in (
            b"POST /webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{",
            b"",
        ):
            try:
                with socket.create_connection(("127.0.0.1", self._server.port), 1) as half:
                    half.sendall(begun)
                    half.shutdown(socket.SHUT_WR)
            except OSError:
                return


def run(directory: Path, seed: int, length: int, kills: int, tick: Callable[[], None]) -> Outcome:
    """One life of the world. Without kills it is a calm one. Raises Fault when it never ends."""
    began = time.monotonic()
    chance = random.Random(seed + 1) if kills else None  # nosec B311
    with world(directory, seed) as made:
        server = Server(directory / "bot", made.forge)
        stream = Stream(made, server, chance)
        acts = script(seed, length)
        server.start()
        life = LIVES * _seconds_to_listen(server)
        done = 0
        if chance is not None:
            while done < kills:
                _rough(made, server, stream, acts, chance, left=kills - done, life=life)
                done += 1
                tick()
            made.github.fail_no_more()
            made.github.git.drop_answers = False
        while acts:
            acts.pop(0)(made)
            stream.take()
            stream.post()
        megabytes = _settled(made, server, stream)
        server.stop()
        return outcome(made, server, done, megabytes, began)


def _seconds_to_listen(server: Server) -> float:
    began = time.monotonic()
    while not server.listens():
        if time.monotonic() - began > PATIENCE:
            raise Fault("the server does not start", retry=False)
        time.sleep(0.02)
    return time.monotonic() - began


def _rough(
    made: World,
    server: Server,
    stream: Stream,
    acts: list[Act],
    chance: random.Random,
    *,
    left: int,
    life: float,
) -> None:
    """One life of the server, of at most `life` seconds, and how it ends."""
    end = time.monotonic() + chance.random() * life
    if acts and chance.random() < len(acts) / max(1, left):
        acts.pop(0)(made)
    if chance.random() < 0.3:
        status, message, headers = chance.choice(FAULTS)
        made.github.fail_next(
            chance.choice(("GET", "POST")), "*", status, message=message, headers=dict(headers),
            after_effect=chance.random() < 0.3,
        )  # fmt: skip
    made.github.git.drop_answers = chance.random() < 0.1
    stream.take()
    while time.monotonic() < end:
        if server.listens():
            if chance.random() < 0.1:
                stream.abuse()
            stream.post()
        time.sleep(0.02)
    server.kill(family=chance.random() < 0.5)
    server.start()


def _settled(made: World, server: Server, stream: Stream) -> float:
    """Waits until everything is known; the memory of the server then."""
    end = time.monotonic() + PATIENCE
    quiet, before = 0, ""
    while quiet < QUIET:
        if time.monotonic() > end:
            raise Fault(f"work was left after {PATIENCE:g} s", retry=False)
        time.sleep(0.5)
        stream.take()
        if not server.listens():
            continue
        stream.post()
        tips = " ".join(shop.tip() for shop in made.shops)
        calm = not stream.waiting and not server.waiting() and tips == before
        quiet, before = (quiet + 1 if calm else 0), tips
    return server.megabytes()


def differences(calm: Outcome, rough: Outcome) -> list[str]:
    """In what the killed server's knowledge differs; empty where it does not."""
    found = [f"applied {count} times: {name}" for name, count in rough.applied.items() if count > 1]
    found += [f"lost: {name}" for name in sorted(calm.applied.keys() - rough.applied.keys())]
    found += [f"invented: {name}" for name in sorted(rough.applied.keys() - calm.applied.keys())]
    for title, lessons in (
        ("only in the calm run", calm.lessons - rough.lessons),
        ("only in the rough run", rough.lessons - calm.lessons),
    ):
        found += [f"{title}: shop{shop} {flag or 'active'} {sorted(names)}"
                  for shop, names, flag in sorted(lessons, key=str)]  # fmt: skip
    if rough.repeated:
        found.append(f"{rough.repeated} event rows stand twice")
    found += [f"left behind: {path}" for path in rough.left_behind]
    if rough.megabytes > 1.5 * calm.megabytes:
        found.append(f"memory grew: {rough.megabytes:.0f} MB, {calm.megabytes:.0f} in peace")
    if rough.bytes_on_disk > 3 * calm.bytes_on_disk:
        found.append(f"the disk fills: {rough.bytes_on_disk} bytes, {calm.bytes_on_disk} in peace")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bot.bench.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--acts", type=int, default=120, help="of people, spread over the kills")
    options = parser.parse_args(arguments)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with (
        tempfile.TemporaryDirectory(prefix="chaos-") as directory,
        Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar,
    ):
        task = bar.add_task("in peace", total=None)
        calm = run(Path(directory) / "calm", options.seed, options.acts, 0, lambda: None)
        bar.update(task, description="killed", total=options.kills)
        rough = run(
            Path(directory) / "rough",
            options.seed,
            options.acts,
            options.kills,
            lambda: bar.advance(task),
        )
        found = differences(calm, rough)
    print(
        f"seed {options.seed}: {rough.kills} kills in {rough.seconds:.0f} s,"
        f" {len(rough.applied)} sources, {len(rough.lessons)} lessons;"
        f" memory {rough.megabytes:.0f} MB ({calm.megabytes:.0f} in peace),"
        f" disk {rough.bytes_on_disk / 1e6:.1f} MB ({calm.bytes_on_disk / 1e6:.1f})"
    )
    for line in found:
        print(f"- {line}")
    print("Nothing was lost and nothing done twice." if not found else f"{len(found)} differences.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
