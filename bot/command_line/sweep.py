"""`sweep`: what time and deletions end."""

from __future__ import annotations

import argparse

from bot.command_line import given
from bot.command_line.answer import DONE, print_json, tell_left
from bot.commands.opening import writing


def arguments(parser: argparse.ArgumentParser) -> None:
    given.repository(parser)
    given.written(parser)


def run(options: argparse.Namespace) -> int:
    from bot.commands.sweeping import sweep_all

    with writing(options.repo, pushes=options.push) as target:
        swept = sweep_all(target, given.now(), dry_run=options.dry_run)
    for detail in swept.details:
        tell_left(detail)
    if options.json:
        print_json(swept.to_json())
        return DONE
    for line in swept.lines:
        print(line)
    for written in swept.writes:
        print(f"Committed {written.commit[:12]}." if written.commit else written.plan)
    if not swept.writes:
        print("Nothing to write: everything stands as it is.")
    return DONE
