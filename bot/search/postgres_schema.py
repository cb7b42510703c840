"""The tables in PostgreSQL themselves: made where they are missing, `Lost` where they were dropped.

Knows nothing of what is asked of them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError, ProgrammingError

from bot.errors import Fault
from bot.search.model import Lost

log = logging.getLogger(__name__)

log = logging.getLogger(__name__)

_LOCK = 0x5EA2C  # any constant: two processes that start together make the tables one by one
_SCHEMA = """
CREATE TABLE IF NOT EXISTS search_documents (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repository BIGINT NOT NULL,
    path TEXT NOT NULL,
    prepared TEXT NOT NULL,  -- the commit that is not on the branch yet, otherwise empty
    commit_id TEXT NOT NULL,
    blob TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    retired BOOLEAN NOT NULL,
    length INTEGER NOT NULL,  -- of all its terms
    terms TEXT[] NOT NULL,  -- each once, those of title and path included
    title_terms TEXT[] NOT NULL,
    path_terms TEXT[] NOT NULL,
    UNIQUE (repository, path, prepared)
);
CREATE INDEX IF NOT EXISTS search_documents_terms ON search_documents USING gin (terms);
CREATE TABLE IF NOT EXISTS search_passages (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document BIGINT NOT NULL REFERENCES search_documents ON DELETE CASCADE,
    heading TEXT NOT NULL,
    text TEXT NOT NULL,
    model TEXT NOT NULL,
    vector BYTEA
);
CREATE INDEX IF NOT EXISTS search_passages_of ON search_passages (document);
CREATE TABLE IF NOT EXISTS search_repositories (
    id BIGINT PRIMARY KEY,
    commit_id TEXT NOT NULL,
    committed_at TIMESTAMPTZ NOT NULL,
    indexed_at TIMESTAMPTZ NOT NULL
);
CREATE TABLE IF NOT EXISTS search_generation (id TEXT NOT NULL);
INSERT INTO search_generation SELECT 'empty' WHERE NOT EXISTS (SELECT FROM search_generation);
"""
# What the extension adds. Its type takes any number of dimensions, whatever the model has. In its
# row and not beside it, an embedding is compared in less than half of the time.
_HAS_EMBEDDINGS = """
SELECT 1 FROM pg_attribute WHERE attrelid = 'search_passages'::regclass AND attname = 'embedding'
"""
_EMBEDDINGS = (
    "CREATE EXTENSION IF NOT EXISTS vector",
    "ALTER TABLE search_passages ADD COLUMN embedding vector",
    "ALTER TABLE search_passages ALTER COLUMN embedding SET STORAGE PLAIN",
    "ALTER TABLE search_passages ALTER COLUMN vector SET STORAGE EXTERNAL",
)


class Schema:
    """To be shared between threads and processes.

    `embeds`: the database has the extension `vector`, so that passages have a column `embedding`.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._made = False
        self.embeds = False

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """On tables that are there. Raises Lost and Fault."""
        try:
            self._demand_tables()
            with self._engine.begin() as c:
                yield c
        except ProgrammingError as error:  # a table is not there any more
            self._made = False
            self._demand_tables()
            raise Lost(f"the search index was lost: {type(error.orig).__name__}") from error
        except DBAPIError as error:
            reason = type(error.orig).__name__
            raise Fault(f"the search index cannot be used now: {reason}") from error

    def _demand_tables(self) -> None:
        with self._lock:
            if self._made:
                return
            with self._engine.begin() as c:
                c.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
                for statement in filter(str.strip, _SCHEMA.split(";\n")):
                    c.exec_driver_sql(statement)
                self.embeds = _demand_embeddings(c)
            self._made = True


def _demand_embeddings(c: Connection) -> bool:
    """Whether there are embeddings now. Who may not add the extension goes on without."""
    available = "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"
    if c.exec_driver_sql(available).first() is None:
        return False
    try:
        with c.begin_nested():
            for statement in _EMBEDDINGS:
                c.exec_driver_sql(statement)
    except DBAPIError as error:
        reason = type(error.orig).__name__
        log.warning("meanings are compared in memory, without the extension: %s", reason)
        return False
    return True
