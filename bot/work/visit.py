"""A repository opened once for all that one job does there, however many want it opened."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from bot.work.memory import Known
from bot.work.places import Place

Open = Callable[[Known], AbstractContextManager[Place]]


class Visit:
    """One job's, in one thread. What fails in the place closes it; the next to come opens anew."""

    def __init__(self, open_: Open) -> None:
        self._open = open_
        self._opened: tuple[ExitStack, Place] | None = None

    @contextmanager
    def open(self, known: Known) -> Iterator[Place]:
        """The place as the job found it when it first came. Raises the errors of the forge room."""
        stack, place = self._opened or self._anew(known)
        try:
            yield place
        except BaseException:
            self._opened = None
            stack.__exit__(*sys.exc_info())  # as if it had been opened for this alone
            raise

    def close(self) -> None:
        if self._opened is not None:
            stack, _ = self._opened
            self._opened = None
            stack.close()

    def _anew(self, known: Known) -> tuple[ExitStack, Place]:
        stack = ExitStack()
        self._opened = stack, stack.enter_context(self._open(known))
        return self._opened
