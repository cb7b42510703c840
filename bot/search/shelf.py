"""What an index keeps on disk, as a port: pages with their terms, passages with their vectors.

SQLite and PostgreSQL stand behind it. It finds by terms; it ranks by meaning nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.search.model import Document, Kind, State
from bot.search.passages import Passage


@dataclass(frozen=True, slots=True)
class Entry:
    """A page to be kept. `vectors`: one per passage, little-endian float32; None: not made yet."""

    document: Document
    passages: tuple[Passage, ...]
    vectors: tuple[bytes, ...] | None
    model: str


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one repository's pages. `prepared`: under a commit not on the branch yet;
    otherwise the branch stands at `commit`."""

    repository: int
    commit: str
    entries: Sequence[Entry]
    gone: Collection[str]
    prepared: bool
    committed_at: datetime
    indexed_at: datetime


@dataclass(frozen=True, slots=True)
class Match:
    """A page that holds some of the terms. `score`: higher is better."""

    document: int
    score: float


@dataclass(frozen=True, slots=True)
class Page:
    """A kept page; its `id` is the shelf's own."""

    id: int
    repository: int
    path: str
    commit: str
    kind: Kind
    title: str
    retired: bool
    passages: tuple[Passage, ...]


class Shelf(Protocol):
    """Methods raise Lost where what is kept cannot be trusted (it is empty then), Fault else."""

    def generation(self) -> str:
        """Another text after every change."""
        ...

    def blobs(self, repository: int) -> Mapping[str, str]:
        """Path to blob of the pages that may be found."""
        ...

    def keep(self, change: Change) -> None: ...

    def settle(self, repository: int, commit: str, *, landed: bool) -> None: ...

    def matches(
        self, terms: Sequence[str], repositories: Collection[int], limit: int
    ) -> Sequence[Match]:
        """Pages that hold at least one of the terms, best first; very common terms may not count
        where there are others."""
        ...

    def under(self, repository: int, commit: str, term: str) -> bool:
        """Whether a page kept under this commit, prepared or not, is found by the term."""
        ...

    def pages(self, ids: Collection[int]) -> Mapping[int, Page]: ...

    def vector_ids(self, model: str) -> Sequence[tuple[int, int, int]]:
        """Passage, document and repository of every vector of this model that may be found."""
        ...

    def vectors(self, ids: Collection[int]) -> Mapping[int, bytes]: ...

    def lacking(self, model: str, limit: int) -> Sequence[tuple[int, str, Passage]]:
        """Passages without a vector of this model: id, title of the page, passage."""
        ...

    def give(self, model: str, vectors: Mapping[int, bytes]) -> None: ...

    def state(self, repository: int) -> State | None: ...

    def indexed(self) -> frozenset[int]: ...

    def prepared(self, repository: int) -> tuple[str, ...]: ...

    def drop(self, repository: int) -> None: ...

    def close(self) -> None:
        """Lets go of what is open."""
        ...
