"""Who looks at the pages, and what GitHub lets them see and do. A value; it asks nobody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.facts import Account, Permission


@dataclass(frozen=True, slots=True)
class Visitor:
    """`rights` are by repository id. None: whoever sits at the server itself, and sees all of it.

    Without an `account` nothing can be pressed that GitHub has to allow.
    """

    account: Account | None
    rights: Mapping[int, Permission] | None

    @property
    def operates(self) -> bool:
        return self.rights is None

    def reads(self, repository: int) -> bool:
        return self.permission(repository) is not Permission.NONE

    def writes(self, repository: int) -> bool:
        return self.permission(repository).writes

    def permission(self, repository: int) -> Permission:
        """As GitHub said a moment ago: good for looking. A press asks once more."""
        if self.rights is None:
            return Permission.ADMIN
        return self.rights.get(repository, Permission.NONE)
