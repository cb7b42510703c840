"""What reports take and say alike: lessons files or stores, a picture, how to make it again."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bot.command_line import given
from bot.commands.opening import target
from bot.errors import CallError

if TYPE_CHECKING:
    from bot.reports.facts import StoreFacts
    from bot.reports.made import Made

_Found = TypeVar("_Found")


def files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="lessons files")


def repositories(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--repo", required=True, action="append", metavar="PATH_OR_URL", help="once for each"
    )


def printed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plot", metavar="FILE", help="also a picture, .png or .svg")
    parser.add_argument("--json", action="store_true")


def demand_lessons(named: Sequence[tuple[str, bytes]]) -> None:
    """Raises CallError for a file with neither a bullet nor a heading that waits for some."""
    from bot.lessons.document import Document

    for name, data in named:
        if data.strip()[:1] != b"#" and not Document.parse(data, given.now().date()).bullets:
            raise CallError(
                "it holds no bullet, so there is nothing to measure.",
                remedy="Name lessons files: Markdown lists, as .agent-corp/lessons.md is one.",
                file=name,
            )


@contextmanager
def facts(places: Sequence[str]) -> Iterator[list[StoreFacts]]:
    """What stands in each repository. Raises CallError where there is none to open."""
    from bot.git.local import full_name
    from bot.work.measured import facts_of

    with ExitStack() as stack:
        targets = [(place, stack.enter_context(target(place))) for place in places]
        yield [
            facts_of(each.clone, each.head(), full_name(place, each.clone) or place)
            for place, each in targets
        ]


def made(options: argparse.Namespace) -> Made:
    """What a report says of itself; to make it again no question has to be asked."""
    from bot.reports.made import Made

    again = [each for each in options.given if each not in ("--label", "--json", "--verbose")]
    return Made(given.now().date(), shlex.join(["python", "app.py", *again]))


def plot(file: str | None, draw: Callable[[_Found, str], bytes], found: _Found) -> None:
    """Puts the picture where the caller wants one. Raises CallError."""
    from bot.reports.picture import format_of

    if file is None:
        return
    data = draw(found, format_of(file))
    try:
        Path(file).write_bytes(data)
    except OSError as error:
        reason = error.strerror or "it cannot be written"
        raise CallError(f"{reason}.", file=file, remedy="Name a file to be written.") from error
