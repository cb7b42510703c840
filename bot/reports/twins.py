"""Lessons that two repositories of one owner share, and ids that no two may share. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from bot.lessons.rows import StoreRow
from bot.lessons.similarity import compare
from bot.lessons.store import LESSONS
from bot.reports.facts import StoreFacts
from bot.reports.findings import Finding, Kind, Line, quoted
from bot.reports.judging import Apart, is_kept_apart


def twins(
    store: StoreFacts,
    mine: Sequence[Line],
    other: StoreFacts,
    theirs: Sequence[Line],
    apart: Apart,
) -> Iterator[Finding]:
    """What is found in `store` that `other`, of the same owner, has as well."""
    shared = sorted({a.id for a in mine if a.id} & {b.id for b in theirs if b.id})
    if shared and not (_copied(store) or _copied(other)):
        yield Finding(
            Kind.SPLIT,
            store.name,
            LESSONS,
            None,
            f"{len(shared)} ids stand in {other.name} too: {', '.join(shared[:5])}",
            "One of them was copied: delete its lessons file and bring the lessons back with "
            "`python app.py import`.",
        )
    for a, b in itertools.product(mine, theirs):
        if a.id in shared or b.id in shared:
            continue  # told above, or known to be a copy
        found = compare(a.reading, b.reading, store.settings.refresh)
        if found.same and not is_kept_apart(a.text, b.text, apart):
            yield Finding(
                Kind.TWIN,
                store.name,
                a.file,
                a.line,
                f"“{quoted(a.text)}” and in {other.name}, line {b.line}: “{quoted(b.text)}”",
                "If it holds in one of them alone, strike it through (`~~`) in the other; a "
                "lesson of both may stand in both.",
            )


def _copied(store: StoreFacts) -> bool:
    """A store that says itself that its bullets came from another repository."""
    rows = (r.row for r in store.history.recorded if isinstance(r.row, StoreRow))
    return any(row.origin == "copied" for row in rows)
