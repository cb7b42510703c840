"""A shelf in one SQLite file, its terms in FTS5. Whoever has the clones can fill it anew."""

from __future__ import annotations

import itertools
import json
import secrets
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bot.search.model import Kind, State
from bot.search.passages import Passage
from bot.search.shelf import Change, Match, Page
from bot.search.sqlite_file import SqliteFile
from bot.search.words import terms

COMMON = 0.05  # of all pages; a term on more of them is left out of a longer question
FEW_PAGES = 200  # among which every term is looked for
TELLING = 3  # terms that a question keeps at least
_VERSION = 2  # of the tables below; a file of another version is made anew

_SCHEMA = """
BEGIN;
PRAGMA user_version = 2;  -- _VERSION
CREATE TABLE documents (
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
CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    heading TEXT NOT NULL,
    text TEXT NOT NULL,
    model TEXT NOT NULL,
    vector BLOB
);
CREATE INDEX passages_of ON passages (document);
CREATE TABLE repositories (
    id INTEGER PRIMARY KEY,
    commit_id TEXT NOT NULL,
    committed_at TEXT NOT NULL,
    indexed_at TEXT NOT NULL
);
CREATE TABLE generation (id TEXT NOT NULL);
INSERT INTO generation VALUES (hex(randomblob(8)));
-- Terms are our own: ASCII joints stand as other characters, so that no term is split again.
CREATE VIRTUAL TABLE words USING fts5(title, path, text, tokenize = 'ascii');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
COMMIT;
"""
# `ascii` takes every character beyond ASCII for a part of a word.
_JOINTS = str.maketrans({joint: chr(0xE000 + ord(joint)) for joint in "-_./\\:>'"})


class SqliteShelf:
    """To be shared between threads and processes."""

    def __init__(self, path: Path) -> None:
        self._file = SqliteFile(path, _SCHEMA, _VERSION)

    def close(self) -> None:
        self._file.close()

    # changes

    def keep(self, change: Change) -> None:
        prepared = change.commit if change.prepared else ""
        with self._changing() as c:
            paths = {entry.document.path for entry in change.entries} | set(change.gone)
            _remove(c, change.repository, paths, prepared)
            for entry in change.entries:
                page = entry.document
                row = c.execute(
                    "INSERT INTO documents (repository, path, prepared, commit_id, blob, kind,"
                    " title, retired) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        change.repository,
                        page.path,
                        prepared,
                        change.commit,
                        page.blob,
                        page.kind.value,
                        page.title,
                        page.retired,
                    ),
                )
                vectors = entry.vectors or itertools.repeat(None)
                c.executemany(
                    "INSERT INTO passages (document, heading, text, model, vector)"
                    " VALUES (?, ?, ?, ?, ?)",
                    [
                        (row.lastrowid, passage.heading, passage.text, entry.model, vector)
                        for passage, vector in zip(entry.passages, vectors, strict=False)
                    ],
                )
                c.execute(
                    "INSERT INTO words (rowid, title, path, text) VALUES (?, ?, ?, ?)",
                    (row.lastrowid, _stream(page.title), _stream(page.path), _stream(page.text)),
                )
            if not change.prepared:
                c.execute(
                    "INSERT OR REPLACE INTO repositories VALUES (?, ?, ?, ?)",
                    (
                        change.repository,
                        change.commit,
                        _written(change.committed_at),
                        _written(change.indexed_at),
                    ),
                )

    def settle(self, repository: int, commit: str, *, landed: bool) -> None:
        with self._changing() as c:
            rows = c.execute(
                "SELECT path FROM documents WHERE repository = ? AND prepared = ?",
                (repository, commit),
            )
            paths = [path for (path,) in rows]
            _remove(c, repository, paths, "" if landed else commit)
            c.execute(
                "UPDATE documents SET prepared = '' WHERE repository = ? AND prepared = ?",
                (repository, commit),
            )

    def give(self, model: str, vectors: Mapping[int, bytes]) -> None:
        with self._changing() as c:
            c.executemany(
                "UPDATE passages SET model = ?, vector = ? WHERE id = ?",
                [(model, data, passage) for passage, data in vectors.items()],
            )

    def drop(self, repository: int) -> None:
        with self._changing() as c:
            rows = c.execute("SELECT id FROM documents WHERE repository = ?", (repository,))
            _remove_ids(c, [number for (number,) in rows])
            c.execute("DELETE FROM repositories WHERE id = ?", (repository,))

    # questions

    def generation(self) -> str:
        with self._reading() as c:
            (found,) = c.execute("SELECT id FROM generation").fetchone()
            return str(found)

    def blobs(self, repository: int) -> Mapping[str, str]:
        with self._reading() as c:
            return dict(
                c.execute(
                    "SELECT path, blob FROM documents WHERE repository = ? AND prepared = ''",
                    (repository,),
                ).fetchall()
            )

    def matches(
        self, terms: Sequence[str], repositories: Collection[int], limit: int
    ) -> Sequence[Match]:
        # FTS5's bm25 is the negative of the Okapi score (k1 = 1.2, b = 0.75), sqlite.org/fts5.html.
        # A word of the title says more than one of the path, that more than one of the text.
        with self._reading() as c:
            rows = c.execute(
                "SELECT found.id, found.score FROM (SELECT rowid AS id,"
                " -bm25(words, 3.0, 2.0, 1.0) AS score FROM words WHERE words MATCH ?) AS found"
                " JOIN documents ON documents.id = found.id"
                " WHERE documents.prepared = ''"
                " AND documents.repository IN (SELECT value FROM json_each(?))"
                " ORDER BY found.score DESC, found.id LIMIT ?",
                (_any_of(_telling(c, terms)), _listed(repositories), limit),
            )
            return [Match(*row) for row in rows]

    def under(self, repository: int, commit: str, term: str) -> bool:
        with self._reading() as c:
            found = c.execute(
                "SELECT 1 FROM words JOIN documents ON documents.id = words.rowid"
                " WHERE words MATCH ? AND documents.repository = ? AND documents.commit_id = ?",
                (_any_of([term]), repository, commit),
            )
            return found.fetchone() is not None

    def pages(self, ids: Collection[int]) -> Mapping[int, Page]:
        with self._reading() as c:
            parts: dict[int, list[Passage]] = {}
            for document, heading, text in c.execute(
                "SELECT document, heading, text FROM passages"
                " WHERE document IN (SELECT value FROM json_each(?)) ORDER BY id",
                (_listed(ids),),
            ):
                parts.setdefault(document, []).append(Passage(heading, text))
            rows = c.execute(
                "SELECT id, repository, path, commit_id, kind, title, retired FROM documents"
                " WHERE prepared = '' AND id IN (SELECT value FROM json_each(?))",
                (_listed(ids),),
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

    def vector_ids(self, model: str) -> Sequence[tuple[int, int, int]]:
        with self._reading() as c:
            return c.execute(
                "SELECT passages.id, documents.id, documents.repository FROM passages"
                " JOIN documents ON documents.id = passages.document"
                " WHERE documents.prepared = '' AND passages.model = ? AND vector IS NOT NULL"
                " ORDER BY passages.id",
                (model,),
            ).fetchall()

    def vectors(self, ids: Collection[int]) -> Mapping[int, bytes]:
        with self._reading() as c:
            rows = c.execute(
                "SELECT id, vector FROM passages WHERE id IN (SELECT value FROM json_each(?))",
                (_listed(ids),),
            )
            return dict(rows.fetchall())

    def lacking(self, model: str, limit: int) -> Sequence[tuple[int, str, Passage]]:
        with self._reading() as c:
            rows = c.execute(
                "SELECT passages.id, title, heading, text FROM passages"
                " JOIN documents ON documents.id = passages.document"
                " WHERE passages.model <> ? OR vector IS NULL LIMIT ?",
                (model, limit),
            )
            return [(number, title, Passage(h, text)) for number, title, h, text in rows]

    def state(self, repository: int) -> State | None:
        with self._reading() as c:
            row = c.execute(
                "SELECT commit_id, committed_at, indexed_at,"
                " (SELECT count(*) FROM documents WHERE repository = ?1 AND prepared = '')"
                " FROM repositories WHERE id = ?1",
                (repository,),
            ).fetchone()
        if row is None:
            return None
        commit, committed_at, indexed_at, documents = row
        return State(documents, commit, _read(committed_at), _read(indexed_at))

    def indexed(self) -> frozenset[int]:
        with self._reading() as c:
            return frozenset(number for (number,) in c.execute("SELECT id FROM repositories"))

    def prepared(self, repository: int) -> tuple[str, ...]:
        with self._reading() as c:
            rows = c.execute(
                "SELECT prepared FROM documents WHERE repository = ? AND prepared <> ''"
                " GROUP BY prepared ORDER BY min(id)",
                (repository,),
            )
            return tuple(commit for (commit,) in rows)

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._file.transaction("BEGIN IMMEDIATE") as c:
            yield c
            c.execute("UPDATE generation SET id = ?", (secrets.token_hex(8),))

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._file.transaction("BEGIN") as c:
            yield c


def _remove(c: sqlite3.Connection, repository: int, paths: Collection[str], prepared: str) -> None:
    rows: Iterable[tuple[int]] = c.execute(
        "SELECT id FROM documents WHERE repository = ? AND prepared = ?"
        " AND path IN (SELECT value FROM json_each(?))",
        (repository, prepared, _listed(paths)),
    )
    _remove_ids(c, [number for (number,) in rows])


def _remove_ids(c: sqlite3.Connection, ids: Sequence[int]) -> None:
    numbers = [(number,) for number in ids]
    c.executemany("DELETE FROM words WHERE rowid = ?", numbers)
    c.executemany("DELETE FROM documents WHERE id = ?", numbers)


def _telling(c: sqlite3.Connection, wanted: Sequence[str]) -> Sequence[str]:
    """Without terms that stand on so many pages that they tell little and cost most of the time."""
    (pages,) = c.execute("SELECT count(*) FROM documents").fetchone()
    rows = c.execute(
        "SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))",
        (_listed([term.translate(_JOINTS) for term in wanted]),),
    )
    counts = dict(rows.fetchall())
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


def _listed(values: Collection[int] | Collection[str]) -> str:
    return json.dumps(list(values))


def _written(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


def _read(at: str) -> datetime:
    return datetime.fromisoformat(at)
