"""Waiting for a queue of its own process or another."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 30.0  # seconds until a test gives up; no test is faster or slower for it


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.01)
