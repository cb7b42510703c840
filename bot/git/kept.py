"""What was read of git's objects lately. An object's id is made of its content: what was read once
holds in every clone and for ever, so nothing here can be old.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

ENTRY = 200  # bytes that any entry takes, also one that says that nothing is there


class Kept(Generic[K, T]):
    """The answers used last, up to `limit` bytes in all. To be shared between threads.

    `weight` is that of a key and its answer, in bytes, about, beyond ENTRY.
    """

    def __init__(self, limit: int, weight: Callable[[K, T], int]) -> None:
        self._limit = limit
        self._weight = weight
        self._total = 0
        self._answers: OrderedDict[K, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> T | None:
        with self._lock:
            found = self._answers.get(key)
            if found is not None:
                self._answers.move_to_end(key)
            return found

    def keep(self, key: K, answer: T) -> None:
        """One that is larger than the limit is not kept, and drives nothing out."""
        weight = ENTRY + self._weight(key, answer)
        if weight > self._limit:
            return
        with self._lock:
            if key not in self._answers:
                self._answers[key] = answer
                self._total += weight
            while self._total > self._limit:
                oldest = self._answers.popitem(last=False)
                self._total -= ENTRY + self._weight(*oldest)
