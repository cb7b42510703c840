"""The paths that a bullet names, and what became of them on the default branch (SPEC 4, stale).

Pure: the tree is a read-only interface whose implementation lives with git.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a path that is gone: `on` is the committer date (UTC) of the deleting commit,
    `at` its time where known.

    `moved_to` is where it went; `doubt` is true when that cannot be told.
    """

    on: date
    moved_to: str | None = None
    doubt: bool = False
    at: datetime | None = field(default=None, compare=False)


class Tree(Protocol):
    """The default branch at one commit."""

    @property
    def commit(self) -> str: ...

    def has(self, path: str) -> bool:
        """A file, or a directory with something in it, by its exact path."""

    def expect(self, paths: Collection[str]) -> None:
        """These will be asked for by `has`: many may be looked up at the price of one."""

    def matching(self, pattern: str) -> bool:
        """Whether anything matches a glob, or bears a bare name, in any letter case."""

    def fate(self, path: str) -> Fate | None:
        """None when no commit of the default branch is known to have deleted the path."""


class Naming(enum.Enum):
    PATH = "path"
    DIRECTORY = "directory"
    GLOB = "glob"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Named:
    """One path as a bullet names it. A bare name counts once it was seen: `Node.js` is no file."""

    text: str
    naming: Naming

    @property
    def exact(self) -> str | None:
        """The path, where it can be asked for by name."""
        is_path = self.naming in (Naming.PATH, Naming.DIRECTORY)
        return self.text.rstrip("/") if is_path else None

    def exists(self, tree: Tree) -> bool:
        return tree.matching(self.text) if self.exact is None else tree.has(self.exact)


_LONGEST = 4096  # characters: no path is longer
_TOKEN = re.compile(r"[\w@.+*?{}\[\],~-]*[\w*}\]][\w@.+*?{}\[\],~/-]*")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
_SLASHED = re.compile(r"(?:\.{1,2}/)?[\w@.+~-]+(?:/[\w@.+~\[\]-]+)+/?\Z|[\w@.+~-]+/\Z")


def named(text: str) -> tuple[Named, ...]:
    """The paths a sentence names, in order, once each: `src/a.py`, `tests/`, `src/*.py`, `a.sh`.

    Slashed words without an extension (`and/or`) count in back-quotes or with a last slash.
    """
    found: dict[str, Named] = {}
    for quoted, piece in _pieces(text):
        if "://" in piece or len(piece) > _LONGEST:
            continue
        for token in _TOKEN.findall(piece):
            each = _named(token.rstrip(".,:;").removeprefix("./"), quoted)
            if each is not None:
                found.setdefault(each.text, each)
    return tuple(found.values())


def _pieces(text: str) -> list[tuple[bool, str]]:
    pieces: list[tuple[bool, str]] = []
    for number, part in enumerate(text.split("`")):
        pieces += [(number % 2 == 1, word) for word in part.split()]
    return pieces


def _named(token: str, quoted: bool) -> Named | None:
    if not token or token.startswith(("/", "-", "..")) or "//" in token:
        return None
    if re.search(r"[*?]", token):
        return Named(token, Naming.GLOB) if "/" in token or _EXTENSION.search(token) else None
    last = PurePosixPath(token).name
    if _SLASHED.match(token):
        if token.endswith("/"):
            return Named(token, Naming.DIRECTORY)
        if _EXTENSION.search(last) or last.startswith(".") or quoted:
            return Named(token, Naming.PATH)
        return None
    if "/" not in token and (_EXTENSION.search(token) or token in ("Makefile", "Dockerfile")):
        return Named(token, Naming.NAME)
    return None
