"""The meaning half: pages without a word of the question; and what is said without a model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from bot.errors import Fault
from bot.search.index import SearchIndex
from bot.search.meaning import Matrix, WordLlama
from bot.search.model import Finding
from bot.search.sqlite import SqliteTables
from tests.search.conftest import FIRST, MODEL, NOW, ONE, OTHER, SECOND, page

PAGES = [
    page("money.md", "Invoices are sent to customers every month.", "Billing"),
    page("dog.md", "Our puppy sleeps in the kitchen.", "Pets"),
    page("disk.md", "The drive is full, so nothing can be stored any more.", "Storage"),
]


class Broken:
    """A model that is not there until it is repaired."""

    model = MODEL.model
    well = False

    def vectors(self, texts: Sequence[str]) -> Matrix:
        if not self.well:
            raise Fault("there is no model of meanings: not installed", retry=False)
        return MODEL.vectors(texts)


def test_a_page_is_found_by_its_meaning(index: SearchIndex) -> None:
    index.put(ONE, FIRST, NOW, PAGES)
    answer = index.search("where does the dog rest at night", frozenset([ONE]))
    assert answer.meaning.ok
    assert [hit.path for hit in answer.hits if hit.meaning == 1] == ["dog.md"]


def test_of_a_long_page_the_nearest_passage_counts(index: SearchIndex) -> None:
    filler = "\n\n".join(f"## Part {n}\n\nThe quarterly tax report, part {n}." for n in range(30))
    long = page(
        "long.md", f"{filler}\n\n## Animals\n\nOur puppy sleeps in the kitchen.", "Handbook"
    )
    index.put(ONE, FIRST, NOW, [*PAGES[:1], long])
    hit = index.search("where does the dog rest at night", frozenset([ONE])).hits[0]
    assert hit.path == "long.md"
    assert hit.excerpt == "Our puppy sleeps in the kitchen."


def test_changed_pages_are_near_by_what_they_mean_now(index: SearchIndex) -> None:
    index.put(ONE, FIRST, NOW, PAGES)
    index.search("dog", frozenset([ONE]))
    index.put(ONE, SECOND, NOW, [page("money.md", "Our puppy sleeps here.", "Dogs")], ["dog.md"])
    answer = index.search("where does the dog rest", frozenset([ONE]))
    assert answer.hits[0].path == "money.md"
    assert "dog.md" not in [hit.path for hit in answer.hits]


def test_prepared_pages_are_near_only_once_they_landed(index: SearchIndex) -> None:
    index.put(ONE, FIRST, NOW, PAGES[:1])
    index.prepare(ONE, SECOND, [PAGES[1]])
    assert "dog.md" not in [
        h.path for h in index.search("where a dog rests", frozenset([ONE])).hits
    ]
    index.settle(ONE, SECOND, landed=True)
    assert "dog.md" in [h.path for h in index.search("where a dog rests", frozenset([ONE])).hits]


def test_only_the_repositories_asked_for_are_near(index: SearchIndex) -> None:
    index.put(ONE, FIRST, NOW, PAGES[:1])
    index.put(OTHER, FIRST, NOW, PAGES[1:])
    hits = index.search("where does the dog rest", frozenset([ONE])).hits
    assert {hit.repository for hit in hits} <= {ONE}


def test_without_a_model_the_half_says_so_and_the_words_still_answer(file: Path) -> None:
    index = SearchIndex(SqliteTables(file), Broken(), lambda: NOW)
    index.put(ONE, FIRST, NOW, PAGES)
    answer = index.search("puppy", frozenset([ONE]))
    assert [hit.path for hit in answer.hits] == ["dog.md"]
    assert answer.exact.ok
    assert answer.meaning.reason == "there is no model of meanings: not installed"


def test_without_a_model_nothing_found_is_not_nothing_known(file: Path) -> None:
    index = SearchIndex(SqliteTables(file), Broken(), lambda: NOW)
    index.put(ONE, FIRST, NOW, PAGES)
    assert index.search("volcano", frozenset([ONE])).finding is Finding.UNTOLD


def test_missing_vectors_are_made_once_there_is_a_model(file: Path) -> None:
    model = Broken()
    index = SearchIndex(SqliteTables(file), model, lambda: NOW)
    index.put(ONE, FIRST, NOW, PAGES)
    model.well = True
    answer = index.search("where does the dog rest at night", frozenset([ONE]))
    assert answer.meaning.ok
    assert [hit.path for hit in answer.hits if hit.meaning == 1] == ["dog.md"]


def test_a_package_that_is_not_there_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    for _ in range(2):
        with pytest.raises(Fault, match="no model of meanings"):
            WordLlama().vectors(["a"])


def test_every_vector_has_length_one_or_none() -> None:
    rows = MODEL.vectors(["a dog", "", " ", "語", "x" * 10_000])
    lengths = np.linalg.norm(rows, axis=1)
    assert all(length == pytest.approx(1, abs=1e-5) or length == 0 for length in lengths)
