"""`report digest`: what changed most in a week."""

from __future__ import annotations

import argparse

from bot.command_line import given
from bot.command_line.answer import DONE, print_json
from bot.command_line.report import measured


def arguments(parser: argparse.ArgumentParser) -> None:
    measured.repositories(parser)
    parser.add_argument(
        "--until", type=given.day, metavar="DATE", help="the first day after it; today"
    )
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    from bot import digest_text
    from bot.reports.digest import digest

    until = (options.until or given.now()).date()
    with measured.facts(options.repo) as stores:
        found = digest([store.history for store in stores], until)
    if options.json:
        print_json(digest_text.to_json(found) | measured.made(options).to_json())
    elif found is None:
        print("Nothing happened in this week and the one before.")
    else:
        print(digest_text.markdown(found, digest_text.command(found, options.repo)))
    return DONE
