"""`app.py serve` on data that stay, to be killed and started again.

A start is forked from a process that has imported the program: imports are nine tenths of a start,
and a kill among them proves nothing.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import runpy
import signal
import socket
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import psutil

from bot.bench.deliveries import megabytes
from bot.bench.receivers import ROOT, free_port
from bot.errors import Fault
from bot.sandbox.forge import SandboxForge
from webhooks.reception import UNWANTED

RECEIVER = "webhooks.receiver"  # a word of its command line
STOP = 120.0  # seconds at most that an end takes: work has 20, and the machine may be busy

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload([__name__, "bot.command_line.serve", "bot.work.serving"])


def _run(command: Sequence[str], variables: Mapping[str, str], log: Path) -> None:
    """In the child: everything of it dies with its session, as under a service manager."""
    os.setsid()
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(out, 1)
    os.dup2(out, 2)
    for name in [name for name in os.environ if name.startswith("LESSONKEEPER_")]:
        del os.environ[name]
    os.environ.update(variables)
    os.chdir(ROOT)
    sys.argv = [*command]
    runpy.run_path(command[0], run_name="__main__")


def _is(process: psutil.Process, word: str) -> bool:
    with suppress(psutil.Error):
        return word in (process.name(), *process.cmdline())
    return False


def kill_all(processes: Iterable[psutil.Process]) -> bool:
    """Those alone; whether there was one."""
    killed = 0
    for each in processes:
        with suppress(psutil.NoSuchProcess):
            each.kill()
            killed += 1
    return killed > 0


class Server:
    """One process of the product; `database` is that of its fleet, or a file of its own.

    `home` is where everything that it writes goes: its data, and its log.
    """

    def __init__(
        self, home: Path, forge: SandboxForge, executor: str, database: str | None = None
    ) -> None:
        home.mkdir(parents=True, exist_ok=True)
        key = home.with_name(f"{home.name}.pem")
        key.write_text(forge.private_key)
        self.executor = executor
        self.port = free_port()
        self.data = home / "data"
        self.log = home.with_name(f"{home.name}.log")
        self.database = database or f"sqlite:///{self.data / 'lessonkeeper.sqlite'}"
        self._variables = {
            "LESSONKEEPER_DATA": str(self.data),
            "LESSONKEEPER_APP_ID": str(forge.app_id),
            "LESSONKEEPER_PRIVATE_KEY_FILE": str(key),
            "LESSONKEEPER_WEBHOOK_SECRETS": forge.webhook_secret,
            "LESSONKEEPER_GITHUB_URL": forge.url,
            "LESSONKEEPER_DEBOUNCE": "0",
            "LESSONKEEPER_EXECUTOR": executor,
            "LESSONKEEPER_DATABASE_URL": self.database,
        }
        self._process: ForkServerProcess | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        assert self._process.pid is not None
        return self._process.pid

    def start(self) -> None:
        command = [str(ROOT / "app.py"), "serve", "--port", str(self.port)]
        self._process = _forks.Process(target=_run, args=(command, self._variables, self.log))
        self._process.start()

    def runs(self) -> bool:
        return self._process is not None and self._process.is_alive()

    def freeze(self) -> None:
        """Stands still until it is killed; the git commands that it runs do not."""
        os.kill(self.pid, signal.SIGSTOP)

    def commands(self) -> list[psutil.Process]:
        """The git that it runs now."""
        return [each for each in self._children() if _is(each, "git")]

    def receivers(self) -> list[psutil.Process]:
        """The process that listens in front of it, where there is one."""
        return [each for each in self._children() if _is(each, RECEIVER)]

    def _children(self) -> list[psutil.Process]:
        with suppress(psutil.Error):
            return psutil.Process(self.pid).children()
        return []

    def dropped(self) -> set[str]:
        """The GUIDs of the deliveries that it acknowledged and that no channel wanted."""
        said = self.log.read_text("utf-8", "replace") if self.log.exists() else ""
        return set(re.findall(rf"delivery (\S+): {UNWANTED[1]}", said))

    def kill(self, *, family: bool) -> None:
        """At once; with `family` the git commands that it runs die as well."""
        if family:
            with suppress(ProcessLookupError):  # it dies before it has a session of its own
                os.killpg(self.pid, signal.SIGKILL)
        assert self._process is not None
        self._process.kill()
        self._process.join()

    def stop(self) -> None:
        """As an operator does it. Raises Fault when it does not end."""
        assert self._process is not None
        self._process.terminate()
        self._process.join(STOP)
        if self._process.is_alive():
            self.kill(family=True)
            raise Fault("the server did not stop when it was told to", retry=False)

    def listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def last_words(self) -> str:
        return self.log.read_text("utf-8", "replace")[-500:]

    def megabytes(self) -> float:
        """Its own and its receiver's; the model of meanings comes and goes."""
        return megabytes(psutil.Process(self.pid), *self.receivers())

    def bytes_on_disk(self) -> int:
        """Of its data; git's temporary files may vanish meanwhile."""
        total = 0
        for each in self.data.rglob("*"):
            with suppress(FileNotFoundError):
                total += each.stat().st_size
        return total

    def left_behind(self) -> list[str]:
        """Locks and temporary files of git in the mirrors, after a stop."""
        patterns = ("*.lock", "tmp_*", ".tmp-*")
        return [
            each.relative_to(self.data).as_posix()
            for pattern in patterns
            for each in (self.data / "mirrors").rglob(pattern)
            if each.is_file() and each.parent != self.data / "mirrors"
        ]
