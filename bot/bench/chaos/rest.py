"""What a fleet still has to do, and what it holds: its ledgers, read from outside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import func, or_, select

from bot.database import connect, reading
from bot.inbox import Status, inbox
from bot.writes import writes

SOON = timedelta(hours=2)  # beyond the longest pause; what only travels along waits for days


class Rest:
    def __init__(self, database: str) -> None:
        self._engine = connect(database)

    def close(self) -> None:
        self._engine.dispose()

    def left(self) -> str:
        """Deliveries and writes that are not done, in words; empty when all are."""
        heard = select(func.count()).where(inbox.c.status.in_((Status.RECEIVED, Status.HANDED)))
        soon = datetime.now(UTC) + SOON
        written = select(func.count()).where(
            or_(writes.c.handed_at.is_not(None), writes.c.not_before < soon)
        )
        with reading(self._engine) as connection:
            deliveries = connection.execute(heard).scalar_one()
            waiting = connection.execute(written).scalar_one()
        return f"{deliveries} deliveries, {waiting} writes" if deliveries or waiting else ""

    def stored(self) -> set[str]:
        """The GUIDs of the inbox."""
        with reading(self._engine) as connection:
            return set(connection.execute(select(inbox.c.guid)).scalars())

    def given_up(self) -> int:
        """Deliveries whose work broke too often, or waits for a person."""
        ended = select(func.count()).where(inbox.c.status.in_((Status.FAILED, Status.PARKED)))
        with reading(self._engine) as connection:
            return connection.execute(ended).scalar_one()
