"""`replay`: a stored delivery again. The server that runs takes it up; none is started here."""

from __future__ import annotations

import argparse
import os
import threading

from bot.command_line import given
from bot.command_line.answer import DONE


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("guid", metavar="GUID")


def run(options: argparse.Namespace) -> int:
    from bot.database import connect, migrate
    from bot.environment import read
    from bot.inbox import Inbox
    from bot.writer import Writer

    engine = connect(read(os.environ).database_url)
    migrate(engine)
    writer = Writer(engine)
    try:
        Inbox(engine, writer, threading.Event()).replay(options.guid, given.now())
    finally:
        writer.close()
        engine.dispose()
    print(f"{options.guid} will be worked on again by the server that runs.")
    return DONE
