"""`replay`: a stored delivery again. The server that runs takes it up; none is started here."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import UTC, datetime

from bot.database import connect, migrate
from bot.environment import read
from bot.inbox import Inbox
from bot.writer import Writer


def replay(guid: str, environ: Mapping[str, str]) -> None:
    """Lets the work of delivery `guid` run again. Raises UserError where it is not stored."""
    engine = connect(read(environ).database_url)
    migrate(engine)
    writer = Writer(engine)
    try:
        Inbox(engine, writer, threading.Event()).replay(guid, datetime.now(UTC))
    finally:
        writer.close()
        engine.dispose()
