"""The file between the receiver and the server: deliveries from the 2xx until the inbox has them.

It is a file of its own so that an acknowledgement never waits for a lock that the work holds: only
the receiver writes to it while one runs. No SQLAlchemy here: a receiver is small.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bot.delivery import Delivery

LETTERBOX = "letterbox.sqlite"
BUSY_SECONDS = 10.0  # the sender of a delivery gives up then
AT_ONCE = 128  # letters forgotten in one transaction: none waits long for it
_TABLE = """
CREATE TABLE IF NOT EXISTS letters (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    guid TEXT NOT NULL,
    event TEXT NOT NULL,
    received_at TEXT NOT NULL,
    body BLOB NOT NULL
)"""  # the body last: SQLite follows its pages only where it is read
_FORGET = """
DELETE FROM letters WHERE number IN
    (SELECT number FROM letters WHERE number <= ? ORDER BY number LIMIT ?)"""


class Letterbox:
    """One connection to it, for one thread. Methods raise sqlite3.Error.

    What `put` returned from is on disk (WAL, synchronous=FULL).
    """

    def __init__(self, data: Path) -> None:
        self._connection = sqlite3.connect(
            data / LETTERBOX, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.execute(_TABLE)

    def close(self) -> None:
        self._connection.close()

    def put(self, deliveries: Sequence[Delivery], taken: int = 0) -> tuple[int, bool]:
        """Keeps all or none of them and forgets letters up to `taken`.

        Answers with the newest number, and whether letters are left to be forgotten. One
        transaction, one fsync. A GUID that is there is kept again: the inbox knows it.
        """
        rows = [
            (each.guid, each.event, each.received_at.isoformat(), each.body) for each in deliveries
        ]
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(
                "INSERT INTO letters (guid, event, received_at, body) VALUES (?, ?, ?, ?)", rows
            )
            forgotten = self._connection.execute(_FORGET, (taken, AT_ONCE)).rowcount
            return self.newest(), forgotten == AT_ONCE

    def newest(self) -> int:
        """The number of the letter that came last, 0 where there are none."""
        found = self._connection.execute("SELECT max(number) FROM letters").fetchone()[0]
        return int(found or 0)

    def after(self, number: int, limit: int) -> list[tuple[int, Delivery]]:
        """The oldest letters with a higher number, with their numbers. Never waits for a writer."""
        rows = self._connection.execute(
            "SELECT number, guid, event, received_at, body FROM letters WHERE number > ?"
            " ORDER BY number LIMIT ?",
            (number, limit),
        )
        return [(number, _delivery(*row)) for number, *row in rows]


def _delivery(guid: str, event: str, received_at: str, body: bytes) -> Delivery:
    at = datetime.fromisoformat(received_at).astimezone(UTC)
    return Delivery(guid, event, body, at, ready_at=at)
