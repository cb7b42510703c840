"""The bot's own tables, opened on a fresh database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Engine

from bot.database import connect, migrate
from bot.delivery import Delivery
from bot.inbox import Inbox
from bot.writer import Writer
from bot.writes import Writes

NOW = datetime(2026, 11, 2, 10, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Stores:
    engine: Engine
    writer: Writer
    bell: threading.Event
    inbox: Inbox
    writes: Writes


@contextmanager
def stores(url: str) -> Iterator[Stores]:
    engine = connect(url)
    migrate(engine)
    writer, bell = Writer(engine), threading.Event()
    try:
        yield Stores(
            engine, writer, bell, Inbox(engine, writer, bell), Writes(engine, writer, bell)
        )
    finally:
        writer.close()
        engine.dispose()


def delivery(guid: str, at: datetime = NOW, repository: int | None = 11) -> Delivery:
    return Delivery(guid, "push", b"{}", received_at=at, ready_at=at, repository=repository)
