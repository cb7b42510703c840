"""The tables of a shelf in PostgreSQL: terms are arrays under a GIN index, ranked as FTS5 ranks.

Where the database has the extension `vector` it compares the meanings too.
"""

from __future__ import annotations

import functools
import math
import re
import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, TextClause, text

from bot.search.model import Document
from bot.search.postgres_schema import Schema
from bot.search.tables import Match, Near, Row, Values
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

# Vectors have length 1, so that the inner product is the cosine; `<#>` is its negative. Every one
# is compared: an approximate index would lose pages as soon as repositories are left out.
_NEAREST = """
SELECT d.id, -(p.embedding <#> CAST(:question AS vector)) AS cosine,
    (SELECT count(*) FROM search_passages AS b WHERE b.document = d.id AND b.id < p.id) AS place
FROM search_passages AS p JOIN search_documents AS d ON d.id = p.document
WHERE d.prepared = '' AND d.repository = ANY (:repositories) AND p.model = :model
    AND p.embedding IS NOT NULL
ORDER BY cosine DESC, p.id LIMIT :limit
"""
_ADD = """
INSERT INTO search_passages (document, heading, text, model, vector)
VALUES (:document, :heading, :text, :model, :vector)
"""
_ADD_EMBEDDED = """
INSERT INTO search_passages (document, heading, text, model, vector, embedding)
VALUES (:document, :heading, :text, :model, :vector, CAST(:embedding AS vector))
"""
_GIVE = "UPDATE search_passages SET model = :model, vector = :vector WHERE id = :id"
_GIVE_EMBEDDED = """
UPDATE search_passages
SET model = :model, vector = :vector, embedding = CAST(:embedding AS vector) WHERE id = :id
"""
_LACKING = """
SELECT p.id, d.title, p.heading, p.text FROM search_passages AS p
JOIN search_documents AS d ON d.id = p.document
WHERE p.model <> :model OR p.vector IS NULL LIMIT :limit
"""
_LACKING_EMBEDDED = _LACKING.replace("OR p.vector", "OR p.embedding IS NULL OR p.vector")
_AMONG = re.compile(r"among\((:\w+)\)")


class PostgresTables:
    """To be shared between threads and processes. The engine is another's."""

    def __init__(self, engine: Engine) -> None:
        self._schema = Schema(engine)

    @contextmanager
    def transaction(self, *, writes: bool) -> Iterator[_Transaction]:
        with self._schema.transaction() as c:
            yield _Transaction(c, embeds=self._schema.embeds)

    def close(self) -> None:
        """Nothing is kept open."""


class _Transaction:
    """`embeds`: passages have a column of the extension's type."""

    def __init__(self, connection: Connection, *, embeds: bool) -> None:
        self._c = connection
        self._embeds = embeds

    def rows(self, sql: str, **values: object) -> Sequence[Row]:
        return [tuple(row) for row in self._c.execute(_own(sql), values)]

    def run(self, sql: str, many: Sequence[Values]) -> None:
        if many:
            self._c.execute(_own(sql), many)

    # changes

    def add(self, row: Values, page: Document) -> int:
        title, path = list(terms(page.title)), list(terms(page.path))
        stream = [*title, *path, *terms(page.text)]
        ((number,),) = self.rows(
            "INSERT INTO search_documents (repository, path, prepared, commit_id, blob, kind,"
            " title, retired, length, terms, title_terms, path_terms) VALUES (:repository, :path,"
            " :prepared, :commit, :blob, :kind, :title, :retired, :length, :terms, :title_terms,"
            " :path_terms) RETURNING id",
            **row,
            length=len(stream),
            terms=list(dict.fromkeys(stream)),
            title_terms=title,
            path_terms=path,
        )
        return int(number)

    def add_passages(self, rows: Sequence[Values]) -> None:
        if self._embeds:
            embedded = [{**row, "embedding": _embedding(row["vector"])} for row in rows]
            self.run(_ADD_EMBEDDED, embedded)
        else:
            self.run(_ADD, rows)

    def forget(self, documents: Sequence[int]) -> None:
        self.run("DELETE FROM search_documents WHERE id among(:ids)", [{"ids": [*documents]}])

    def give(self, model: str, vectors: Mapping[int, bytes]) -> None:
        rows = [
            {"id": each, "model": model, "vector": data, "embedding": _embedding(data)}
            for each, data in vectors.items()
        ]
        self.run(_GIVE_EMBEDDED if self._embeds else _GIVE, rows)

    # questions

    def lacking(self, model: str, limit: int) -> Sequence[Row]:
        return self.rows(_LACKING_EMBEDDED if self._embeds else _LACKING, model=model, limit=limit)

    def matches(
        self, terms: Sequence[str], repositories: Collection[int], limit: int
    ) -> Sequence[Match]:
        ((pages, average),) = self.rows(
            "SELECT count(*), coalesce(avg(length), 1) FROM search_documents"
        )
        counts = self.rows(
            "SELECT q.term, (SELECT count(*) FROM search_documents AS d"
            " WHERE d.terms @> ARRAY[q.term])"
            " FROM unnest(CAST(:terms AS TEXT[])) AS q (term)",
            terms=[*terms],
        )
        idfs = {term: math.log(1 + (pages - count + 0.5) / (count + 0.5)) for term, count in counts}
        rows = self.rows(
            _MATCHES,
            terms=list(idfs),
            idfs=list(idfs.values()),
            average=max(float(average), 1.0),
            repositories=[*repositories],
            limit=limit,
        )
        return [Match(number, float(score)) for number, score in rows]

    def under(self, repository: int, commit: str, term: str) -> bool:
        found = self.rows(
            "SELECT 1 FROM search_documents WHERE repository = :repository"
            " AND commit_id = :commit AND terms @> ARRAY[:term] LIMIT 1",
            repository=repository,
            commit=commit,
            term=term,
        )
        return bool(found)

    def nearest(
        self, model: str, question: bytes, repositories: Collection[int], limit: int
    ) -> Sequence[tuple[int, Near]] | None:
        if not self._embeds:
            return None
        rows = self.rows(
            _NEAREST,
            question=_embedding(question),
            repositories=[*repositories],
            model=model,
            limit=limit,
        )
        return [(number, Near(float(cosine), place)) for number, cosine, place in rows]


@functools.lru_cache
def _own(sql: str) -> TextClause:
    return text(_AMONG.sub(r"= ANY (\1)", sql))


def _embedding(vector: object) -> str | None:
    """Little-endian float32 as the extension reads them."""
    if not isinstance(vector, bytes):
        return None
    return str([number for (number,) in struct.iter_unpack("<f", vector)])
