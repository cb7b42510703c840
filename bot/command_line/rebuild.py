"""`rebuild`: the index of search anew."""

from __future__ import annotations

import argparse
import os

from bot.command_line import given
from bot.command_line.answer import DONE, print_json
from bot.commands.opening import target
from bot.errors import CallError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repo", action="append", metavar="PATH_OR_URL", help="default: here")
    parser.add_argument("--server", action="store_true", help="the server's, of all repositories")
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    from bot.commands.rebuilding import rebuild_server
    from bot.commands.searching import rebuild
    from bot.environment import read

    if options.server and options.repo:
        raise CallError("--server and --repo do not go together.")
    if options.server:
        counts = dict(rebuild_server(read(os.environ), given.now))
    else:
        places = options.repo or ["."]
        counts = {where: rebuild(where, target, given.now).changed for where in places}
    if options.json:
        print_json(counts)
    else:
        for where, count in counts.items():
            print(f"{where}: {count} pages indexed.")
    return DONE
