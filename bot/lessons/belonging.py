"""Whose store it is: the row that comes with the first commit of one, whatever that commit brings.

A store belongs to a repository's numeric id (SPEC 2). Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from bot.lessons import event_files
from bot.lessons.document import Document
from bot.lessons.edit import Snapshot
from bot.lessons.history import History
from bot.lessons.rows import Row, StoreRow


def recorded(snapshot: Snapshot, rows: Sequence[Row]) -> dict[str, bytes]:
    """The event files that change when `rows`, at least one, are appended to the store."""
    at = max(row.at for row in rows)
    first = store_row(snapshot, at, at.date())
    return event_files.add(snapshot.events, [*rows, first] if first else rows)


def store_row(snapshot: Snapshot, at: datetime, today: date) -> StoreRow | None:
    """The row that has to come with those of `at`; None where the store says whose it is."""
    known = History.read(snapshot.events).stores
    mine = snapshot.repository
    if known and not (mine and all(store.repo != mine for store in known)):
        return None
    if known and known[0].repo:
        # Own evidence is never older than the repository; what was copied is.
        return StoreRow(snapshot.created_at or at, mine, "copied", known[0].repo)
    bullets = Document.parse(snapshot.lessons or b"", today).ours
    return StoreRow(at, mine, "adopted" if known or bullets else "new")
