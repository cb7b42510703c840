"""Who of the threads of a process goes first. Knows nothing of what they do."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

NICENESS = 10  # of work, and of what it runs: who asks is answered first


def give_way() -> None:
    """For the rest of this thread, where threads have a niceness of their own."""
    if sys.platform != "linux":
        return
    thread = threading.get_native_id()
    with suppress(OSError):  # a service manager may forbid it
        nicer = max(NICENESS, os.getpriority(os.PRIO_PROCESS, thread))
        os.setpriority(os.PRIO_PROCESS, thread, nicer)
