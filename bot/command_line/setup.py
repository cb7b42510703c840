"""`setup`: the pages that register the GitHub App."""

from __future__ import annotations

import argparse
import os


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)


def run(options: argparse.Namespace) -> int:
    from bot.environment import read
    from webhooks.setup_server import setup

    return setup(read(os.environ), options.host, options.port)
