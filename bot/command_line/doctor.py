"""`doctor`: prints what the examination found, as it is found."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping

from bot.command_line.answer import DONE, NO, print_json


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true")


def run(options: argparse.Namespace) -> int:
    return doctor(os.environ, as_json=options.json)


def doctor(environ: Mapping[str, str], *, as_json: bool = False) -> int:
    """0, or 1 where a check is not ok. `environ` is that of the process."""
    from bot.work.examination import examine

    well = True
    found = []
    for check in examine(environ):
        well = well and check.ok is not False
        found.append(check.to_json())
        if not as_json:
            print(check, flush=True)
    if as_json:
        print_json(found)
    return DONE if well else NO
