"""`distill`: the sentences of reviews; nothing is written."""

from __future__ import annotations

import argparse

from bot.command_line import given
from bot.command_line.answer import DONE, print_json


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--review", metavar="FILE", required=True, help="JSON or JSON Lines")
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    from bot.commands.learning import quarantined
    from bot.commands.review_file import read
    from bot.learned_text import explained, left_out
    from bot.settings import Settings
    from bot.work.distilling import Chosen, distill

    settings = Settings()
    distiller = Chosen()(settings, 0)
    answers = [
        distill(each.review, distiller, settings)
        for each in read(given.content(options.review), options.review, given.now())
    ]
    if options.json:
        print_json(
            [
                {
                    "bullets": [lesson.sentence for lesson in each.lessons],
                    "ignored": each.ignored,
                    "quarantined": quarantined(each),
                }
                for each in answers
            ]
        )
        return DONE
    for number, each in enumerate(answers, 1):
        head = f"{number}. " if len(answers) > 1 else "- "
        for lesson in each.lessons:
            print(f"{head}{lesson.sentence}")
        if not each.lessons:
            print(f"{head}(nothing: {explained(each.ignored or '')})")
        for line in left_out(each, settings):
            print(line)
    return DONE
