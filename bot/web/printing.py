"""The figures of a store for the terminal, as its pages show them."""

from __future__ import annotations

from collections.abc import Iterator

from bot.web.figures import Figures, Line
from bot.web.prose import day, percent


def to_text(found: Figures) -> str:
    return "\n".join(_lines(found)) + "\n"


def _facts(line: Line) -> Iterator[str]:
    """As under a lesson on the page of its store."""
    yield f"{line.state} {day(line.since)}" if line.since else line.state
    if line.id is None:
        return
    yield f"{line.ref} {day(line.on)} {line.verdict}"
    signals = "signal" if line.signals == 1 else "signals"
    pulls = "pull request" if line.pull_requests == 1 else "pull requests"
    yield f"{line.signals} {signals} in {line.pull_requests} {pulls}"
    if line.cause:
        yield f"because of {line.cause}"
    if line.ends:
        yield f"until {day(line.ends)}"


def _lines(found: Figures) -> Iterator[str]:
    counts = ", ".join(f"{count} {state}" for state, count in found.counts.items() if count)
    yield f"{len(found.shown)} active, {len(found.retired)} retired ({counts or 'none'})"
    yield f"duplicate share {percent(found.trend.total.duplicate_share)}"
    yield f"last write {day(found.last_write)}"
    for line in found.lines:
        yield f"  {line.id or 'no id':8}  {line.text}"
        yield f"            {', '.join(_facts(line))}"
    if found.candidates:
        yield "near promotion:"
    for each in found.candidates:
        merit = each.merit
        yield (
            f"  {each.line.id}  {merit.signals} signals, {merit.pull_requests} pull requests,"
            f" weight {merit.weight:.2f}; lacks {merit.short or 'nothing'}"
        )
