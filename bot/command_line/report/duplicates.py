"""`report duplicates`: duplicate share, months, and what came up again."""

from __future__ import annotations

import argparse

from bot.command_line import given
from bot.command_line.answer import DONE, print_found
from bot.command_line.report import measured


def arguments(parser: argparse.ArgumentParser) -> None:
    measured.repositories(parser)
    measured.printed(parser)


def run(options: argparse.Namespace) -> int:
    from bot.reports import picture, trend_printing
    from bot.reports.recurrence import recurrences
    from bot.reports.trends import fleet, trend

    now = given.now()
    with measured.facts(options.repo) as found:
        stores = [
            trend_printing.Store(
                facts.name,
                facts.commit,
                trend(facts.history),
                recurrences(facts.history, facts.committed, now),
            )
            for facts in found
        ]
    every = fleet(store.trend for store in stores)
    measured.plot(options.plot, picture.months, every)
    made = measured.made(options)
    print_found(
        options.json, trend_printing.to_json, trend_printing.to_markdown, stores, every, made
    )
    return DONE
