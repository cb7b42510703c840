"""One repository as reports see it: files and event rows at one commit, read by somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.errors import UserError
from bot.lessons.history import History
from bot.lessons.tree import Tree
from bot.settings import Settings


@dataclass(frozen=True, slots=True)
class StoreFacts:
    """`name` is "owner/name" where that is known, else what the caller named.

    `rules` has the failure classes by path, nothing where there are none; `carried` the files that
    agents load by themselves, by path. `distrust` says why the lessons file cannot be trusted, as
    the end of a sentence; `lessons` is its last good version then. `committed` says since when
    each id stood in the committed block of the default branch. `notes` is what is wrong with the
    looked-up notes, with file, line and remedy.
    """

    name: str
    commit: str | None
    settings: Settings
    lessons: bytes
    history: History
    standing: Mapping[str, bytes]
    rules: Mapping[str, bytes]
    carried: Mapping[str, bytes]
    tree: Tree
    distrust: str | None
    committed: Mapping[str, datetime]
    notes: tuple[UserError, ...] = ()

    @property
    def owner(self) -> str:
        return self.name.rpartition("/")[0]
