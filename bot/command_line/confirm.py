"""`confirm`: a note that was found true, dated today."""

from __future__ import annotations

import argparse
from functools import partial

from bot.command_line import given
from bot.command_line.captured import answered
from bot.commands import opening


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="as search names it")
    given.this_repository(parser)
    given.published(parser)


def run(options: argparse.Namespace) -> int:
    from bot.commands.capturing import confirm

    open_ = partial(opening.target, pushes=options.push)
    found = confirm(options.path, options.repo, open_, given.now)
    return answered(found, as_json=options.json)
