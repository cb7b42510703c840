"""The repository that the caller named, to read from and to commit to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from bot.errors import CallError, UserError

if TYPE_CHECKING:
    from bot.git.local import Target

SIGNATURE = ("Lessonkeeper", "lessonkeeper@users.noreply.github.com")


@contextmanager
def target(where: str, *, pushes: bool = False) -> Iterator[Target]:
    """Raises CallError where there is none to open."""
    from bot.git.local import open_target

    with ExitStack() as stack:
        try:
            found = stack.enter_context(open_target(where, SIGNATURE, pushes=pushes))
        except UserError as error:
            raise CallError(error.message, remedy=error.remedy) from error
        yield found


@contextmanager
def writing(where: str, *, pushes: bool) -> Iterator[Target]:
    """The same, to commit to; what a push takes along is told, and what refuses it."""
    from bot.commands.publishing import publishing

    with target(where, pushes=pushes) as found, publishing(found, pushes=pushes):
        yield found
