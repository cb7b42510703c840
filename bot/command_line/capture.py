"""`capture`: a note to be looked up."""

from __future__ import annotations

import argparse
from functools import partial

from bot.command_line import given
from bot.command_line.captured import answered
from bot.commands import opening


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="Markdown; - for standard input")
    given.repository(parser)
    parser.add_argument("--kind", default="", help="reference, context or lesson")
    parser.add_argument("--title", default="")
    parser.add_argument("--job", default="", metavar="#N", help="what a context note ends with")
    parser.add_argument("--subject", default="", help="a directory or a name")
    parser.add_argument("--class", default="", dest="failure_class", metavar="CLASS")
    parser.add_argument("--evidence", default="", help="strong or weak")
    given.published(parser)


def run(options: argparse.Namespace) -> int:
    from bot.commands.capturing import capture, given_text
    from bot.notes.capture import Capture
    from bot.notes.draft import Given

    text = given_text(given.content(options.file), options.file)
    if isinstance(text, Capture):
        return answered(text, as_json=options.json)
    note = Given(
        text,
        options.kind,
        options.title,
        options.subject,
        options.job,
        options.failure_class,
        options.evidence,
    )
    found = capture(note, options.repo, partial(opening.target, pushes=options.push), given.now)
    return answered(found, as_json=options.json)
