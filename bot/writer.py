"""The one thread of a process that writes to the database, many waiting changes per transaction.

SQLite has one writer, and a commit costs one fsync however much is in it; threads that wait for
each other's lock meet SQLite's growing sleeps. This module knows no table.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import Fault

T = TypeVar("T")

GROUP = 64  # changes per transaction: more than a receiver has threads
PATIENCE = 8.0  # seconds; the sender of a delivery gives up at ten


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A change, and the future on which its thread waits for the commit."""

    apply: Callable[[Connection], None]
    committed: Future[None] = field(default_factory=Future)


class Writer:
    """Runs changes in order of arrival; `do` returns when the change is on disk."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="database-writer", daemon=True)
        self._thread.start()

    def do(self, change: Callable[[Connection], T]) -> T:
        """The result of `change` after its commit. It may run twice: it touches the database alone.

        Raises Fault when the database refuses, or takes longer than PATIENCE. In the second case
        the change may still be made: it has to be one that can be repeated.
        """
        results: list[T] = []

        def apply(connection: Connection) -> None:
            results[:] = [change(connection)]

        if self._closed:
            raise Fault("the database writer is closed")
        waiting = _Waiting(apply)
        self._queue.put(waiting)
        try:
            waiting.committed.result(PATIENCE)
        except TimeoutError as error:
            raise Fault("the database did not answer in time") from error
        except SQLAlchemyError as error:
            # The text of a database error can hold a whole row; its kind is enough to act on.
            raise Fault(f"the database refused a change: {type(error).__name__}") from error
        return results[0]

    def waiting(self) -> int:
        """How many changes wait for a transaction to begin, about."""
        return self._queue.qsize()

    def close(self) -> None:
        """Finish what waits, then stop. Later changes are refused."""
        self._closed = True
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        closing = False
        while not closing:
            group = [self._queue.get()]
            while len(group) < GROUP and group[-1] is not None:
                try:
                    group.append(self._queue.get_nowait())
                except queue.Empty:
                    break
            closing = group[-1] is None
            changes = [waiting for waiting in group if waiting is not None]
            error = self._commit(changes)
            if error is None:
                for waiting in changes:
                    waiting.committed.set_result(None)
            else:
                self._commit_each(changes, error)

    def _commit_each(self, changes: Sequence[_Waiting], error: Exception) -> None:
        """After a group failed: one bad change must not take the others down with it."""
        for waiting in changes:
            alone = error if len(changes) == 1 else self._commit([waiting])
            if alone is None:
                waiting.committed.set_result(None)
            else:
                waiting.committed.set_exception(alone)

    def _commit(self, changes: Sequence[_Waiting]) -> Exception | None:
        if not changes:
            return None
        try:
            with self._engine.begin() as connection:
                for waiting in changes:
                    waiting.apply(connection)
        except Exception as error:  # noqa: BLE001  # raised again in the thread that waits
            return error
        return None
