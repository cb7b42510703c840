"""A shelf in PostgreSQL: its terms are arrays under a GIN index, ranked as FTS5 ranks them.

Derived: whoever has the clones can fill it anew.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text

from bot.search.model import Kind, State
from bot.search.passages import Passage
from bot.search.postgres_tables import Tables
from bot.search.shelf import Change, Match, Page
from bot.search.words import terms

# Okapi BM25 with k1 = 1.2 and b = 0.75 as in FTS5, a term counted 1, and 3 or 2 more for one of the
# title or the path; how often it stands in the text is left aside.
_MATCHES = """
SELECT d.id, sum(q.idf * f.tf * 2.2 / (f.tf + 1.2 * (0.25 + 0.75 * d.length / :average))) AS score
FROM unnest(CAST(:terms AS TEXT[]), CAST(:idfs AS FLOAT8[])) AS q (term, idf)
JOIN search_documents AS d ON d.terms @> ARRAY[q.term]
CROSS JOIN LATERAL (
    SELECT 1.0 + 3.0 * (q.term = ANY (d.title_terms))::int
        + 2.0 * (q.term = ANY (d.path_terms))::int AS tf
) AS f
WHERE d.prepared = '' AND d.repository = ANY (:repositories)
GROUP BY d.id ORDER BY score DESC, d.id LIMIT :limit
"""


class PostgresShelf:
    """To be shared between threads and processes."""

    def __init__(self, engine: Engine) -> None:
        self._tables = Tables(engine)

    # changes

    def keep(self, change: Change) -> None:
        prepared = change.commit if change.prepared else ""
        with self._changing() as c:
            paths = {entry.document.path for entry in change.entries} | set(change.gone)
            _remove(c, change.repository, paths, prepared)
            for entry in change.entries:
                page = entry.document
                title, path = list(terms(page.title)), list(terms(page.path))
                stream = [*title, *path, *terms(page.text)]
                number = c.execute(
                    text(
                        "INSERT INTO search_documents (repository, path, prepared, commit_id, blob,"
                        " kind, title, retired, length, terms, title_terms, path_terms) VALUES"
                        " (:repository, :path, :prepared, :commit, :blob, :kind, :title, :retired,"
                        " :length, :terms, :title_terms, :path_terms) RETURNING id"
                    ),
                    {
                        "repository": change.repository,
                        "path": _clean(page.path),
                        "prepared": prepared,
                        "commit": change.commit,
                        "blob": page.blob,
                        "kind": page.kind.value,
                        "title": _clean(page.title),
                        "retired": page.retired,
                        "length": len(stream),
                        "terms": list(dict.fromkeys(stream)),
                        "title_terms": title,
                        "path_terms": path,
                    },
                ).scalar_one()
                vectors = entry.vectors or (None,) * len(entry.passages)
                c.execute(
                    text(
                        "INSERT INTO search_passages (document, heading, text, model, vector)"
                        " VALUES (:document, :heading, :text, :model, :vector)"
                    ),
                    [
                        {
                            "document": number,
                            "heading": _clean(passage.heading),
                            "text": _clean(passage.text),
                            "model": entry.model,
                            "vector": vector,
                        }
                        for passage, vector in zip(entry.passages, vectors, strict=True)
                    ],
                )
            if not change.prepared:
                c.execute(
                    text(
                        "INSERT INTO search_repositories"
                        " VALUES (:id, :commit, :committed, :indexed)"
                        " ON CONFLICT (id) DO UPDATE SET commit_id = excluded.commit_id,"
                        " committed_at = excluded.committed_at, indexed_at = excluded.indexed_at"
                    ),
                    {
                        "id": change.repository,
                        "commit": change.commit,
                        "committed": change.committed_at,
                        "indexed": change.indexed_at,
                    },
                )

    def settle(self, repository: int, commit: str, *, landed: bool) -> None:
        mine = {"repository": repository, "commit": commit}
        with self._changing() as c:
            found = c.execute(
                text(
                    "SELECT path FROM search_documents"
                    " WHERE repository = :repository AND prepared = :commit"
                ),
                mine,
            )
            paths = list(found.scalars())
            _remove(c, repository, paths, "" if landed else commit)
            c.execute(
                text(
                    "UPDATE search_documents SET prepared = ''"
                    " WHERE repository = :repository AND prepared = :commit"
                ),
                mine,
            )

    def give(self, model: str, vectors: Mapping[int, bytes]) -> None:
        with self._changing() as c:
            c.execute(
                text("UPDATE search_passages SET model = :model, vector = :data WHERE id = :id"),
                [{"model": model, "data": data, "id": each} for each, data in vectors.items()],
            )

    def drop(self, repository: int) -> None:
        mine = {"repository": repository}
        with self._changing() as c:
            c.execute(text("DELETE FROM search_documents WHERE repository = :repository"), mine)
            c.execute(text("DELETE FROM search_repositories WHERE id = :repository"), mine)

    # questions

    def generation(self) -> str:
        with self._reading() as c:
            return str(c.execute(text("SELECT id FROM search_generation")).scalar_one())

    def blobs(self, repository: int) -> Mapping[str, str]:
        with self._reading() as c:
            rows = c.execute(
                text(
                    "SELECT path, blob FROM search_documents"
                    " WHERE repository = :repository AND prepared = ''"
                ),
                {"repository": repository},
            )
            return {row.path: row.blob for row in rows}

    def matches(
        self, terms: Sequence[str], repositories: Collection[int], limit: int
    ) -> Sequence[Match]:
        with self._reading() as c:
            pages, average = c.execute(
                text("SELECT count(*), coalesce(avg(length), 1) FROM search_documents")
            ).one()
            counts = c.execute(
                text(
                    "SELECT q.term, (SELECT count(*) FROM search_documents AS d"
                    " WHERE d.terms @> ARRAY[q.term])"
                    " FROM unnest(CAST(:terms AS TEXT[])) AS q (term)"
                ),
                {"terms": list(terms)},
            )
            idfs = {
                term: math.log(1 + (pages - count + 0.5) / (count + 0.5)) for term, count in counts
            }
            rows = c.execute(
                text(_MATCHES),
                {
                    "terms": list(idfs),
                    "idfs": list(idfs.values()),
                    "average": max(float(average), 1.0),
                    "repositories": list(repositories),
                    "limit": limit,
                },
            )
            return [Match(number, float(score)) for number, score in rows]

    def under(self, repository: int, commit: str, term: str) -> bool:
        with self._reading() as c:
            found = c.execute(
                text(
                    "SELECT 1 FROM search_documents WHERE repository = :repository"
                    " AND commit_id = :commit AND terms @> ARRAY[:term] LIMIT 1"
                ),
                {"repository": repository, "commit": commit, "term": term},
            )
            return found.first() is not None

    def pages(self, ids: Collection[int]) -> Mapping[int, Page]:
        with self._reading() as c:
            parts: dict[int, list[Passage]] = {}
            for document, heading, words in c.execute(
                text(
                    "SELECT document, heading, text FROM search_passages"
                    " WHERE document = ANY (:ids) ORDER BY id"
                ),
                {"ids": list(ids)},
            ):
                parts.setdefault(document, []).append(Passage(heading, words))
            rows = c.execute(
                text(
                    "SELECT id, repository, path, commit_id, kind, title, retired"
                    " FROM search_documents WHERE prepared = '' AND id = ANY (:ids)"
                ),
                {"ids": list(ids)},
            )
            return {
                number: Page(
                    number,
                    repository,
                    path,
                    commit,
                    Kind(kind),
                    title,
                    retired,
                    tuple(parts.get(number, ())),
                )
                for number, repository, path, commit, kind, title, retired in rows
            }

    def vector_ids(self, model: str) -> Sequence[tuple[int, int, int]]:
        with self._reading() as c:
            rows = c.execute(
                text(
                    "SELECT p.id, d.id, d.repository FROM search_passages AS p"
                    " JOIN search_documents AS d ON d.id = p.document"
                    " WHERE d.prepared = '' AND p.model = :model AND p.vector IS NOT NULL"
                    " ORDER BY p.id"
                ),
                {"model": model},
            )
            return [(passage, document, repository) for passage, document, repository in rows]

    def vectors(self, ids: Collection[int]) -> Mapping[int, bytes]:
        with self._reading() as c:
            rows = c.execute(
                text("SELECT id, vector FROM search_passages WHERE id = ANY (:ids)"),
                {"ids": list(ids)},
            )
            return {number: bytes(data) for number, data in rows}

    def lacking(self, model: str, limit: int) -> Sequence[tuple[int, str, Passage]]:
        with self._reading() as c:
            rows = c.execute(
                text(
                    "SELECT p.id, d.title, p.heading, p.text FROM search_passages AS p"
                    " JOIN search_documents AS d ON d.id = p.document"
                    " WHERE p.model <> :model OR p.vector IS NULL LIMIT :limit"
                ),
                {"model": model, "limit": limit},
            )
            return [(number, title, Passage(h, words)) for number, title, h, words in rows]

    def state(self, repository: int) -> State | None:
        with self._reading() as c:
            row = c.execute(
                text(
                    "SELECT (SELECT count(*) FROM search_documents"
                    " WHERE repository = :id AND prepared = ''), commit_id, committed_at,"
                    " indexed_at FROM search_repositories WHERE id = :id"
                ),
                {"id": repository},
            ).first()
        return None if row is None else State(*row)

    def indexed(self) -> frozenset[int]:
        with self._reading() as c:
            return frozenset(c.execute(text("SELECT id FROM search_repositories")).scalars())

    def prepared(self, repository: int) -> tuple[str, ...]:
        with self._reading() as c:
            rows = c.execute(
                text(
                    "SELECT prepared FROM search_documents WHERE repository = :repository"
                    " AND prepared <> '' GROUP BY prepared ORDER BY min(id)"
                ),
                {"repository": repository},
            )
            return tuple(rows.scalars())

    def close(self) -> None:
        """The engine is another's."""

    # the database

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        with self._tables.transaction() as c:
            yield c
            c.execute(text("UPDATE search_generation SET id = :id"), {"id": secrets.token_hex(8)})

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._tables.transaction() as c:
            yield c


def _remove(c: Connection, repository: int, paths: Collection[str], prepared: str) -> None:
    c.execute(
        text(
            "DELETE FROM search_documents WHERE repository = :repository"
            " AND prepared = :prepared AND path = ANY (:paths)"
        ),
        {"repository": repository, "prepared": prepared, "paths": [_clean(p) for p in paths]},
    )


def _clean(words: str) -> str:
    """Without what PostgreSQL cannot keep in a text."""
    return words.replace("\0", "").encode("utf-8", "replace").decode()
