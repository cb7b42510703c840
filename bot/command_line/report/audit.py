"""`report audit`: what a person should look at."""

from __future__ import annotations

import argparse

from bot.command_line import given
from bot.command_line.answer import DONE, NO, print_found
from bot.command_line.report import measured


def arguments(parser: argparse.ArgumentParser) -> None:
    measured.repositories(parser)
    parser.add_argument("--labels", metavar="TSV", help="leaves out pairs labelled distinct")
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    from bot.reports import audit_printing
    from bot.reports.audit import audit
    from bot.reports.labels import parse_labels

    labels = options.labels
    labelled = parse_labels(given.content(labels), labels) if labels else ()
    with measured.facts(options.repo) as stores:
        found = audit(stores, given.now().date(), labelled)
    made = measured.made(options)
    print_found(options.json, audit_printing.to_json, audit_printing.to_markdown, found, made)
    return NO if found.findings else DONE
