"""`report store`: the figures of a store, as its pages show them."""

from __future__ import annotations

import argparse

from bot.command_line import given
from bot.command_line.answer import DONE, print_json
from bot.commands import opening


def arguments(parser: argparse.ArgumentParser) -> None:
    given.repository(parser)
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    from bot.web.figures import figures
    from bot.web.printing import to_text
    from bot.work.pitfalls import clean, files_of

    with opening.target(options.repo) as target:
        files = files_of(target.clone, target.head())
    found = figures(files, None, given.now().date(), clean)
    if options.json:
        print_json(found.to_json())
    else:
        print(to_text(found), end="")
    return DONE
