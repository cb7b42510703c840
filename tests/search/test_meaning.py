"""The meaning half: pages without a word of the question; and what is said without a model."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import numpy as np
import psutil
import pytest

from bot.errors import Fault
from bot.search.index import SearchIndex
from bot.search.meaning import WordLlama
from bot.search.model import Finding
from bot.search.sqlite import SqliteTables
from tests.queues import PATIENCE, wait_until
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

    def vectors(self, texts: Sequence[str]) -> Sequence[bytes]:
        self.check()
        return MODEL.vectors(texts)

    def check(self) -> None:
        if not self.well:
            raise Fault("there is no model of meanings: not installed", retry=False)

    def close(self) -> None:
        """Nothing is held."""


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


@pytest.fixture
def fleeting() -> Iterator[WordLlama]:
    """Dropped as soon as nobody asks."""
    model = WordLlama(kept=timedelta(0))
    yield model
    model.close()


def test_the_model_is_dropped_when_nobody_asks_and_comes_back(fleeting: WordLlama) -> None:
    first = fleeting.vectors(["a dog"])
    wait_until(lambda: not fleeting.is_loaded)
    with ThreadPoolExecutor(2) as threads:
        again = list(threads.map(fleeting.vectors, [["a dog"]] * 2))
    assert again == [first, first]


def _processes() -> list[psutil.Process]:
    mine = psutil.Process().children()
    return [each for each in mine if "bot.search.vectors" in each.cmdline()]


def test_a_model_that_hangs_is_ended_and_another_answers() -> None:
    others = _processes()
    model = WordLlama(patience=timedelta(seconds=10))  # a start on a busy machine takes some
    first = model.vectors(["a dog"])
    (process,) = (each for each in _processes() if each not in others)
    process.suspend()
    with ThreadPoolExecutor(1) as threads:
        again = threads.submit(model.vectors, ["a dog"])
        try:
            assert again.result(PATIENCE) == [*first]
            assert not process.is_running()
        finally:
            with suppress(psutil.NoSuchProcess):
                process.kill()
    model.close()


def test_it_says_nothing_where_whoever_asked_was_killed(tmp_path: Path) -> None:
    said = tmp_path / "said"
    command = [sys.executable, "-m", "bot.search.vectors", "wordllama", "30"]
    with said.open("wb") as errors:
        model = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        )
    assert model.stdin is not None
    assert model.stdout is not None
    model.stdout.close()
    model.communicate(b'["a dog"]\n', timeout=PATIENCE)
    assert (model.returncode, said.read_text()) == (0, "")


def test_a_package_that_is_not_there_is_a_fault() -> None:
    absent = WordLlama("no_such_package")
    for ask in (lambda: absent.vectors(["a"]), lambda: absent.vectors(["a"]), absent.check):
        with pytest.raises(Fault, match="no model of meanings: the package no_such_package is not"):
            ask()
    assert not absent.is_loaded


def test_the_vectors_are_those_of_the_package() -> None:
    import wordllama

    texts = ["a dog", "Wait for CI.", "naïve ☃ 語", "x" * 10_000, "hello " * 500]
    package = wordllama.WordLlama.load(
        cache_dir=Path(wordllama.__file__).parent, disable_download=True
    )
    expected = package.embed([text.casefold() for text in texts], norm=True)
    made = [np.frombuffer(each, "<f4") for each in MODEL.vectors(texts)]
    np.testing.assert_allclose(made, expected, atol=1e-6)


def test_every_vector_has_length_one_or_none() -> None:
    made = MODEL.vectors(["a dog", "", " ", "語", "x" * 10_000])
    lengths = np.linalg.norm([np.frombuffer(each, "<f4") for each in made], axis=1)
    assert all(length == pytest.approx(1, abs=1e-5) or length == 0 for length in lengths)
