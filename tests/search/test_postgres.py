"""Tables that are dropped while they serve are noticed, and are empty ones afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, text

from bot.database import connect
from bot.search.index import SearchIndex
from bot.search.model import Finding, Lost
from bot.search.postgres import PostgresTables
from tests.search.conftest import FIRST, MODEL, NOW, ONE, page


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
