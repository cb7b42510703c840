"""The tables of a shelf as a port: what SQLite and PostgreSQL do each in its own way.

Both have `search_documents`, `search_passages`, `search_repositories` and `search_generation`, with
the same columns; how terms are kept is theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from bot.search.model import Document

Values = Mapping[str, object]
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A page that holds some of the terms. `score`: higher is better."""

    document: int
    score: float


@dataclass(frozen=True, slots=True)
class Near:
    """How near a page is: the cosine (0..1) of its nearest passage, and its place from 0."""

    cosine: float
    passage: int


class Transaction(Protocol):
    """One on the tables. In SQL a value is `:name`, and `among(:names)` tests for any of a list."""

    def rows(self, sql: str, **values: object) -> Sequence[Row]: ...

    def run(self, sql: str, many: Sequence[Values]) -> None: ...

    def add(self, row: Values, page: Document) -> int:
        """Keeps a page and its terms; the id of the page. `row`: its columns in both databases."""
        ...

    def add_passages(self, rows: Sequence[Values]) -> None:
        """Each with `document`, `heading`, `text`, `model` and `vector`, which may be None."""
        ...

    def forget(self, documents: Sequence[int]) -> None:
        """Removes pages with their terms and passages."""
        ...

    def give(self, model: str, vectors: Mapping[int, bytes]) -> None:
        """Passages get their vectors."""
        ...

    def lacking(self, model: str, limit: int) -> Sequence[Row]:
        """Passages without a vector of this model: id, title of the page, heading, text."""
        ...

    def matches(
        self, terms: Sequence[str], repositories: Collection[int], limit: int
    ) -> Sequence[Match]: ...

    def under(self, repository: int, commit: str, term: str) -> bool: ...

    def nearest(
        self, model: str, question: bytes, repositories: Collection[int], limit: int
    ) -> Sequence[tuple[int, Near]] | None: ...


class Tables(Protocol):
    """Where the tables are. A transaction raises Lost where what is kept cannot be trusted (it is
    empty then), Fault else."""

    def transaction(self, *, writes: bool) -> AbstractContextManager[Transaction]: ...

    def close(self) -> None:
        """Lets go of what is open; another call opens it again."""
        ...
