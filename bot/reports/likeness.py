"""Lessons of a store that say the same, nearly the same, or the opposite in the same words.

Pure.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from bot.lessons.guard import is_conflict
from bot.lessons.rows import ConflictRow
from bot.lessons.similarity import Comparison, compare
from bot.reports.facts import StoreFacts
from bot.reports.findings import Finding, Kind, Line, quoted
from bot.reports.judging import Apart, is_kept_apart
from bot.reports.pairs import closeness

# Of the labelled pairs of findings that come this near to the line, 85 of 94 are twins.
NEAR = 0.8

_REMEDIES = {
    Kind.DUPLICATE: "Keep the better wording and strike the other line through (`~~`).",
    Kind.POSSIBLE: (
        "If they say the same, keep the better wording and strike the other line through (`~~`); "
        "if not, call them distinct in a file for `--labels`."
    ),
    Kind.CONTRADICTION: "A person decides which holds: strike the other line through (`~~`).",
}


def alike(store: StoreFacts, lines: Sequence[Line], apart: Apart) -> Iterator[Finding]:
    """Pairs of active lessons, but for those that a person has decided."""
    decided = {
        frozenset((r.row.a, r.row.b))
        for r in store.history.recorded
        if isinstance(r.row, ConflictRow) and r.row.kept
    }
    for a, b in itertools.combinations(lines, 2):
        found = compare(a.reading, b.reading, store.settings.refresh)
        kind = _kind(found, closeness(found, store.settings.refresh))
        if kind is None or is_kept_apart(a.text, b.text, apart):
            continue
        if kind is Kind.CONTRADICTION and frozenset((a.id, b.id)) in decided:
            continue
        both = f"“{quoted(a.text)}” and line {b.line}: “{quoted(b.text)}”"
        what = f"{both} ({_scores(found)})"
        yield Finding(kind, store.name, a.file, a.line, what, _REMEDIES[kind])


def _kind(found: Comparison, close: float) -> Kind | None:
    if found.same:
        return Kind.DUPLICATE
    if found.apart is not None:
        return Kind.CONTRADICTION if is_conflict(found.apart) else None
    return Kind.POSSIBLE if close >= NEAR else None


def _scores(found: Comparison) -> str:
    scores = f"similarity {found.similarity:.2f}, blend {found.blend:.2f}"
    return f"{scores}, {found.apart.value.replace('_', ' and ')}" if found.apart else scores
