"""The index: two halves over one shelf, fused. Says how each half went, and what an answer means.

Knows no git: who has the clones fills it, and fills it again when it says `Lost`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.errors import Fault
from bot.search.fusion import fused, reranked
from bot.search.meaning import Embedder
from bot.search.model import Answer, Document, Finding, Half, Hit, Lost, Rankings, State, asked
from bot.search.nearest import Nearest
from bot.search.passages import Passage, passages
from bot.search.shelf import Change, Entry, Page, Shelf
from bot.search.tables import Near, Tables
from bot.search.words import query_terms, terms

log = logging.getLogger(__name__)

DEPTH = 200  # pages of each half that are fused: a page should have its rank in both
LIMIT = 5
MOST = 50  # hits of one answer
EXCERPT = 300  # characters
# Of a question's terms on one page, and its cosine: measured on tests/field/search. Of 93 questions
# the right page holds a quarter of the terms or more for 52, and lies as near for 70. So may a page
# about something else: what is only near is named, not claimed.
MOST_WORDS = 0.5
SOME_WORDS = 0.25
NEAR = 0.2
ANY = "lesson"  # a word to look for: that it can be done is asked, not what it finds


class SearchIndex:
    """To be shared between threads."""

    def __init__(self, tables: Tables, embedder: Embedder, now: Callable[[], datetime]) -> None:
        self._shelf = Shelf(tables)
        self._nearest = Nearest(self._shelf, embedder)
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
        pages = list(documents)
        there = self._shelf.blobs(repository, [page.path for page in pages])
        new = [page for page in pages if there.get(page.path) != page.blob]
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
        wanted = query_terms(text)
        found = self._ranked(text, wanted, repositories)
        unindexed = repositories - self._shelf.indexed()
        first = found.order[: max(1, min(limit, MOST))]
        pages = self._shelf.pages([n for n, _ in first if found.concerns(n)])
        exact, meaning = _places(found.exact), _places(found.near)
        hits = [
            Hit(
                page.repository,
                page.path,
                page.commit,
                page.kind,
                page.title,
                _excerpt(page.passages, wanted, found.near.get(number)),
                page.retired,
                score,
                exact.get(number),
                meaning.get(number),
            )
            for number, score in first
            if (page := pages.get(number)) is not None
        ]
        whole = found.exact_half.ok and found.meaning_half.ok and not unindexed
        finding = _finding(pages.values(), wanted, found.near, whole=whole)
        return Answer(
            tuple(hits) if finding is not Finding.NOTHING else (),
            finding,
            found.exact_half,
            found.meaning_half,
            reranked=found.exact_half.ok and found.meaning_half.ok,
            took=timedelta(seconds=time.perf_counter() - started),
            unindexed=unindexed,
        )

    def rankings(self, query: str, repository: int) -> Rankings:
        """How each half and the whole rank the pages of one repository, to `DEPTH`."""
        text = asked(query)
        found = self._ranked(text, query_terms(text), frozenset([repository]))
        last = [number for number, _ in found.order]
        paths = {number: page.path for number, page in self._shelf.pages(last).items()}
        ways = (found.exact, found.near, found.fused, last)
        return Rankings(*([paths[number] for number in way] for way in ways))

    def check(self, repositories: frozenset[int]) -> tuple[Half, Half]:
        exact, _ = self._exact([ANY], repositories)
        try:
            self._nearest.check()
        except Fault as fault:
            return exact, Half(str(fault))
        return exact, Half()

    def state(self, repository: int) -> State | None:
        return self._shelf.state(repository)

    def prepared(self, repository: int) -> tuple[str, ...]:
        return self._shelf.prepared(repository)

    def drop(self, repository: int) -> None:
        self._shelf.drop(repository)

    def close(self) -> None:
        """Lets go of what is open; another call opens it again."""
        self._nearest.close()
        self._shelf.close()

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
        entries = [self._entry(page) for page in {page.path: page for page in documents}.values()]
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

    def _ranked(self, text: str, wanted: Sequence[str], repositories: frozenset[int]) -> _Ranked:
        exact_half, exact = self._exact(wanted, repositories)
        meaning_half, near = self._meaning(text, repositories)
        both = fused([*exact], [*near])
        cosines = {number: each.cosine for number, each in near.items()}
        order = reranked(both, exact, cosines)
        return _Ranked(exact_half, exact, meaning_half, near, both, order)

    def _exact(
        self, wanted: Sequence[str], repositories: frozenset[int]
    ) -> tuple[Half, Mapping[int, float]]:
        try:
            matches = self._shelf.matches(wanted, repositories, DEPTH) if wanted else ()
        except Lost:
            raise
        except Fault as fault:
            log.warning("the exact half of a search failed: %s", fault)
            return Half(str(fault)), {}
        return Half(), {match.document: match.score for match in matches}

    def _meaning(self, text: str, repositories: frozenset[int]) -> tuple[Half, Mapping[int, Near]]:
        try:
            return Half(), self._nearest.find(text, repositories, DEPTH)
        except Lost:
            raise
        except Fault as fault:
            log.warning("the meaning half of a search failed: %s", fault)
            return Half(str(fault)), {}


@dataclass(frozen=True, slots=True)
class _Ranked:
    """`exact` and `near` in the order of their half, `order` as it is answered."""

    exact_half: Half
    exact: Mapping[int, float]
    meaning_half: Half
    near: Mapping[int, Near]
    fused: Sequence[int]
    order: Sequence[tuple[int, float]]

    def concerns(self, page: int) -> bool:
        """Whether it has anything to do with the question; something is always the nearest."""
        return page in self.exact or _is_near(self.near.get(page))


def _is_near(near: Near | None) -> bool:
    return near is not None and near.cosine >= NEAR


def _places(ranking: Collection[int]) -> Mapping[int, int]:
    return {number: place for place, number in enumerate(ranking, 1)}


def _excerpt(parts: Sequence[Passage], wanted: Collection[str], near: Near | None) -> str:
    """The passage with the most of the terms, of equals the nearest or the first; cut at a word."""

    def held(place: int) -> tuple[int, bool]:
        text = parts[place].text.casefold()
        terms = sum(term.rstrip("i") in text for term in wanted)  # a stem: "polici" of "policy"
        return terms, near is not None and near.passage == place

    best = parts[max(range(len(parts)), key=held)]
    text = best.text or best.heading
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT].rsplit(' ', 1)[0]} …"


def _finding(
    pages: Collection[Page],
    wanted: Sequence[str],
    near_pages: Mapping[int, Near],
    *,
    whole: bool,
) -> Finding:
    """What the best pages say of the memory: whether one holds the words, or means it."""
    shares = {page.id: _held(page, wanted) / max(1, len(wanted)) for page in pages}
    near = {page for page in shares if _is_near(near_pages.get(page))}
    if any(s >= MOST_WORDS or (s >= SOME_WORDS and p in near) for p, s in shares.items()):
        return Finding.FOUND
    if near:
        return Finding.OTHER_WORDS
    if not whole:
        return Finding.UNTOLD
    few = any(share > SOME_WORDS for share in shares.values())
    return Finding.OTHER_WORDS if few else Finding.NOTHING


def _held(page: Page, wanted: Collection[str]) -> int:
    """How many of the terms stand on the page."""
    texts = [page.title, page.path]
    texts += [text for part in page.passages for text in (part.heading, part.text)]
    missing = set(wanted)
    for text in texts:
        missing.difference_update(terms(text))
        if not missing:
            break
    return len(wanted) - len(missing)
