"""What commands are given alike: a repository, a file, a day; and the clock."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from bot.errors import CallError


def repository(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repo", required=True, metavar="PATH_OR_URL")


def this_repository(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repo", default=".", metavar="PATH_OR_URL", help="default: here")


def written(parser: argparse.ArgumentParser) -> None:
    """Of a command that commits at once unless it is told not to."""
    parser.add_argument("--dry-run", action="store_true", help="print the plan, write nothing")
    published(parser)


def applied(parser: argparse.ArgumentParser) -> None:
    """Of a command that commits only when it is told to."""
    parser.add_argument("--apply", action="store_true", help="write what the dry run shows")


def published(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--push", action="store_true", help="publish the commit")
    parser.add_argument("--json", action="store_true")


def verbose(parser: argparse.ArgumentParser) -> None:
    """`--verbose` may stand after the command as well, where its help need not say so again."""
    parser.add_argument(
        "--verbose", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )


def now() -> datetime:
    return datetime.now(UTC)


def day(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)


def content(name: str) -> bytes:
    """The bytes of a file that the caller named; - is standard input. Raises CallError."""
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise CallError(f"{reason}.", file=name, remedy="Name a file that can be read.") from error
