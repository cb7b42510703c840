"""`backfill`: past reviews, through the App."""

from __future__ import annotations

import argparse
import os

from bot.command_line import given
from bot.command_line.answer import DONE, print_json, tell


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repo", required=True, metavar="OWNER/NAME")
    parser.add_argument(
        "--since", type=given.day, metavar="DATE", help="2026-01-31; all without it"
    )
    given.applied(parser)
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    from bot.commands.backfilling import backfill, operator
    from bot.environment import read
    from bot.welcome import unlisted

    with operator(read(os.environ), given.now) as by:
        found = backfill(by, options.repo, options.since, given.now, dry_run=not options.apply)
    if options.json:
        print_json(found.to_json())
        return DONE
    print(f"{found.read} pull requests were reviewed.")
    tell(found.written, "they teach nothing new")
    if found.proposed_in is not None:
        print(f"It is proposed in pull request #{found.proposed_in}: merging it keeps it.")
    if found.unlisted:
        print(unlisted(found.unlisted))
    return DONE
