"""The figures of a store for the terminal, as its pages show them."""

from __future__ import annotations

from collections.abc import Iterator

from bot.web.figures import Figures
from bot.web.prose import day, percent


def to_text(found: Figures) -> str:
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Figures) -> Iterator[str]:
    counts = ", ".join(f"{count} {state}" for state, count in found.counts.items() if count)
    yield f"{len(found.shown)} active, {len(found.retired)} retired ({counts or 'none'})"
    yield f"duplicate share {percent(found.trend.total.duplicate_share)}"
    yield f"last write {day(found.last_write)}"
    if found.candidates:
        yield "near promotion:"
    for each in found.candidates:
        merit = each.merit
        yield (
            f"  {each.line.id}  {merit.signals} signals, {merit.pull_requests} pull requests,"
            f" weight {merit.weight:.2f}; lacks {merit.short or 'nothing'}"
        )
