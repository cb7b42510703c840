"""`serve`: the server for GitHub."""

from __future__ import annotations

import argparse
import os

from bot.errors import CallError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--poll", action="store_true", help="hear from GitHub's list of deliveries")
    parser.add_argument("--once", action="store_true", help="with --poll: one pass, then end")


def run(options: argparse.Namespace) -> int:
    if options.once and not options.poll:
        raise CallError("--once goes with --poll.")

    from bot import logs
    from bot.environment import read
    from bot.work.serving import serve

    logs.install()
    return serve(read(os.environ), options.host, options.port, poll=options.poll, once=options.once)
