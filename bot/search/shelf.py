"""What an index keeps on disk: pages with their terms, passages with their vectors, in tables.

One set of questions for SQLite and PostgreSQL. It ranks by meaning only where its database can.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.search.model import Document, Kind, State
from bot.search.passages import Passage
from bot.search.tables import Match, Near, Row, Tables, Transaction


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


class Shelf:
    """To be shared between threads and processes. Methods raise what a transaction raises."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def close(self) -> None:
        self._tables.close()

    # changes

    def keep(self, change: Change) -> None:
        prepared = change.commit if change.prepared else ""
        with self._tables.transaction(writes=True) as t:
            paths = {entry.document.path for entry in change.entries} | set(change.gone)
            _remove(t, change.repository, [clean(path) for path in paths], prepared)
            for entry in change.entries:
                _add(t, entry, change.repository, change.commit, prepared)
            if not change.prepared:
                t.run(
                    "INSERT INTO search_repositories VALUES (:id, :commit, :committed, :indexed)"
                    " ON CONFLICT (id) DO UPDATE SET commit_id = excluded.commit_id,"
                    " committed_at = excluded.committed_at, indexed_at = excluded.indexed_at",
                    [
                        {
                            "id": change.repository,
                            "commit": change.commit,
                            "committed": change.committed_at,
                            "indexed": change.indexed_at,
                        }
                    ],
                )
            _changed(t)

    def settle(self, repository: int, commit: str, *, landed: bool) -> None:
        mine = {"repository": repository, "commit": commit}
        with self._tables.transaction(writes=True) as t:
            found = t.rows(
                "SELECT path FROM search_documents"
                " WHERE repository = :repository AND prepared = :commit",
                **mine,
            )
            _remove(t, repository, [path for (path,) in found], "" if landed else commit)
            t.run(
                "UPDATE search_documents SET prepared = ''"
                " WHERE repository = :repository AND prepared = :commit",
                [mine],
            )
            _changed(t)

    def give(self, model: str, vectors: Mapping[int, bytes]) -> None:
        with self._tables.transaction(writes=True) as t:
            t.give(model, vectors)
            _changed(t)

    def drop(self, repository: int) -> None:
        with self._tables.transaction(writes=True) as t:
            rows = t.rows("SELECT id FROM search_documents WHERE repository = :id", id=repository)
            t.forget([number for (number,) in rows])
            t.run("DELETE FROM search_repositories WHERE id = :id", [{"id": repository}])
            _changed(t)

    # questions

    def generation(self) -> str:
        """Another text after every change."""
        ((found,),) = self._rows("SELECT id FROM search_generation")
        return str(found)

    def blobs(self, repository: int, paths: Collection[str] | None = None) -> Mapping[str, str]:
        """Path to blob of the pages that may be found; of these paths, or all."""
        asked = "SELECT path, blob FROM search_documents WHERE repository = :id AND prepared = ''"
        if paths is None:
            return dict(self._rows(asked, id=repository))
        return dict(self._rows(f"{asked} AND path among(:paths)", id=repository, paths=[*paths]))

    def matches(
        self, terms: Sequence[str], repositories: Collection[int], limit: int
    ) -> Sequence[Match]:
        """Pages that hold at least one of the terms, best first; very common terms may not count
        where there are others."""
        with self._tables.transaction(writes=False) as t:
            return t.matches(terms, repositories, limit)

    def under(self, repository: int, commit: str, term: str) -> bool:
        """Whether a page kept under this commit, prepared or not, is found by the term."""
        with self._tables.transaction(writes=False) as t:
            return t.under(repository, commit, term)

    def nearest(
        self, model: str, question: bytes, repositories: Collection[int], limit: int
    ) -> Sequence[tuple[int, Near]] | None:
        """The nearest passages by page, nearest first; None where the database cannot tell."""
        with self._tables.transaction(writes=False) as t:
            return t.nearest(model, question, repositories, limit)

    def pages(self, ids: Collection[int]) -> Mapping[int, Page]:
        with self._tables.transaction(writes=False) as t:
            parts: dict[int, list[Passage]] = {}
            for document, heading, words in t.rows(
                "SELECT document, heading, text FROM search_passages"
                " WHERE document among(:ids) ORDER BY id",
                ids=[*ids],
            ):
                parts.setdefault(document, []).append(Passage(heading, words))
            rows = t.rows(
                "SELECT id, repository, path, commit_id, kind, title, retired"
                " FROM search_documents WHERE prepared = '' AND id among(:ids)",
                ids=[*ids],
            )
        return {
            number: Page(
                number,
                repository,
                path,
                commit,
                Kind(kind),
                title,
                bool(retired),
                tuple(parts.get(number, ())),
            )
            for number, repository, path, commit, kind, title, retired in rows
        }

    def vector_ids(self, model: str) -> Sequence[Sequence[int]]:
        """Passage, document and repository of every vector of this model that may be found."""
        return self._rows(
            "SELECT p.id, d.id, d.repository FROM search_passages AS p"
            " JOIN search_documents AS d ON d.id = p.document"
            " WHERE d.prepared = '' AND p.model = :model AND p.vector IS NOT NULL ORDER BY p.id",
            model=model,
        )

    def vectors(self, ids: Collection[int]) -> Mapping[int, bytes]:
        rows = self._rows("SELECT id, vector FROM search_passages WHERE id among(:ids)", ids=[*ids])
        return {number: bytes(data) for number, data in rows}

    def lacking(self, model: str, limit: int) -> Sequence[tuple[int, str, Passage]]:
        """Passages without a vector of this model: id, title of the page, passage."""
        with self._tables.transaction(writes=False) as t:
            rows = t.lacking(model, limit)
        return [(number, title, Passage(heading, words)) for number, title, heading, words in rows]

    def state(self, repository: int) -> State | None:
        for documents, commit, committed, indexed in self._rows(
            "SELECT (SELECT count(*) FROM search_documents"
            " WHERE repository = :id AND prepared = ''), commit_id, committed_at, indexed_at"
            " FROM search_repositories WHERE id = :id",
            id=repository,
        ):
            return State(documents, commit, _moment(committed), _moment(indexed))
        return None

    def indexed(self) -> frozenset[int]:
        return frozenset(number for (number,) in self._rows("SELECT id FROM search_repositories"))

    def prepared(self, repository: int) -> tuple[str, ...]:
        rows = self._rows(
            "SELECT prepared FROM search_documents WHERE repository = :id AND prepared <> ''"
            " GROUP BY prepared ORDER BY min(id)",
            id=repository,
        )
        return tuple(commit for (commit,) in rows)

    def _rows(self, sql: str, **values: object) -> Sequence[Row]:
        with self._tables.transaction(writes=False) as t:
            return t.rows(sql, **values)


def clean(words: str) -> str:
    """Without what a database cannot keep in a text."""
    return words.replace("\0", "").encode("utf-8", "replace").decode()


def _add(t: Transaction, entry: Entry, repository: int, commit: str, prepared: str) -> None:
    page = entry.document
    row = {
        "repository": repository,
        "path": clean(page.path),
        "prepared": prepared,
        "commit": commit,
        "blob": page.blob,
        "kind": page.kind.value,
        "title": clean(page.title),
        "retired": page.retired,
    }
    number = t.add(row, page)
    vectors = entry.vectors or (None,) * len(entry.passages)
    t.add_passages(
        [
            {
                "document": number,
                "heading": clean(passage.heading),
                "text": clean(passage.text),
                "model": entry.model,
                "vector": vector,
            }
            for passage, vector in zip(entry.passages, vectors, strict=True)
        ]
    )


def _remove(t: Transaction, repository: int, paths: Sequence[str], prepared: str) -> None:
    rows = t.rows(
        "SELECT id FROM search_documents WHERE repository = :repository"
        " AND prepared = :prepared AND path among(:paths)",
        repository=repository,
        prepared=prepared,
        paths=paths,
    )
    t.forget([number for (number,) in rows])


def _changed(t: Transaction) -> None:
    t.run("UPDATE search_generation SET id = :id", [{"id": secrets.token_hex(8)}])


def _moment(value: datetime | str) -> datetime:
    return datetime.fromisoformat(value) if isinstance(value, str) else value
