"""`canary`: one session saves, another demands it back."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from bot.command_line import given
from bot.command_line.answer import DONE, NO, print_json
from bot.commands import opening
from bot.errors import CallError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repo", metavar="PATH_OR_URL", help="default: one of its own")
    parser.add_argument("--url", metavar="SERVER", help="of a server; --repo is OWNER/NAME then")
    parser.add_argument("--writer", type=Path, metavar="FILE", help="with --url: token, captures")
    parser.add_argument("--asker", type=Path, metavar="FILE", help="with --url: another's token")
    parser.add_argument("--questions", metavar="FILE", help="one of them is asked in --repo")
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    from bot.commands.canary import Sessions, nest, sing, take_away
    from bot.search.score import read_questions

    tokens = options.writer, options.asker
    if any(tokens if options.url is None else [each is None for each in tokens]):
        raise CallError("--url goes with --writer and --asker.")
    file = options.questions
    if options.repo is None and (options.url or file):
        raise CallError("--url and --questions go with --repo.")
    asked = read_questions(given.content(file), file) if file else ()
    checks = []
    with ExitStack() as stack:
        if options.repo is None:
            sessions = stack.enter_context(nest())
        else:
            here = options.url is None and Path(options.repo).is_dir()
            where = str(Path(options.repo).resolve()) if here else options.repo
            sessions = Sessions(where, options.url, *tokens)
        for check in sing(sessions, asked, given.now().toordinal()):
            checks.append(check)
            if not options.json:
                print(check, flush=True)
            if check.path and check.ok and options.repo is not None and options.url is None:
                stack.callback(
                    take_away, sessions.repository, opening.target, check.path, given.now()
                )
    if options.json:
        print_json([asdict(check) for check in checks])
    return DONE if all(check.ok for check in checks) else NO
