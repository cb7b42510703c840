"""What happens to a machine: its disk is full, or its database goes away. Neither is played.

The disk is a small file system of its own where this process may mount one, else the kernel's
limit on the size of files; the database is a PostgreSQL server that is stopped.
"""

from __future__ import annotations

import random
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.bench.chaos.process import Server
from bot.bench.postgres import Postgres

DISK = "256m"  # what a campaign writes, several times


class Trouble(Protocol):
    """`name` for the report. Between `begin` and `end` the server may refuse, or even end."""

    name: str

    def begin(self, server: Server) -> None: ...

    def end(self, server: Server) -> None: ...


@dataclass(slots=True)
class FullDisk:
    """The file system under `home` takes not one block more."""

    home: Path
    name: str = "full disk (a file system of its own)"

    def begin(self, server: Server) -> None:
        del server
        with (self.home / "ballast").open("wb", buffering=0) as ballast:
            for size in (1 << 20, 1 << 12):
                with suppress(OSError):
                    while ballast.write(bytes(size)) == size:
                        pass

    def end(self, server: Server) -> None:
        del server
        (self.home / "ballast").unlink()


@dataclass(slots=True)
class NoRoom:
    """Every file of the server has reached its greatest size. Asks for no rights."""

    name: str = "full disk (limit on the size of files; no file system may be mounted here)"

    def begin(self, server: Server) -> None:
        self._limit(server, 0)

    def end(self, server: Server) -> None:
        self._limit(server, resource.RLIM_INFINITY)

    def _limit(self, server: Server, size: int) -> None:
        for pid in (server.pid, *(each.pid for each in server.receivers())):
            with suppress(ProcessLookupError):  # it has ended
                _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, most))


@dataclass(slots=True)
class LostDatabase:
    """Every connection is cut, or the server stops, or it crashes and has to recover."""

    database: Postgres
    chance: random.Random
    name: str = "lost database"
    _down: bool = False

    def begin(self, server: Server) -> None:
        del server
        kind = self.chance.choice(("cut", "stop", "crash"))
        if kind == "cut":
            self.database.cut_connections()
        else:
            self.database.stop(crash=kind == "crash")
            self._down = True

    def end(self, server: Server) -> None:
        del server
        if self._down:
            self.database.start()
            self._down = False


@contextmanager
def disk(home: Path) -> Iterator[FullDisk | NoRoom]:
    """Makes `home`, on a small file system where that is allowed; how it can be filled.

    What it holds in the end stays where it was.
    """
    home.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=700", "chaos", str(home)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        yield NoRoom()
        return
    try:
        yield FullDisk(home)
    finally:
        kept = home.with_name(f"{home.name}-kept")
        shutil.copytree(home, kept)
        subprocess.run(["umount", "--lazy", str(home)], check=True)
        home.rmdir()
        kept.rename(home)
