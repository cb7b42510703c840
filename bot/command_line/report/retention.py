"""`report retention`: what policies and caps keep of lessons files."""

from __future__ import annotations

import argparse

from bot.command_line import given
from bot.command_line.answer import DONE, print_found
from bot.command_line.report import measured
from bot.errors import CallError


def arguments(parser: argparse.ArgumentParser) -> None:
    measured.files(parser)
    parser.add_argument(
        "--caps", nargs="+", type=_caps, metavar="ITEMS,CHARACTERS", help="per FILE"
    )
    parser.add_argument(
        "--generated", action="store_true", help="a made-up corpus instead of files"
    )
    measured.printed(parser)


def run(options: argparse.Namespace) -> int:
    from bot.reports import picture, retention_printing, sample
    from bot.reports.caps import report_caps
    from bot.reports.retention import corpus, report_retention
    from bot.settings import Caps, Settings

    if options.generated == bool(options.files):
        raise CallError("it measures lessons files.", remedy="Name them, or use --generated.")
    files = [(name, given.content(name)) for name in options.files] or sample.files()
    usual = sample.CAPS if options.generated else [Settings().block.bullets] * len(files)
    caps = [Caps(*each) for each in options.caps] if options.caps else usual
    if len(caps) != len(files):
        raise CallError(f"{len(caps)} caps for {len(files)} files.", remedy="Give one per FILE.")
    measured.demand_lessons(files)
    lessons = corpus(files, sample.NEWEST if options.generated else given.now().date())
    found = report_retention(lessons)
    limits = report_caps(lessons, [(name, cap) for (name, _), cap in zip(files, caps, strict=True)])
    measured.plot(options.plot, picture.retention, found)
    made = measured.made(options)
    generated = sample.caps_of_all(caps, sample.NEWEST) if options.generated else ()
    print_found(
        options.json,
        retention_printing.to_json,
        retention_printing.to_markdown,
        found,
        limits,
        made,
        generated,
    )
    return DONE


def _caps(text: str) -> tuple[int, int]:
    items, _, characters = text.partition(",")
    found = int(items), int(characters)
    if min(found) < 1:
        raise ValueError(text)
    return found
