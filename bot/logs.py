"""Which delivery a log line is about. It knows no work."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

FORM = "%(asctime)s %(levelname)s %(name)s: %(message)s%(work)s"
_work: ContextVar[str] = ContextVar("work", default="")


@contextmanager
def about(work: str) -> Iterator[None]:
    """Every line that this thread logs meanwhile ends with the id of its work."""
    token = _work.set(work)
    try:
        yield
    finally:
        _work.reset(token)


def install() -> None:
    """Gives the handlers of the root logger that form."""
    for handler in logging.getLogger().handlers:
        handler.addFilter(_add_work)
        handler.setFormatter(logging.Formatter(FORM))


def _add_work(record: logging.LogRecord) -> bool:
    work = _work.get()
    record.work = f" [{work}]" if work else ""
    return True
