"""A file that is damaged while it is used is noticed, and is an empty one afterwards."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bot.errors import Fault
from bot.search.index import SearchIndex
from bot.search.model import Finding, Lost
from bot.search.sqlite import SqliteTables
from tests.search.conftest import FIRST, MODEL, NOW, ONE, page


@pytest.fixture
def index(file: Path) -> SearchIndex:
    return SearchIndex(SqliteTables(file), MODEL, lambda: NOW)


def fill(index: SearchIndex) -> None:
    pages = [page(f"{number}.md", f"Idle socket {number}. " * 40) for number in range(200)]
    index.put(ONE, FIRST, NOW, pages)
    assert index.search("socket", frozenset([ONE])).finding is Finding.FOUND


def cut(file: Path, size: int) -> None:
    file.write_bytes(file.read_bytes()[:size])


def overwrite(file: Path) -> None:
    file.write_bytes(b"\xaa" * file.stat().st_size)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "emptied": lambda file: cut(file, 0),
    "cut in its header": lambda file: cut(file, 50),
    "cut in half": lambda file: cut(file, file.stat().st_size // 2),
    "cut by a byte": lambda file: cut(file, file.stat().st_size - 1),
    "overwritten": overwrite,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_lost_aloud_and_filled_anew(
    file: Path, index: SearchIndex, damage: str
) -> None:
    fill(index)
    DAMAGES[damage](file)
    with pytest.raises(Lost):
        index.search("socket", frozenset([ONE]))
    assert index.search("socket", frozenset([ONE])).unindexed == {ONE}
    fill(index)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_found_damaged_at_the_start_is_no_answer_either(file: Path, damage: str) -> None:
    fill(SearchIndex(SqliteTables(file), MODEL, lambda: NOW))
    DAMAGES[damage](file)
    answer = SearchIndex(SqliteTables(file), MODEL, lambda: NOW).search("socket", frozenset([ONE]))
    assert answer.finding is Finding.UNTOLD
    assert answer.unindexed == {ONE}


def test_a_deleted_file_is_no_empty_answer(file: Path, index: SearchIndex) -> None:
    fill(index)
    file.unlink()
    answer = index.search("socket", frozenset([ONE]))
    assert answer.finding is Finding.UNTOLD
    assert answer.unindexed == {ONE}
    fill(index)


def test_a_deleted_folder_is_no_empty_answer(file: Path, index: SearchIndex) -> None:
    fill(index)
    shutil.rmtree(file.parent)
    assert index.search("socket", frozenset([ONE])).unindexed == {ONE}


def test_a_file_of_another_version_is_made_anew(file: Path) -> None:
    with closing(sqlite3.connect(file)) as c:
        c.execute("CREATE TABLE documents (id)")
        c.execute("PRAGMA user_version = 99")
    fill(SearchIndex(SqliteTables(file), MODEL, lambda: NOW))


def test_a_busy_file_is_a_fault_and_not_lost(
    file: Path, index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(index)
    monkeypatch.setattr("bot.search.sqlite_file.BUSY_SECONDS", 0.0)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Fault) as fault:
            index.search("socket", frozenset([ONE]))
        assert not isinstance(fault.value, Lost)
        other.execute("ROLLBACK")
    assert index.search("socket", frozenset([ONE])).hits


def test_what_the_tables_refuse_costs_no_other_page(file: Path, index: SearchIndex) -> None:
    fill(index)
    with pytest.raises(Fault) as fault, SqliteTables(file).transaction(writes=True) as t:
        t.run("UPDATE search_documents SET path = :path", [{"path": "one and the same"}])
    assert not isinstance(fault.value, Lost)
    assert index.search("socket", frozenset([ONE])).hits


def test_two_indexes_share_one_file(file: Path, index: SearchIndex) -> None:
    other = SearchIndex(SqliteTables(file), MODEL, lambda: NOW)
    fill(index)
    assert other.search("socket", frozenset([ONE])).hits
    other.put(ONE, FIRST, NOW, [page("new.md", "Volcano.")])
    assert [hit.path for hit in index.search("volcano", frozenset([ONE])).hits] == ["new.md"]
