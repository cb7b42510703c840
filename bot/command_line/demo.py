"""`demo`: the story, told on a sandbox."""

from __future__ import annotations

import argparse
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keep", metavar="DIR", type=Path, help="leave the sandbox there")
    parser.add_argument(
        "--stay", action="store_true", help="then press Keep yourself, in a browser"
    )


def run(options: argparse.Namespace) -> int:
    from bot.demo.story import demo

    return demo(options.keep, stay=options.stay)
