"""An index of pages at hand, in a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.database import connect
from bot.search.index import SearchIndex
from bot.search.meaning import SHIPPED
from bot.search.model import Document, Kind
from bot.search.postgres import PostgresTables
from bot.search.sqlite import SqliteTables

NOW = datetime(2026, 11, 5, 12, tzinfo=UTC)
ONE, OTHER = 11, 22  # repositories
MODEL = SHIPPED
FIRST, SECOND = "a" * 40, "b" * 40  # commits


def page(path: str, text: str, title: str = "", *, retired: bool = False) -> Document:
    blob = f"{hash((text, title, retired)):x}"
    return Document(path, blob, Kind.REFERENCE, title, text, retired)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "search.sqlite"


@pytest.fixture(params=["sqlite", "postgresql"])
def index(request: pytest.FixtureRequest) -> Iterator[SearchIndex]:
    """In each kind of database in turn: what holds for one holds for the other."""
    if request.param == "sqlite":
        shelf = SqliteTables(request.getfixturevalue("file"))
        yield SearchIndex(shelf, MODEL, lambda: NOW)
        shelf.close()
        return
    engine = connect(request.getfixturevalue("postgres_url"))
    yield SearchIndex(PostgresTables(engine), MODEL, lambda: NOW)
    engine.dispose()


@pytest.fixture
def found(index: SearchIndex) -> Callable[[str], list[str]]:
    """The paths of what a question finds in the first repository, by its words."""

    def ask(query: str) -> list[str]:
        answer = index.search(query, frozenset([ONE]))
        return [hit.path for hit in answer.hits if hit.exact is not None]

    return ask
