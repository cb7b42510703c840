"""The words of search: what is indexed, what is asked, what is answered. Values and one port.

Knows neither git nor who may read: repositories come as numeric ids, already decided upon.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bot.errors import Fault, UserError

QUERY_CHARACTERS = 4_000  # a question with an error message in it; a pasted log is none


class Kind(enum.Enum):
    """What a page is. `BULLET` is one line of lessons.md, the others are files."""

    REFERENCE = "reference"
    CONTEXT = "context"
    LESSON = "lesson"
    RULE = "rule"
    BULLET = "bullet"
    STANDING = "standing"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Document:
    """One page. `path` names it within its repository: a file's path, for one entry of a file with
    `#` and its id. `blob` changes whenever anything else of the page does.

    `retired`: expired, evicted, overridden or stale; found, and marked as such.
    """

    path: str
    blob: str
    kind: Kind
    title: str
    text: str
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Half:
    """How one half of a search went; `reason` says why it is failing, None: it is well."""

    reason: str | None = None

    @property
    def ok(self) -> bool:
        return self.reason is None


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found. `exact` and `meaning` are its ranks there (from 1; None: not found).

    `score` has a meaning only beside the others of the same answer.
    """

    repository: int
    path: str
    commit: str
    kind: Kind
    title: str
    excerpt: str
    retired: bool
    score: float
    exact: int | None = None
    meaning: int | None = None


class Finding(enum.Enum):
    """What an answer says of the memory itself."""

    FOUND = "found"
    OTHER_WORDS = "known under other words"  # near in meaning, none of the words: `hits` name them
    NOTHING = "nothing known"
    UNTOLD = "cannot be told"  # nothing was found, but a half was failing or a page is not indexed


@dataclass(frozen=True, slots=True)
class Answer:
    """`hits` best first. `unindexed`: repositories that were asked for and are not in the index."""

    hits: tuple[Hit, ...]
    finding: Finding
    exact: Half
    meaning: Half
    reranked: bool = False
    took: timedelta = timedelta(0)
    unindexed: frozenset[int] = field(default=frozenset())


@dataclass(frozen=True, slots=True)
class Rankings:
    """The paths that a question finds each way, best first."""

    exact: Sequence[str]
    meaning: Sequence[str]
    fused: Sequence[str]
    reranked: Sequence[str]


@dataclass(frozen=True, slots=True)
class State:
    """What the index holds of one repository. `commit` is the newest that was indexed.

    `lag`: from that commit's committer date until it could be found.
    """

    documents: int
    commit: str
    committed_at: datetime
    indexed_at: datetime

    @property
    def lag(self) -> timedelta:
        return max(self.indexed_at - self.committed_at, timedelta(0))


class Index(Protocol):
    """Every method raises `Lost` where the index is damaged or gone: it is empty and good again
    afterwards, and whoever has the clones fills it anew. Fault for everything else that broke.
    """

    def blobs(self, repository: int) -> Mapping[str, str]:
        """Path to blob of the pages that may be found."""
        ...

    def put(
        self,
        repository: int,
        commit: str,
        committed_at: datetime,
        documents: Iterable[Document],
        gone: Collection[str] = (),
    ) -> None:
        """The default branch stands at `commit`: these pages are new or changed, those are gone.

        What is there already with the same blob is left alone, so the same call again costs little.
        """
        ...

    def prepare(self, repository: int, commit: str, documents: Iterable[Document]) -> None:
        """Pages of a commit that is not on the branch yet: `search` does not return them."""
        ...

    def settle(self, repository: int, commit: str, *, landed: bool) -> None:
        """The prepared pages take their places, or are gone. Nothing prepared: nothing to do."""
        ...

    def holds(self, repository: int, marker: str, commit: str) -> bool:
        """Whether the exact words find a page under `commit`, prepared or not, by a `marker`: one
        word that stands in no other page."""
        ...

    def search(self, query: str, repositories: frozenset[int], limit: int = 5) -> Answer:
        """Raises UserError for a query that asks nothing or is longer than a question."""
        ...

    def check(self, repositories: frozenset[int]) -> tuple[Half, Half]:
        """How the exact half and the meaning half go: what a search would say of them."""
        ...

    def state(self, repository: int) -> State | None:
        """None: the repository is not in the index."""
        ...

    def prepared(self, repository: int) -> tuple[str, ...]:
        """The commits whose pages are prepared and not settled, oldest first."""
        ...

    def drop(self, repository: int) -> None:
        """Forgets a repository."""
        ...


class Lost(Fault):
    """The index was damaged or gone; it is empty now."""


def asked(query: str) -> str:
    """The query as it is searched for. Raises UserError."""
    text = " ".join(query.split())
    if len(text) > QUERY_CHARACTERS:
        raise UserError(
            f"The query has {len(text)} characters, more than {QUERY_CHARACTERS}.",
            remedy="Ask one question, with the identifiers that matter.",
        )
    if not any(character.isalnum() for character in text):
        raise UserError("The query has no word in it.", remedy="Ask for something by its words.")
    return text
