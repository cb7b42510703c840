"""`report`: measure the memory. One module a kind, with `arguments` and `run`."""

from __future__ import annotations

import argparse

from bot.command_line import given
from bot.command_line.report import audit, digest, duplicates, pairs, retention, store
from bot.errors import CallError

KINDS = (
    (pairs, "pairs", "near duplicates, and the refresh rule on labelled pairs"),
    (retention, "retention", "what policies and caps keep of lessons files"),
    (duplicates, "duplicates", "duplicate share, months, and what came up again"),
    (store, "store", "the figures of a store, as its pages show them"),
    (audit, "audit", "what a person should look at; exit status 1 if any"),
    (digest, "digest", "what changed most in a week"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(required=True, metavar="KIND")
    for module, name, text in KINDS:
        kind = kinds.add_parser(name, help=text)
        module.arguments(kind)
        given.verbose(kind)
        kind.set_defaults(run=module.run)


def run(options: argparse.Namespace) -> int:
    raise CallError("name a report, as in: report pairs")
