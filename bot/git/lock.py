"""The lock of one repository's mirror, as a value that the functions which change it demand.

It spares two processes the same work and keeps them off each other's temporary files. It makes
nothing safe: only the refused push does.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.errors import Fault

_BUSY = b"busy\n"


@dataclass(slots=True)
class Lock:
    """Held while inside `hold`. `abandoned`: its last holder died or broke while holding it, so its
    git may have left files behind."""

    directory: Path
    repository: int
    abandoned: bool
    held: bool = True

    def demand(self, repository: int) -> None:
        """Raises Fault unless this lock is held now, for that repository."""
        if not self.held or self.repository != repository:
            raise Fault(f"the lock of repository {repository} is not held", retry=False)


@contextmanager
def hold(directory: Path, repository: int) -> Iterator[Lock]:
    """Waits for the lock of `repository` (numeric id), across threads and processes.

    The kernel frees it when the holder dies.
    """
    directory.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(directory / f"{repository}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        lock = Lock(directory, repository, abandoned=os.fstat(descriptor).st_size > 0)
        os.pwrite(descriptor, _BUSY, 0)
        try:
            yield lock
            os.ftruncate(descriptor, 0)
        finally:
            lock.held = False
    finally:
        os.close(descriptor)
