"""What every report says of itself, and the JSON it is printed as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


@dataclass(frozen=True, slots=True)
class Made:
    """The day (UTC) a report is of, and the command that makes it again from the same files."""

    as_of: date
    command: str

    def to_json(self) -> dict[str, Json]:
        return {"as_of": self.as_of.isoformat(), "command": self.command}

    def to_markdown(self) -> list[str]:
        return ["", f"As of {self.as_of.isoformat()}. Again: `{self.command}`"]


def share(value: float | None) -> str:
    """A number of 0..1 to three places; a dash where there is none."""
    return "-" if value is None else f"{value:.3f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table. Cells hold no text that others wrote unless it went through `cell`."""
    rule = "|" + "---|" * len(head)
    return [f"| {' | '.join(head)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)]


def cell(text: str) -> str:
    """A text as one cell: on one line, its bars escaped."""
    return " ".join(text.split()).replace("|", "\\|")
