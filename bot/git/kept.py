"""What was read of git's objects lately. An object's id is made of its content: what was read once
holds in every clone and for ever, so nothing here can be old.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """The answers used last, up to `limit` bytes in all. To be shared between threads."""

    def __init__(self, limit: int, weight: Callable[[T], int]) -> None:
        self._limit = limit
        self._weight = weight  # of an answer, in bytes, about
        self._total = 0
        self._answers: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> T | None:
        with self._lock:
            found = self._answers.get(key)
            if found is not None:
                self._answers.move_to_end(key)
            return found

    def keep(self, key: Hashable, answer: T) -> None:
        with self._lock:
            if key not in self._answers:
                self._answers[key] = answer
                self._total += self._weight(answer)
            while self._total > self._limit:
                _, oldest = self._answers.popitem(last=False)
                self._total -= self._weight(oldest)
