"""`capture` and `confirm`: notes of a repository that a person names."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime

from bot.commands.searching import cache_of, identity, index_at
from bot.errors import UserError
from bot.git.local import Target
from bot.git.lock import hold
from bot.notes.capture import Capture, State, Step
from bot.notes.draft import Given
from bot.notes.note import read_text
from bot.search.model import Index
from bot.work.capturing import Capturing, checked
from bot.work.confirming import confirm as found_true

Open = Callable[[str], AbstractContextManager[Target]]


def given_text(data: bytes, name: str) -> str | Capture:
    """The text of a file; a capture that failed where it is none."""
    try:
        return read_text(data)
    except UserError as error:
        found = UserError(error.message, remedy=error.remedy, file=name, line=error.line)
        return Capture(State.NOT_SAVED, step=Step.CHECK, error=found)


def capture(
    given: Given,
    where: str,
    open_: Open,
    now: Callable[[], datetime],
    *,
    index: Index | None = None,
    agent: bool = False,
) -> Capture:
    """What the call came to. Raises CallError where there is no repository to open."""
    note = checked(given, now(), agent=agent)
    if isinstance(note, Capture):
        return note
    index = index or index_at(os.environ, now)
    with open_(where) as target:
        repository = identity(where, target)
        with hold(cache_of(os.environ), repository):
            return Capturing(note, target, target.tip, index, repository, now()).capture()


def confirm(path: str, where: str, open_: Open, now: Callable[[], datetime]) -> Capture:
    """The note re-dated. Raises CallError, UserError and Fault."""
    with open_(where) as target:
        return found_true(path, target, target.tip, now())
