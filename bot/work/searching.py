"""Search for readers: what any repository of an owner learned, of those that the reader may read.

A reader may read the repositories of its tokens, and the public ones of the same installation.
Who proves nothing gets the same answer as who asks for what is not there.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from bot.errors import Fault, UserError
from bot.forge.app import App
from bot.metrics import Metrics
from bot.readers import Proof, Reader
from bot.search import printing
from bot.search.gaps import Gaps
from bot.search.model import Answer, Finding, Lost
from bot.work.indexing import Indexing
from bot.work.memory import Known, Memory
from bot.work.pitfalls import clean

log = logging.getLogger(__name__)

PATIENCE = 10.0  # seconds for a repository that has to be read first
MOST_TOKENS = 20
PUBLIC_KEPT = timedelta(minutes=5)


class Public:
    """Which repositories of an installation everybody may read, as GitHub said a moment ago."""

    def __init__(self, app: App, now: Callable[[], datetime]) -> None:
        self._app = app
        self._now = now
        self._lock = Lock()
        self._kept: dict[int, tuple[datetime, frozenset[int]]] = {}

    def of(self, installation: int) -> frozenset[int]:
        """Numeric ids; none where GitHub does not say."""
        with self._lock:
            at, found = self._kept.get(installation, (None, frozenset[int]()))
            now = self._now()
            if at is None or not timedelta(0) <= now - at < PUBLIC_KEPT:
                try:
                    there = self._app.repositories(installation)
                    found = frozenset(each.id for each in there if not each.private)
                except (Fault, UserError) as error:
                    log.warning("installation %d: nothing of it is public: %s", installation, error)
                    found = frozenset()
                self._kept[installation] = (now, found)
            return found

    def forget(self, installation: int) -> None:
        """A repository there may have become private."""
        with self._lock:
            self._kept.pop(installation, None)


@dataclass(frozen=True, slots=True)
class Searching:
    """Wired once; called by many threads. `proofs` are the ways to show who reads."""

    memory: Memory
    proofs: Sequence[Proof]
    public: Public
    indexing: Indexing
    gaps: Gaps
    metrics: Metrics
    now: Callable[[], datetime]

    def search(self, tokens: Sequence[str], query: str, limit: int, *, as_json: bool) -> str | None:
        """The answer as JSON or Markdown; None for whoever may read nothing.

        Raises UserError for a query that asks nothing, Fault for what broke.
        """
        found = self.answer(tokens, query, limit)
        if found is None:
            return None
        answer, names = found
        if as_json:
            return json.dumps(printing.to_json(answer, names, clean), ensure_ascii=False) + "\n"
        return printing.to_markdown(answer, names, clean)

    def answer(
        self, tokens: Sequence[str], query: str, limit: int
    ) -> tuple[Answer, Mapping[int, str]] | None:
        """The answer, and the names of the repositories that were searched."""
        readers = list(self._readers(tokens[:MOST_TOKENS]))
        names = {known.id: known.full_name for known in self._readable(readers)}
        if not names:
            return None
        return self.find(query, names, readers[0].repository, limit), names

    def find(self, query: str, names: Mapping[int, str], asker: int, limit: int) -> Answer:
        """The answer of these repositories. What comes back empty is kept under `asker`, the
        repository of whoever asked; 0: somebody on the pages.
        """
        answer = self._asked(query, frozenset(names), limit)
        self.metrics.searches.labels(answer.finding.value).inc()
        for name, half in (("exact", answer.exact), ("meaning", answer.meaning)):
            if not half.ok:
                self.metrics.search_failures.labels(name).inc()
        if answer.finding in (Finding.NOTHING, Finding.OTHER_WORDS):
            nearest = tuple(f"{names[hit.repository]}:{hit.path}" for hit in answer.hits)
            self.gaps.keep(asker, clean(query), answer.finding, nearest, self.now())
        return answer

    def _asked(self, query: str, repositories: frozenset[int], limit: int) -> Answer:
        index = self.indexing.index
        try:
            answer = index.search(query, repositories, limit)
        except Lost as lost:
            log.error("%s; it is filled anew", lost)
            answer = index.search(query, repositories, limit)
        if answer.unindexed:
            self.indexing.fill(answer.unindexed, PATIENCE)
            answer = index.search(query, repositories, limit)
        return answer

    def _readers(self, tokens: Iterable[str]) -> Iterable[Reader]:
        for token in tokens:
            yield from filter(None, (proof.reader(token) for proof in self.proofs))

    def _readable(self, readers: Sequence[Reader]) -> list[Known]:
        own = {reader.repository for reader in readers}
        found = {known.id: known for known in map(self.memory.known, own) if known and known.here}
        for installation in {known.installation for known in found.values()}:
            public = self.public.of(installation)
            for known in self.memory.of_installation(installation):
                if known.here and known.id in public:
                    found[known.id] = known
        return list(found.values())
