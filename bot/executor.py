"""The name under which a process runs jobs: stable over restarts, never shared by two processes.

A starting process takes up what its name left running. Two processes of one name would run each
other's jobs twice, so the name is held by a lock that the kernel frees when the process dies. It is
kept in the data folder: the host name of a container changes with every start.
"""

from __future__ import annotations

import fcntl
import re
import secrets
import socket
from pathlib import Path
from typing import IO

from bot.errors import UserError

SLOTS = 64  # processes on one data folder
_NAME = re.compile(r"[\w.-]{1,100}", re.ASCII)


class Executor:
    """The first free name of this data folder, or the configured one, held until the process ends.

    Raises UserError when the configured name is none, or is held by another process.
    """

    def __init__(self, data: Path, configured: str | None = None) -> None:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        if configured is not None and _NAME.fullmatch(configured) is None:
            raise UserError(
                f"{configured!r} cannot name an executor.",
                remedy="Use letters, digits, dots, underscores and hyphens, at most 100.",
            )
        names = [configured] if configured else _names(data)
        for name in names:
            lock = _try_lock(data / f"executor-{name}.lock")
            if lock is not None:
                self.name = name
                self._lock = lock
                return
        raise UserError(
            f"Another process runs jobs as {names[0]!r} in {data}.",
            remedy="Stop it, or give this one another name with LESSONKEEPER_EXECUTOR.",
        )

    def release(self) -> None:
        self._lock.close()


def _names(data: Path) -> list[str]:
    """The folder's own name, made at its first use, with the number of each slot."""
    with (data / "executor").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # two processes may start on a new folder at once
        file.seek(0)
        own = file.read()
        if not own:
            own = f"{socket.gethostname()}-{secrets.token_hex(4)}"
            file.write(own)
            file.flush()
    return [f"{own}-{slot}" for slot in range(1, SLOTS + 1)]


def _try_lock(path: Path) -> IO[bytes] | None:
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file
