"""Measures several ways of doing something side by side: in turns, so that a loaded machine slows
all of them alike.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Side = Callable[[], float]  # does it once and gives the seconds that count


@dataclass(frozen=True, slots=True)
class Spread:
    """The least, the middle and the most of some numbers."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Spread:
        return cls(min(numbers), statistics.median(numbers), max(numbers))

    def __str__(self) -> str:
        return " / ".join(_short(each) for each in (self.low, self.median, self.high))

    def milliseconds(self) -> str:
        return str(Spread(self.low * 1000, self.median * 1000, self.high * 1000)) + " ms"


def _short(number: float) -> str:
    """Three digits that mean something."""
    return f"{number:.0f}" if number >= 100 else f"{number:#.3g}"


def timed(work: Callable[[], object]) -> float:
    """Seconds that the call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turns(
    sides: Mapping[str, Side],
    rounds: int,
    tick: Callable[[], None],
    *,
    lost: int = 1,
    patience: float = float("inf"),
) -> Mapping[str, tuple[float, ...]]:
    """The seconds of each side, round by round; who begins changes, and the `lost` first do not
    count. Once `patience` (seconds) is over no further round begins.
    """
    names = list(sides)
    taken: dict[str, list[float]] = {name: [] for name in names}
    end = time.perf_counter() + patience
    for number in range(-lost, rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            seconds = sides[name]()
            if number >= 0:
                taken[name].append(seconds)
        tick()
        if number >= 0 and time.perf_counter() > end:
            break
    return {name: tuple(found) for name, found in taken.items()}


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> Spread:
    """Ours by theirs, round by round."""
    return Spread.of([a / b for a, b in zip(ours, theirs, strict=True)])
