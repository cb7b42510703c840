"""`search`: what is looked up."""

from __future__ import annotations

import argparse

from bot.command_line import given
from bot.command_line.answer import BROKE, DONE, NO, print_found
from bot.commands import opening


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY")
    parser.add_argument("--repo", action="append", metavar="PATH_OR_URL", help="default: here")
    parser.add_argument("--limit", type=int, default=5, metavar="N", help="at most so many pages")
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    from bot.commands.searching import search
    from bot.search.model import Finding

    places = options.repo or ["."]
    found = search(options.query, places, opening.target, given.now, limit=options.limit)
    print_found(options.json, found.to_json, found.to_markdown)
    return {Finding.NOTHING: NO, Finding.UNTOLD: BROKE}.get(found.answer.finding, DONE)
