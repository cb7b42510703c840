"""A file as a page of the index."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.git.local import open_target
from bot.notes.folder import read_folder
from bot.search.index import SearchIndex
from bot.search.meaning import SHIPPED
from bot.search.model import Kind
from bot.search.sqlite import SqliteTables
from bot.settings import Settings
from bot.work.looked_up import Brought, bring_up, page_of
from tests.git.conftest import git

NOW = datetime(2026, 11, 2, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Ports\n\n8443.\n", "Ports"),
        ("Before.\n\n## Ports ##\n", "Ports"),
        ("# Calls from C#\r\n\r\nNone.\r\n", "Calls from C#"),
        ("---\nlayout: page\n# of the site\n---\n\n# Ports\n", "Ports"),
        ("### Too deep\n", "api ports"),
        ("", "api ports"),
    ],
)
def test_a_document_is_called_after_its_first_heading_or_its_file(text: str, title: str) -> None:
    assert page_of("docs/api-ports.md", text.encode(), "b").title == title


@pytest.mark.parametrize("piece", ["#", " ", " #", "\t", "# "])
def test_hostile_repetition_comes_to_an_end(piece: str) -> None:
    line = f"# a{piece * (500_000 // len(piece))}x"
    assert page_of("docs/a.md", line.encode(), "b").title == line.removeprefix("# ")


def test_a_note_whose_name_is_no_utf8_is_a_page_that_people_are_told_of() -> None:
    path, data = os.fsdecode(b".agent-corp/notes/caf\xe9.md"), b"---\nkind: reference\n---\n# Tea\n"
    page = page_of(path, data, "b")
    assert (page.kind, page.title) == (Kind.DOCUMENT, "Tea")
    (problem,) = read_folder({path: data}).problems
    assert str(problem).startswith(r".agent-corp/notes/caf\udce9.md: Its name is not UTF-8.")


def test_a_page_whose_name_is_no_utf8_is_found_like_any_other(tmp_path: Path) -> None:
    index = SearchIndex(SqliteTables(tmp_path / "search.sqlite"), SHIPPED, lambda: NOW)
    page = page_of(os.fsdecode(b"docs/caf\xe9.md"), b"# Zanzibar\n", "b")
    index.put(11, "a" * 40, NOW, [page])
    (hit,) = index.search("Zanzibar", frozenset({11})).hits
    assert hit.path == r"docs/caf\udce9.md"


def test_files_whose_names_are_no_utf8_hold_no_other_back(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "docs").mkdir(parents=True)
    git(tree, "init", "--quiet")
    for name in (b"caf\xe9", b"caf\xe8"):
        Path(os.fsdecode(b"%s/docs/%s.md" % (os.fsencode(tree), name))).write_text("# Zanzibar\n")
    (tree / "docs/tea.md").write_text("# Ceylon\n")
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "-m", "Add documents")
    index = SearchIndex(SqliteTables(tmp_path / "search.sqlite"), SHIPPED, lambda: NOW)
    with open_target(str(tree), ("Ada", "ada@example.com")) as target:
        arguments = 11, target.clone, target.head() or "", Settings(), NOW.date()
        bring_up(index, *arguments)
        assert bring_up(index, *arguments) == Brought(0, 0)
    (hit, *_) = index.search("Ceylon", frozenset({11})).hits
    assert hit.path == "docs/tea.md"
    found = {hit.path for hit in index.search("Zanzibar", frozenset({11})).hits if hit.exact}
    assert found == {r"docs/caf\udce8.md", r"docs/caf\udce9.md"}
