"""The two families of errors (SPEC 12): what a person can mend, and what broke.

Nothing else may be raised across a room's border on purpose.
"""

from __future__ import annotations


class UserError(Exception):
    """Something a person can mend: told to that person where they look, never retried.

    `message` says what is wrong, `remedy` what to do about it; `file`, `line` and `column`
    (both 1-based) say where.
    """

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.file = file
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = ":".join(
            str(part) for part in (self.file, self.line, self.column) if part is not None
        )
        head = f"{place}: {self.message}" if place else self.message
        if self.remedy and head[-1:].isalnum():  # somebody else's words may have no full stop
            head = f"{head}."
        return f"{head} {self.remedy}".rstrip()


class CallError(UserError):
    """A command that was called wrongly: what it names is not there or cannot be read."""


class Fault(Exception):  # noqa: N818 - the word of SPEC 12
    """Something that broke: logged once with the delivery's id, retried where a retry can help.

    `retry_after` is in seconds; None with `retry` true leaves the pause to the caller's backoff.
    The text never holds a secret.
    """

    def __init__(
        self, message: str, *, retry: bool = True, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.retry = retry
        self.retry_after = retry_after
