"""The name under which a process runs jobs: stable over restarts, never shared by two processes.

A starting process takes up what its name left running. Two processes of one name would run each
other's jobs twice, so the name is held by a lock that the kernel frees when the process dies.
"""

from __future__ import annotations

import fcntl
import socket
from pathlib import Path
from typing import IO

from bot.errors import UserError

SLOTS = 64  # processes of one host on one data folder


class Executor:
    """The first free name of this host, or the configured one, held until the process ends.

    Raises UserError when the configured name is held by another process, or every slot is.
    """

    def __init__(self, data: Path, configured: str | None = None) -> None:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        host = socket.gethostname()
        names = [configured] if configured else [f"{host}-{slot}" for slot in range(1, SLOTS + 1)]
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


def _try_lock(path: Path) -> IO[bytes] | None:
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file
