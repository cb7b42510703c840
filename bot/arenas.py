"""How the C library keeps the memory of a process with many threads. Knows nothing of the work."""

from __future__ import annotations

import ctypes
from contextlib import suppress

_M_ARENA_MAX = -8  # of mallopt in glibc's malloc.h
ARENAS = 2  # glibc makes eight for each core, and each keeps what its threads once needed


def few_arenas() -> None:
    """For the rest of the process; before its threads start. Only glibc can do it."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS)
