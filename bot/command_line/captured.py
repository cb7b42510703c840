"""What `capture` and `confirm` say of what they came to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.command_line.answer import BROKE, DONE, NO, print_json, tell_left
from bot.errors import UserError

if TYPE_CHECKING:
    from bot.notes.capture import Capture


def answered(found: Capture, *, as_json: bool) -> int:
    """Prints it; the exit status."""
    from bot.capture_text import to_json, told
    from bot.notes.capture import State

    if as_json:
        print_json(to_json(found))
    else:
        print(told(found))
    tell_left(found.detail)
    if found.state is State.NOT_SAVED and isinstance(found.error, UserError):
        return NO
    return BROKE if found.state in (State.NOT_SAVED, State.NOT_CONFIRMED) else DONE
