"""A capture proves itself in an index that is in PostgreSQL as it does in a file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from bot.bench.saved import Home, home
from bot.database import connect
from bot.notes.capture import Capture, State, Step
from bot.notes.draft import Given
from bot.search.index import SearchIndex
from bot.search.postgres import PostgresTables
from bot.work.capturing import Capturing, checked
from tests.search.conftest import MODEL, ONE

NOW = datetime(2026, 11, 5, 12, tzinfo=UTC)


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    made = connect(postgres_url)
    yield made
    made.dispose()


@pytest.fixture
def there(tmp_path: Path) -> Home:
    return home(tmp_path)


def capture(there: Home, index: SearchIndex, word: str) -> Capture:
    note = checked(Given(f"The {word} gateway listens on 8443.\n", "reference", word), NOW)
    assert not isinstance(note, Capture)
    with there.branch() as branch:
        return Capturing(note, branch, branch.head, index, ONE, NOW).capture()


def commits(there: Home) -> int:
    with there.branch() as branch:
        head = branch.head()
        return len(branch.clone.history(head or "", ".agent-corp/notes", limit=10))


def test_what_was_captured_is_found_by_another_session(there: Home, engine: Engine) -> None:
    said = capture(there, SearchIndex(PostgresTables(engine), MODEL, lambda: NOW), "quokka")
    assert said.state is State.CAPTURED
    other = SearchIndex(PostgresTables(engine), MODEL, lambda: NOW)
    assert [hit.path for hit in other.search("quokka", frozenset([ONE])).hits] == [said.path]
    assert other.prepared(ONE) == ()


def test_tables_that_were_dropped_are_filled_before_anything_is_saved(
    there: Home, engine: Engine
) -> None:
    index = SearchIndex(PostgresTables(engine), MODEL, lambda: NOW)
    first = capture(there, index, "quokka")
    with engine.begin() as c:
        c.execute(text("DROP TABLE search_passages, search_documents, search_repositories"))
    assert capture(there, index, "zebrafinch").state is State.CAPTURED
    assert index.search("quokka", frozenset([ONE])).hits[0].path == first.path


def test_a_database_that_takes_no_page_saves_nothing(there: Home, engine: Engine) -> None:
    index = SearchIndex(PostgresTables(engine), MODEL, lambda: NOW)
    assert index.state(ONE) is None
    with engine.begin() as c:
        c.execute(text("ALTER TABLE search_documents ADD CHECK (prepared = '')"))
    said = capture(there, index, "quokka")
    assert (said.state, said.step) == (State.NOT_SAVED, Step.INDEX)
    assert commits(there) == 0
