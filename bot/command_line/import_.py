"""`import`: another store's bullets."""

from __future__ import annotations

import argparse
import sys

from bot.command_line import given
from bot.command_line.answer import DONE, print_json, tell, tell_left
from bot.commands import opening


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--from", dest="source", required=True, metavar="PATH_OR_URL")
    given.repository(parser)
    given.applied(parser)
    given.published(parser)


def run(options: argparse.Namespace) -> int:
    from bot.commands.importing import bring, read_source
    from bot.git.local import full_name

    today = given.now().date()
    with opening.target(options.source) as other:
        source = read_source(other, full_name(options.source, other.clone), today)
    with opening.writing(options.repo, pushes=options.push) as target:
        found = bring(source, target, today, dry_run=not options.apply)
    tell_left(found.written.detail)
    if options.json:
        print_json(found.to_json())
        return DONE
    tell(found.written, "there is nothing new")
    for each in found.left:
        print(f"Left out: {each}")
    if source.loses_references:
        print(
            f"No address tells which repository {options.source} is, so what it brings names"
            " `manual` instead of pull requests there.",
            file=sys.stderr,
        )
    return DONE
