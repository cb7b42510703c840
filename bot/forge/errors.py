"""What GitHub refuses, told apart by what the caller can do about it.

Each belongs to one of the two families of `bot.errors`: a person can mend it, or it broke.
"""

# ruff: noqa: N818 - the names say what GitHub answered

from __future__ import annotations

from bot.errors import Fault, UserError


class Suspended(UserError):
    """The installation is suspended: its work is parked until it is unsuspended."""


class Gone(UserError):
    """The installation, the repository or the thing in it is not there, or not for us to see."""


class Archived(UserError):
    """The repository is archived: reads go on, a write is dropped."""


class Forbidden(UserError):
    """The App lacks a permission: the same call will be refused until a person grants it."""


class RateLimited(Fault):
    """Too many requests. `retry_after` is in seconds and always set."""


class Unauthorized(Fault):
    """GitHub does not accept the credentials: a fresh token may help, or a clock set right."""


class Invalid(Fault):
    """GitHub does not do what was asked for, and will not do it either when asked again.

    `message` is what it said, `types` the kinds of error that a GraphQL answer names.
    """

    def __init__(self, status: int, message: str, types: frozenset[str] = frozenset()) -> None:
        super().__init__(f"GitHub answered {status}: {message}", retry=False)
        self.message = message
        self.types = types
