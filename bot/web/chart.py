"""The months and the weight of a store as drawings: where each bar stands, in a picture's units.

Geometry alone; the template writes the SVG, and the same numbers stand in a table beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.reports import carried
from bot.reports.carried import CarriedFile
from bot.reports.trends import Month

WIDTH, HEIGHT = 640, 180
LEFT, BOTTOM, TOP = 36, 26, 8
ROW = 44  # of one file: its name above its bar
MOST_MONTHS = 24
MOST_NAMES = 6  # of months below: more would touch each other
_STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Bar:
    """One rectangle. `kind` names its colour; `label` is said where the pointer rests."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A line across with its number, or a month below with its name."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    bars: tuple[Bar, ...]
    lines: tuple[Tick, ...]
    months: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT


_Stack = tuple[tuple[str, int], ...]  # kinds and counts, from the bottom up


def mix(months: Sequence[Month]) -> Chart:
    """Appended and refreshed on top of each other, retired beside them."""
    return _chart(
        [
            (
                m.month,
                (
                    (("appended", m.counts.appended), ("refreshed", m.counts.refreshed)),
                    (("retired", m.counts.retired),),
                ),
            )
            for m in months[-MOST_MONTHS:]
        ]
    )


def sizes(months: Sequence[Month]) -> Chart:
    """How many bullets were active at the end of each month."""
    return _chart([(m.month, ((("active", m.active),),)) for m in months[-MOST_MONTHS:]])


def _chart(rows: Sequence[tuple[str, tuple[_Stack, ...]]]) -> Chart:
    """One group of stacks side by side for each month."""
    stacks = [stack for _, group in rows for stack in group]
    most = max((sum(count for _, count in stack) for stack in stacks), default=0)
    step = _step(most)
    top = max(step, -(-most // step) * step)
    scale = (HEIGHT - BOTTOM - TOP) / top
    room = (WIDTH - LEFT) / max(1, len(rows))
    bars: list[Bar] = []
    names: list[Tick] = []
    for number, (month, group) in enumerate(rows):
        middle = LEFT + (number + 0.5) * room
        names.append(Tick(round(middle, 1), month))
        width = min(28.0, room * 0.7 / len(group))
        for place, stack in enumerate(group):
            x = middle + (place - len(group) / 2) * width
            bars += _bars(month, stack, x, width - 1, scale)
    lines = [Tick(round(HEIGHT - BOTTOM - n * scale, 1), str(n)) for n in range(0, top + 1, step)]
    every = max(1, -(-len(names) // MOST_NAMES))
    return Chart(tuple(bars), tuple(lines), tuple(names[::-1][::every]))


def _bars(month: str, stack: _Stack, x: float, width: float, scale: float) -> Iterator[Bar]:
    base = float(HEIGHT - BOTTOM)
    for kind, count in stack:
        base -= count * scale
        if count:
            yield Bar(
                round(x, 1),
                round(base, 1),
                round(width, 1),
                round(count * scale, 1),
                kind,
                f"{month}: {count} {kind}",
            )


@dataclass(frozen=True, slots=True)
class Weight:
    """A file's bar: how much of its budget it takes up, and where its name stands."""

    y: float
    width: float
    kind: str
    path: str
    share: str


@dataclass(frozen=True, slots=True)
class Weights:
    """`budget` is where all of it is used."""

    bars: tuple[Weight, ...]
    budget: float
    height: int
    width: int = WIDTH


def weights(files: Sequence[CarriedFile]) -> Weights:
    """Each file against its budget."""
    scale = WIDTH / max([1.1, *(each.used for each in files)])
    bars = tuple(
        Weight(
            y=float(ROW * number + ROW / 2),
            width=round(max(each.used * scale, 2.0), 1),
            kind="heavy" if each.weight is not carried.Weight.FINE else "light",
            path=each.path,
            share=f"{each.used:.0%}",
        )
        for number, each in enumerate(files)
    )
    return Weights(bars, round(scale, 1), ROW * len(files) + BOTTOM)


def _step(most: int) -> int:
    """A round distance of about four lines."""
    size = 1
    while True:
        for step in _STEPS:
            if step * size * 5 >= most:
                return step * size
        size *= 10
