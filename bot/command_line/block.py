"""`block`: what an agent receives at the start of a task."""

from __future__ import annotations

import argparse
import sys

from bot.command_line import given
from bot.command_line.answer import DONE, print_found
from bot.commands import opening
from bot.errors import CallError


def arguments(parser: argparse.ArgumentParser) -> None:
    given.repository(parser)
    parser.add_argument("--items", type=int, metavar="N", help="instead of block.bullets' items")
    parser.add_argument("--chars", type=int, metavar="N", help="instead of its characters")
    parser.add_argument(
        "--paths",
        nargs="+",
        default=(),
        metavar="PATH",
        help="paths of the task: their lessons first; a comma separates them as well",
    )
    parser.add_argument("--reader", metavar="ID", help="who asks, for the record")
    parser.add_argument(
        "--session", action="store_true", help="an interactive session: fewer items"
    )
    parser.add_argument("--format", choices=("md", "json"), default="md")
    parser.add_argument("--json", dest="format", action="store_const", const="json")


def run(options: argparse.Namespace) -> int:
    from bot.commands.reading import block
    from bot.lessons.block import names

    paths = [path for each in options.paths for path in each.split(",") if path]
    for name in ("items", "chars"):
        if getattr(options, name) is not None and getattr(options, name) < 0:
            raise CallError(f"--{name} takes a number from 0 up.")
    with opening.target(options.repo) as target:
        found = block(
            target.clone,
            target.head(),
            given.now().date(),
            items=options.items,
            characters=options.chars,
            paths=paths,
            session=options.session,
        )
    if paths and not any(names(item, paths) for item in found.items):
        print(f"No lesson shown names {', '.join(paths)}.", file=sys.stderr)
    print_found(options.format == "json", found.to_json, found.to_markdown)
    return DONE
