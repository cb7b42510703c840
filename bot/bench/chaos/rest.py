"""What a fleet still has to do, and what it holds: its ledgers, read from outside."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import func, or_, select

from bot.database import connect, reading
from bot.inbox import Status, inbox
from bot.letterbox import LETTERBOX
from bot.writes import writes

SOON = timedelta(hours=2)  # beyond the longest pause; what only travels along waits for days


class Rest:
    """Of processes on one database; `folders` are those of their data."""

    def __init__(self, database: str, folders: Sequence[Path]) -> None:
        self._engine = connect(database)
        self._folders = folders

    def close(self) -> None:
        self._engine.dispose()

    def left(self) -> str:
        """Letters, deliveries and writes that are not done, in words; empty when all are."""
        heard = select(func.count()).where(inbox.c.status.in_((Status.RECEIVED, Status.HANDED)))
        soon = datetime.now(UTC) + SOON
        written = select(func.count()).where(
            or_(writes.c.handed_at.is_not(None), writes.c.not_before < soon)
        )
        with reading(self._engine) as connection:
            deliveries = connection.execute(heard).scalar_one()
            waiting = connection.execute(written).scalar_one()
        letters = sum(map(_letters, self._folders))
        if deliveries or waiting or letters:
            return f"{letters} letters, {deliveries} deliveries, {waiting} writes"
        return ""

    def stored(self) -> set[str]:
        """The GUIDs of the inbox."""
        with reading(self._engine) as connection:
            return set(connection.execute(select(inbox.c.guid)).scalars())

    def given_up(self) -> int:
        """Deliveries whose work broke too often, or waits for a person."""
        ended = select(func.count()).where(inbox.c.status.in_((Status.FAILED, Status.PARKED)))
        with reading(self._engine) as connection:
            return connection.execute(ended).scalar_one()


def _letters(data: Path) -> int:
    """How many are in its letterbox."""
    if not (data / LETTERBOX).exists():
        return 0
    with closing(sqlite3.connect(f"file:{data / LETTERBOX}?mode=ro", uri=True)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM letters").fetchone()[0])
        except sqlite3.OperationalError:  # being made
            return 0
