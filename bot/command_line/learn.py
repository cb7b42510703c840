"""`learn`: one review from a file."""

from __future__ import annotations

import argparse
import os

from bot.command_line import given
from bot.command_line.answer import DONE, print_json, tell, tell_left
from bot.commands.opening import writing
from bot.errors import CallError


def arguments(parser: argparse.ArgumentParser) -> None:
    given.repository(parser)
    parser.add_argument(
        "--review", metavar="FILE", required=True, help="JSON; - for standard input"
    )
    given.written(parser)


def run(options: argparse.Namespace) -> int:
    from bot.commands.learning import learn
    from bot.commands.review_file import read
    from bot.learned_text import explained, heard, left_out
    from bot.work.distilling import Chosen

    now = given.now()
    (review, *more) = read(given.content(options.review), options.review, now) or (None,)
    if review is None:
        raise CallError(
            "it holds no review.",
            remedy='Put one into it, as {"state": "changes_requested", "body": "…"}.',
            file=options.review,
        )
    if more:
        raise CallError(
            f"it holds {len(more) + 1} reviews, and one is learned at a time.",
            remedy="Give each a file of its own; `distill` reads them all.",
            file=options.review,
        )
    chosen = Chosen(os.environ.get("ANTHROPIC_API_KEY"))
    with writing(options.repo, pushes=options.push) as target:
        found = learn(review, target, chosen, now, dry_run=options.dry_run)
    if options.json:
        print_json(found.to_json())
    else:
        for line in heard(found.written.edit.landed):
            print(line)
        tell(found.written, explained(found.ignored) if found.ignored else "")
        for line in left_out(found.distilled, found.written.settings):
            print(line)
    tell_left(found.written.detail)
    return DONE
