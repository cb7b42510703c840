"""`report pairs`: near duplicates, and the refresh rule on labelled pairs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bot.command_line import given
from bot.command_line.answer import DONE, NO, print_found
from bot.command_line.report import measured
from bot.errors import CallError


def arguments(parser: argparse.ArgumentParser) -> None:
    measured.files(parser)
    parser.add_argument("--labels", metavar="TSV", help="columns a, b, label")
    parser.add_argument("--label", action="store_true", help="judge pairs near the line: into TSV")
    parser.add_argument("--against", metavar="JSON", help="a report saved on an earlier day: drift")
    measured.printed(parser)


def run(options: argparse.Namespace) -> int:
    from bot.reports import pair_printing, picture
    from bot.reports.drift import drift, read_earlier
    from bot.reports.pairs import report_pairs
    from bot.settings import Settings

    labels, against = options.labels, options.against
    if not options.files and not labels:
        raise CallError("there is nothing to score.", remedy="Name lessons files or --labels TSV.")
    if options.label and not (options.files and labels):
        raise CallError("--label takes pairs of lessons files.", remedy="Name them, and --labels.")
    files = [(name, given.content(name)) for name in options.files]
    today, settings = given.now().date(), Settings()
    measured.demand_lessons(files)
    earlier = read_earlier(given.content(against), against) if against else None
    if options.label:
        from bot.commands.labelling import ask

        near = report_pairs(files, None, settings, today).to_judge
        ask(near, Path(labels), sys.stdin, sys.stderr)
    labelled = given.content(labels) if labels else None
    found = report_pairs(files, labelled, settings, today, labels_name=labels or "")
    moved = drift(found.distribution, earlier) if earlier else None
    measured.plot(options.plot, picture.pairs, found)
    made = measured.made(options)
    print_found(options.json, pair_printing.to_json, pair_printing.to_markdown, found, made, moved)
    return NO if moved and moved.alarm else DONE
