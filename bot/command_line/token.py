"""`token`: the operator makes, lists and ends the tokens of readers."""

from __future__ import annotations

import argparse
import os
import sys

from bot.command_line.answer import DONE
from bot.errors import CallError, UserError


def arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--repo", metavar="OWNER/NAME", help="a new one for this repository")
    what.add_argument("--revoke", metavar="ID", help="end one at once")
    what.add_argument("--list", action="store_true", help="all, without the tokens themselves")
    parser.add_argument("--reader", metavar="NAME", help="with --repo: who will hold it")
    parser.add_argument("--captures", action="store_true", help="with --repo: it may save notes")
    parser.add_argument("--days", type=int, default=90, metavar="N", help="with --repo: its life")


def run(options: argparse.Namespace) -> int:
    from bot.commands import tokens
    from bot.environment import read

    environment = read(os.environ)
    if options.list:
        for each in tokens.issued(environment):
            ends = f"revoked {each.revoked_at:%Y-%m-%d}" if each.revoked_at else "ends"
            ends = f"{ends}  {each.expires_at:%Y-%m-%d}{'  captures' * each.captures}"
            print(f"{each.id}  {each.full_name}  {each.reader}  {ends}")
        return DONE
    if options.revoke is not None:
        if tokens.revoke(environment, options.revoke):
            return DONE
        raise UserError(f"No good token has the id {options.revoke}.", remedy="Look: token --list")
    if options.reader is None:
        raise CallError("--repo goes with --reader.", remedy="Name who will hold the token.")
    text, made = tokens.issue(
        environment, options.repo, options.reader, options.days, captures=options.captures
    )
    print(text)
    may = "reads and captures in" if made.captures else "reads"
    print(
        f"Token {made.id} {may} {made.full_name} until {made.expires_at:%Y-%m-%d}."
        " It is shown this once.",
        file=sys.stderr,
    )
    return DONE
