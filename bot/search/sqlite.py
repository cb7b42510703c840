"""The tables of a shelf in one SQLite file, its terms in FTS5."""

from __future__ import annotations

import functools
import json
import re
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bot.search.model import Document
from bot.search.sqlite_file import SqliteFile
from bot.search.tables import Match, Near, Row, Values
from bot.search.words import terms

COMMON = 0.05  # of all pages; a term on more of them is left out of a longer question
FEW_PAGES = 200  # among which every term is looked for
TELLING = 3  # terms that a question keeps at least
_VERSION = 3  # of the tables below; a file of another version is made anew

_SCHEMA = """
BEGIN;
PRAGMA user_version = 3;  -- _VERSION
CREATE TABLE search_documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository INTEGER NOT NULL,
    path TEXT NOT NULL,
    prepared TEXT NOT NULL,  -- the commit that is not on the branch yet, otherwise empty
    commit_id TEXT NOT NULL,
    blob TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    retired INTEGER NOT NULL,
    UNIQUE (repository, path, prepared)
);
CREATE TABLE search_passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL REFERENCES search_documents ON DELETE CASCADE,
    heading TEXT NOT NULL,
    text TEXT NOT NULL,
    model TEXT NOT NULL,
    vector BLOB
);
CREATE INDEX search_passages_of ON search_passages (document);
CREATE TABLE search_repositories (
    id INTEGER PRIMARY KEY,
    commit_id TEXT NOT NULL,
    committed_at TEXT NOT NULL,
    indexed_at TEXT NOT NULL
);
CREATE TABLE search_generation (id TEXT NOT NULL);
INSERT INTO search_generation VALUES (hex(randomblob(8)));
-- Terms are our own: ASCII joints stand as other characters, so that no term is split again.
CREATE VIRTUAL TABLE search_words USING fts5(title, path, text, tokenize = 'ascii');
CREATE VIRTUAL TABLE search_vocabulary USING fts5vocab(search_words, row);
COMMIT;
"""
# `ascii` takes every character beyond ASCII for a part of a word.
_JOINTS = str.maketrans({joint: chr(0xE000 + ord(joint)) for joint in "-_./\\:>'"})
_AMONG = re.compile(r"among\((:\w+)\)")


class SqliteTables:
    """To be shared between threads and processes."""

    def __init__(self, path: Path) -> None:
        self._file = SqliteFile(path, _SCHEMA, _VERSION)

    def close(self) -> None:
        self._file.close()

    @contextmanager
    def transaction(self, *, writes: bool) -> Iterator[_Transaction]:
        with self._file.transaction("BEGIN IMMEDIATE" if writes else "BEGIN") as c:
            yield _Transaction(c)


class _Transaction:
    """Lists are JSON here, and moments text."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._c = connection

    def rows(self, sql: str, **values: object) -> Sequence[Row]:
        return self._c.execute(_own(sql), _kept(values)).fetchall()

    def run(self, sql: str, many: Sequence[Values]) -> None:
        self._c.executemany(_own(sql), [_kept(values) for values in many])

    # changes

    def add(self, row: Values, page: Document) -> int:
        ((number,),) = self.rows(
            "INSERT INTO search_documents (repository, path, prepared, commit_id, blob, kind,"
            " title, retired) VALUES (:repository, :path, :prepared, :commit, :blob, :kind,"
            " :title, :retired) RETURNING id",
            **row,
        )
        words = {
            "id": number,
            "title": _stream(page.title),
            "path": _stream(page.path),
            "text": _stream(page.text),
        }
        self.run(
            "INSERT INTO search_words (rowid, title, path, text)"
            " VALUES (:id, :title, :path, :text)",
            [words],
        )
        return int(number)

    def add_passages(self, rows: Sequence[Values]) -> None:
        self.run(
            "INSERT INTO search_passages (document, heading, text, model, vector)"
            " VALUES (:document, :heading, :text, :model, :vector)",
            rows,
        )

    def forget(self, documents: Sequence[int]) -> None:
        ids = [{"id": number} for number in documents]
        self.run("DELETE FROM search_words WHERE rowid = :id", ids)
        self.run("DELETE FROM search_documents WHERE id = :id", ids)

    def give(self, model: str, vectors: Mapping[int, bytes]) -> None:
        self.run(
            "UPDATE search_passages SET model = :model, vector = :vector WHERE id = :id",
            [{"id": each, "model": model, "vector": data} for each, data in vectors.items()],
        )

    # questions

    def lacking(self, model: str, limit: int) -> Sequence[Row]:
        return self.rows(
            "SELECT p.id, d.title, p.heading, p.text FROM search_passages AS p"
            " JOIN search_documents AS d ON d.id = p.document"
            " WHERE p.model <> :model OR p.vector IS NULL LIMIT :limit",
            model=model,
            limit=limit,
        )

    def matches(
        self, terms: Sequence[str], repositories: Collection[int], limit: int
    ) -> Sequence[Match]:
        # FTS5's bm25 is the negative of the Okapi score (k1 = 1.2, b = 0.75), sqlite.org/fts5.html.
        # A word of the title says more than one of the path, that more than one of the text.
        rows = self.rows(
            "SELECT found.id, found.score FROM (SELECT rowid AS id,"
            " -bm25(search_words, 3.0, 2.0, 1.0) AS score FROM search_words"
            " WHERE search_words MATCH :terms) AS found"
            " JOIN search_documents AS d ON d.id = found.id"
            " WHERE d.prepared = '' AND d.repository among(:repositories)"
            " ORDER BY found.score DESC, found.id LIMIT :limit",
            terms=_any_of(_telling(self, terms)),
            repositories=[*repositories],
            limit=limit,
        )
        return [Match(*row) for row in rows]

    def under(self, repository: int, commit: str, term: str) -> bool:
        found = self.rows(
            "SELECT 1 FROM search_words JOIN search_documents AS d ON d.id = search_words.rowid"
            " WHERE search_words MATCH :term AND d.repository = :repository"
            " AND d.commit_id = :commit LIMIT 1",
            term=_any_of([term]),
            repository=repository,
            commit=commit,
        )
        return bool(found)

    def nearest(
        self, model: str, question: bytes, repositories: Collection[int], limit: int
    ) -> Sequence[tuple[int, Near]] | None:
        return None


def _telling(t: _Transaction, wanted: Sequence[str]) -> Sequence[str]:
    """Without terms that stand on so many pages that they tell little and cost most of the time."""
    ((pages,),) = t.rows("SELECT count(*) FROM search_documents")
    rows = t.rows(
        "SELECT term, doc FROM search_vocabulary WHERE term among(:terms)",
        terms=[term.translate(_JOINTS) for term in wanted],
    )
    counts: dict[str, int] = dict(rows)
    rarest = sorted(wanted, key=lambda term: counts.get(term.translate(_JOINTS), 0))
    most = max(FEW_PAGES, pages * COMMON)
    return [
        term
        for place, term in enumerate(rarest)
        if place < TELLING or counts.get(term.translate(_JOINTS), 0) <= most
    ]


def _stream(text: str) -> str:
    return " ".join(terms(text)).translate(_JOINTS)


def _any_of(wanted: Sequence[str]) -> str:
    """A question in FTS5's language; in quotes nothing is an operator."""
    return " OR ".join(f'"{term.translate(_JOINTS)}"' for term in wanted)


@functools.lru_cache
def _own(sql: str) -> str:
    return _AMONG.sub(r"IN (SELECT value FROM json_each(\1))", sql)


def _kept(values: Values) -> dict[str, object]:
    return {name: _written(value) for name, value in values.items()}


def _written(value: object) -> object:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return json.dumps(value) if isinstance(value, list) else value
