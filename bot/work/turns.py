"""One at a time per subject, within this process: who reads last is who keeps last.

Events of one pull request arrive together; side by side they would ask a model for the same text
twice, and the older reading could be kept over the newer.
"""

from __future__ import annotations

import threading

LOCKS = 64  # more than there are threads that hear; two subjects that share one only wait


class Turns:
    def __init__(self) -> None:
        self._locks = tuple(threading.Lock() for _ in range(LOCKS))

    def of(self, repository: int, number: int) -> threading.Lock:
        """The lock of one pull request."""
        return self._locks[hash((repository, number)) % LOCKS]
