"""What commands answer alike: the exit status, one JSON document, what was committed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec

if TYPE_CHECKING:
    from bot.work.writing import Written

DONE, NO, WRONG, BROKE = 0, 1, 2, 3

_Found = ParamSpec("_Found")


def print_json(document: object) -> None:
    json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
    print()


def print_found(
    as_json: bool,
    document: Callable[_Found, object],
    markdown: Callable[_Found, str],
    *found: _Found.args,
    **named: _Found.kwargs,
) -> None:
    """What was found in the form that was asked for."""
    if as_json:
        print_json(document(*found, **named))
    else:
        print(markdown(*found, **named), end="")


def tell(written: Written, nothing: str) -> None:
    """What was committed or would be; `nothing` says why neither, as the end of a sentence."""
    from bot.texts import told

    if written.commit:
        for change in written.edit.told:
            print(told(change))
        print(f"Committed {written.commit[:12]}.")
    elif written.plan is not None:
        print(written.plan)
    else:
        print(f"Nothing to write: {nothing or 'everything stands as it is'}.")


def tell_left(detail: str) -> None:
    """What stays in the work tree, and what to do about it."""
    if detail:
        print(detail, file=sys.stderr)
