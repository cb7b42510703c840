"""The index: two halves over one shelf, fused. Says how each half went, and what an answer means.

Knows no git: who has the clones fills it, and fills it again when it says `Lost`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from bot.errors import Fault
from bot.search.fusion import fused
from bot.search.meaning import Embedder
from bot.search.model import Answer, Document, Finding, Half, Hit, Lost, State, asked
from bot.search.nearest import Nearest
from bot.search.passages import Passage, passages
from bot.search.shelf import Change, Entry, Page, Shelf
from bot.search.words import query_terms

log = logging.getLogger(__name__)

DEPTH = 50  # pages of each half that are fused; deeper ones move nothing among the first five
LIMIT = 5
MOST = 50  # hits of one answer
EXCERPT = 300  # characters
COVERAGE = 0.5  # of a question's terms on one page: less is a word in common, not an answer


class SearchIndex:
    """To be shared between threads."""

    def __init__(self, shelf: Shelf, embedder: Embedder, now: Callable[[], datetime]) -> None:
        self._shelf = shelf
        self._nearest = Nearest(shelf, embedder)
        self._now = now

    def blobs(self, repository: int) -> Mapping[str, str]:
        return self._shelf.blobs(repository)

    def put(
        self,
        repository: int,
        commit: str,
        committed_at: datetime,
        documents: Iterable[Document],
        gone: Collection[str] = (),
    ) -> None:
        there = self._shelf.blobs(repository)
        new = [page for page in documents if there.get(page.path) != page.blob]
        self._keep(repository, commit, committed_at, new, gone)

    def prepare(self, repository: int, commit: str, documents: Iterable[Document]) -> None:
        self._keep(repository, commit, self._now(), list(documents), (), prepared=True)

    def settle(self, repository: int, commit: str, *, landed: bool) -> None:
        self._shelf.settle(repository, commit, landed=landed)

    def holds(self, repository: int, marker: str, commit: str) -> bool:
        return self._shelf.under(repository, commit, marker.casefold())

    def search(self, query: str, repositories: frozenset[int], limit: int = LIMIT) -> Answer:
        started = time.perf_counter()
        text = asked(query)
        unindexed = repositories - self._shelf.indexed()
        wanted = query_terms(text)
        exact_half, exact = self._exact(wanted, repositories)
        meaning_half, cosines = self._meaning(text, repositories)
        near = [number for number, _ in cosines]
        ranking = fused(exact, near)[: max(1, min(limit, MOST))]
        found = self._shelf.pages([number for number, _ in ranking])
        pages = [(found[number], score) for number, score in ranking if number in found]
        hits = tuple(
            _hit(page, score, wanted, _rank(page.id, exact), _rank(page.id, near))
            for page, score in pages
        )
        whole = exact_half.ok and meaning_half.ok and not unindexed
        finding = self._finding([page.id for page, _ in pages], wanted, whole=whole)
        return Answer(
            hits if finding is not Finding.NOTHING else (),
            finding,
            exact_half,
            meaning_half,
            took=timedelta(seconds=time.perf_counter() - started),
            unindexed=unindexed,
        )

    def state(self, repository: int) -> State | None:
        return self._shelf.state(repository)

    def prepared(self, repository: int) -> tuple[str, ...]:
        return self._shelf.prepared(repository)

    def drop(self, repository: int) -> None:
        self._shelf.drop(repository)

    def _keep(
        self,
        repository: int,
        commit: str,
        committed_at: datetime,
        documents: Sequence[Document],
        gone: Collection[str],
        *,
        prepared: bool = False,
    ) -> None:
        entries = [self._entry(page) for page in documents]
        self._shelf.keep(
            Change(repository, commit, entries, gone, prepared, committed_at, self._now())
        )

    def _entry(self, page: Document) -> Entry:
        parts = passages(page.text)
        try:
            return Entry(page, parts, self._nearest.data(page.title, parts), self._nearest.model)
        except Fault as fault:  # the vectors are made once there is a model again
            log.warning("%s", fault)
            return Entry(page, parts, None, "")

    def _exact(
        self, wanted: Sequence[str], repositories: frozenset[int]
    ) -> tuple[Half, Sequence[int]]:
        if not wanted:
            return Half(), ()
        try:
            matches = self._shelf.matches(wanted, repositories, DEPTH)
        except Lost:
            raise
        except Fault as fault:
            log.warning("the exact half of a search failed: %s", fault)
            return Half(str(fault)), ()
        return Half(), [match.document for match in matches]

    def _meaning(
        self, text: str, repositories: frozenset[int]
    ) -> tuple[Half, Sequence[tuple[int, float]]]:
        try:
            return Half(), self._nearest.find(text, repositories, DEPTH)
        except Lost:
            raise
        except Fault as fault:
            log.warning("the meaning half of a search failed: %s", fault)
            return Half(str(fault)), ()

    def _finding(self, pages: Collection[int], wanted: Sequence[str], *, whole: bool) -> Finding:
        held = self._shelf.holding(wanted, pages)
        if any(count >= COVERAGE * len(wanted) for count in held.values()):
            return Finding.FOUND
        if pages:
            return Finding.OTHER_WORDS
        return Finding.NOTHING if whole else Finding.UNTOLD


def _rank(number: int, ranking: Sequence[int]) -> int | None:
    return ranking.index(number) + 1 if number in ranking else None


def _hit(
    page: Page, score: float, wanted: Collection[str], exact: int | None, meaning: int | None
) -> Hit:
    return Hit(
        page.repository,
        page.path,
        page.commit,
        page.kind,
        page.title,
        _excerpt(page.passages, wanted),
        page.retired,
        score,
        exact,
        meaning,
    )


def _excerpt(parts: Sequence[Passage], wanted: Collection[str]) -> str:
    """The passage with the most of the terms, the first of equals, cut at a word."""

    def held(part: Passage) -> int:
        text = part.text.casefold()
        return sum(term.rstrip("i") in text for term in wanted)  # a stem: "polici" of "policy"

    best = max(parts, key=held)
    text = best.text or best.heading
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT].rsplit(' ', 1)[0]} …"
