"""The table of what was measured: rows as values, printed as Markdown and as JSON."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.git.command import Git

BEGIN, END = "<!-- measured -->", "<!-- /measured -->"
BUSY = 0.75  # of the cores wanted by others: what is measured then says little

_UNIT = r" ?(?P<unit>ms|s|×)?"
_MARK = re.compile(rf"(?P<sign>[≤≥]) (?P<number>[\d.]+){_UNIT}")
_MEASURED = re.compile(rf"(?:[\d.]+ / )?(?P<middle>[\d.]+)(?: / [\d.]+)?{_UNIT}(?![\w.])")
_IN_MS = {"s": 1000.0}

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement. `ok` is None where nothing has to be reached; `figures`: bare numbers."""

    what: str
    against: str
    reach: str
    measured: str
    ok: bool | None
    figures: Mapping[str, float] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        return {True: "yes", False: "NO", None: "–"}[self.ok]


def share_of_reach(row: Row) -> float | None:
    """How much of what its mark allows a row takes, 1.0 being all; None where that is no number."""
    mark, measured = _MARK.fullmatch(row.reach), _MEASURED.match(row.measured)
    if mark is None or measured is None:
        return None
    allowed = float(mark["number"]) * _IN_MS.get(mark["unit"], 1)
    taken = float(measured["middle"]) * _IN_MS.get(measured["unit"], 1)
    if not taken or not allowed:
        return None
    return taken / allowed if mark["sign"] == "≤" else allowed / taken


def growth_of(row: Row) -> tuple[tuple[float, float], ...]:
    """Size and seconds of each step of a row that says how something grows, else nothing."""
    if not all(name.isdigit() for name in row.figures):
        return ()
    return tuple((float(size), seconds) for size, seconds in row.figures.items())


@dataclass(frozen=True, slots=True)
class Machine:
    """Where it was measured, without naming the machine. `load`: of the last minute, before."""

    cores: int
    python: str
    git: str
    system: str
    load: float

    def __str__(self) -> str:
        return (
            f"{self.cores} cores, {self.system}, Python {self.python}, git {self.git}, "
            f"load {self.load:.1f} at the start"
        )

    @property
    def is_busy(self) -> bool:
        return self.load > BUSY * self.cores


def machine(git: Git) -> Machine:
    return Machine(
        cores=os.cpu_count() or 1,
        python=platform.python_version(),
        git=git.output("version").decode().split()[2],
        system=platform.system(),
        load=os.getloadavg()[0],
    )


def to_markdown(rows: Sequence[Row]) -> str:
    lines = ["| what | against | reach | measured | ok |", "|---|---|---|---|---|"]
    lines += [
        "| " + " | ".join((row.what, row.against, row.reach, row.measured, row.verdict)) + " |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def to_json(rows: Sequence[Row], where: Machine) -> Json:
    return {
        "machine": {
            "cores": where.cores,
            "system": where.system,
            "python": where.python,
            "git": where.git,
            "load": round(where.load, 2),
        },
        "rows": [
            {
                "what": row.what,
                "against": row.against,
                "reach": row.reach,
                "measured": row.measured,
                "ok": row.ok,
                "figures": {name: round(value, 6) for name, value in row.figures.items()},
            }
            for row in rows
        ],
    }


def into(document: str, table: str, where: Machine) -> str:
    """`document` with what stands between its two marks replaced."""
    head, begin, rest = document.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{BEGIN} and {END} are not both there")
    return f"{head}{BEGIN}\n\n{where}.\n\n{table}\n{END}{tail}"
