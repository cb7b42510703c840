"""`init`: a repository set up for Lessonkeeper."""

from __future__ import annotations

import argparse
import sys

from bot.command_line import given
from bot.command_line.answer import DONE, print_json, tell, tell_left
from bot.commands.opening import writing


def arguments(parser: argparse.ArgumentParser) -> None:
    given.repository(parser)
    parser.add_argument("--adopt", action="store_true", help="give hand-written lines our trailer")
    given.written(parser)


def run(options: argparse.Namespace) -> int:
    from bot.commands.setting_up import init
    from bot.welcome import adoption, left_alone, unadopted

    today = given.now().date()
    with writing(options.repo, pushes=options.push) as target:
        found = init(target, today, adopting=options.adopt, dry_run=options.dry_run)
    tell_left(found.written.detail)
    if found.left:
        print(left_alone(found.left), file=sys.stderr)
    if options.json:
        print_json(found.to_json())
        return DONE
    if found.written.commit and found.written.plan:
        for path in sorted(found.written.plan.changes):
            print(f"Wrote {path}")
    tell(found.written, "it is set up already")
    if found.adopted:
        print(adoption(found.adopted, done=options.adopt and not options.dry_run))
    if options.adopt and found.unadopted:
        print(unadopted(found.unadopted))
    return DONE
