"""What was asked a moment ago, for others who may know it as well. It knows neither whom nor what.

An answer does for everything that happened before its question was put: a hundred deliveries that
fell due together need one look, and what fell due later has one of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar, cast

T = TypeVar("T")

KEPT = 5.0  # seconds; the longest that anybody goes by an answer, however the clocks are set
MANY = 256  # answers; then those that are too old are dropped


@dataclass(frozen=True, slots=True)
class Begun:
    """When a question was put: by the clock that deliveries are dated with, and in seconds of one
    that never goes back."""

    at: datetime
    clock: float


@dataclass(frozen=True, slots=True)
class _Answer:
    value: object
    begun: Begun


class Recent:
    """Answers by key, with the time at which they were asked for. To be shared between threads."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._answers: dict[Hashable, _Answer] = {}
        self._lock = threading.Lock()

    def since(self, moment: datetime | None = None) -> Lately:
        """The answers for somebody who has to know all that happened until then; None: now."""
        return Lately(self, moment or self._now())

    def begin(self) -> Begun:
        return Begun(self._now(), time.monotonic())

    def keep(self, key: Hashable, value: object, begun: Begun) -> None:
        with self._lock:
            if len(self._answers) >= MANY:
                self._answers = {k: a for k, a in self._answers.items() if _is_young(a)}
            old = self._answers.get(key)
            if old is None or old.begun.clock <= begun.clock:  # of two, the slower may be older
                self._answers[key] = _Answer(value, begun)

    def get(self, key: Hashable, since: datetime) -> _Answer | None:
        with self._lock:
            found = self._answers.get(key)
        is_new = found is not None and found.begun.at > since and _is_young(found)
        return found if is_new else None

    def forget(self, key: Hashable) -> None:
        with self._lock:
            self._answers.pop(key, None)


def _is_young(answer: _Answer) -> bool:
    return time.monotonic() - answer.begun.clock < KEPT


@dataclass(frozen=True, slots=True)
class Lately:
    """What one job may go by: answers to questions that were put after `moment`.

    A key names its question fully within `scope`.
    """

    recent: Recent
    moment: datetime
    scope: Hashable = None

    def within(self, scope: Hashable) -> Lately:
        return replace(self, scope=scope)

    def ask(self, key: Hashable, question: Callable[[], T]) -> T:
        """The answer to this question, put now or lately."""
        found = self.recent.get((self.scope, key), self.moment)
        return cast(T, found.value) if found is not None else self.anew(key, question)

    def anew(self, key: Hashable, question: Callable[[], T]) -> T:
        begun = self.recent.begin()
        answer = question()
        self.keep(key, answer, begun)
        return answer

    def begin(self) -> Begun:
        return self.recent.begin()

    def keep(self, key: Hashable, answer: object, begun: Begun) -> None:
        """What holds since some moment after `begun`."""
        self.recent.keep((self.scope, key), answer, begun)

    def forget(self, key: Hashable) -> None:
        """What was answered holds no more."""
        self.recent.forget((self.scope, key))
