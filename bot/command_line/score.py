"""`score`: how well search answers questions with known pages."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bot.command_line import given
from bot.command_line.answer import DONE, NO, print_found
from bot.commands.opening import target


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("questions", metavar="QUESTIONS", help="JSON Lines: question, page, set")
    given.this_repository(parser)
    parser.add_argument("--pages", type=Path, metavar="DIR", help="a folder instead of --repo")
    parser.add_argument("--against", metavar="FILE", help="earlier figures (--json): 1 if lower")
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    from bot.commands.scoring import score_folder, score_repository
    from bot.search.score import fallen, read_figures, read_questions

    questions = read_questions(given.content(options.questions), options.questions)
    earlier = options.against
    before = read_figures(given.content(earlier), earlier) if earlier else {}
    if options.pages is not None:
        found = score_folder(questions, options.pages, given.now)
    else:
        found = score_repository(questions, options.repo, target, given.now)
    print_found(options.json, found.to_json, found.to_markdown)
    lower = fallen(found.to_json(), before)
    for each in lower:
        print(each, file=sys.stderr)
    return NO if lower else DONE
