"""Keeps the index of search up to the default branches: after pushes, after our own commits, daily,
and when a search finds a repository missing. Level-triggered: each looks at the branch as it is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock

from sqlalchemy import Engine

from bot.errors import Fault, UserError
from bot.metrics import Metrics
from bot.search.index import SearchIndex
from bot.search.meaning import SHIPPED
from bot.search.model import Index, Lost
from bot.search.postgres import PostgresTables
from bot.search.sqlite import SqliteTables
from bot.work.looked_up import bring_up, forget_prepared
from bot.work.memory import Known, Memory, Waiting
from bot.work.pitfalls import files_of
from bot.work.places import Place
from bot.work.visit import Open
from bot.work.writing import Written
from webhooks.events import Event, Pushed

log = logging.getLogger(__name__)

AT_ONCE = 2  # repositories that are read because a search lacks them


def index_of(engine: Engine, data: Path, now: Callable[[], datetime]) -> SearchIndex:
    """A server's index: in its database where that is PostgreSQL, else in a file under `data`."""
    postgres = engine.dialect.name == "postgresql"
    shelf = PostgresTables(engine) if postgres else SqliteTables(data / "search.sqlite")
    return SearchIndex(shelf, SHIPPED, now)


class Indexing:
    """Wired once; used by many threads. A watcher of pushes and a listener of our own writes."""

    def __init__(
        self,
        index: Index,
        memory: Memory,
        open_: Open,
        metrics: Metrics,
        now: Callable[[], datetime],
    ) -> None:
        self.index = index
        self._memory = memory
        self._open = open_
        self._metrics = metrics
        self._now = now
        self._workers = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="indexing")
        self._lock = Lock()
        self._missing: dict[int, Future[None]] = {}
        self._written: set[int] = set()
        self._behind: dict[int, str] = {}  # and why

    def wait(self, event: Event) -> timedelta | None:
        return timedelta(0) if isinstance(event, Pushed) and not event.deleted else None

    def watch(self, event: Event, place: Place) -> None:
        """Never in the way of what else hears of the push: what fails is tried again by `retry`."""
        if isinstance(event, Pushed) and event.branch == place.repository.default_branch:
            with self._kept_back(place.repository.id):
                self.bring(place)

    def landed(self, known: Known, written: Written, waiting: Sequence[Waiting]) -> None:
        if written.commit is not None:
            with self._lock:
                self._written.add(known.id)

    def refused(self, known: Known, waiting: Sequence[Waiting], reason: str) -> None:
        """A write that did not land changes no page."""

    def after(self, known: Known, opened: Open) -> None:
        with self._lock:
            ours = known.id in self._written
            self._written.discard(known.id)
        if ours:
            with self._kept_back(known.id), opened(known) as place:
                self.bring(place)

    def bring(self, place: Place) -> None:
        """Brings the index up to the default branch of an opened repository.

        Raises the errors of the forge and the git room.
        """
        repository = place.repository.id
        with place.branch() as branch:
            head = branch.head()
            if head is None:  # nothing is known there, which is not the same as nothing read
                self.index.put(repository, "", self._now(), (), self.index.blobs(repository))
                return
            defaults: dict[str, object] = {}
            try:
                defaults = dict(place.owner_defaults())
            except UserError as error:
                log.info("repository %d: its owner's file is broken: %s", repository, error)
            settings = files_of(branch.clone, head, defaults).settings
            today = self._now().date()
            try:
                bring_up(self.index, repository, branch.clone, head, settings, today)
            except Lost as lost:
                log.error("%s; it is filled anew", lost)
                bring_up(self.index, repository, branch.clone, head, settings, today)
            forget_prepared(self.index, repository)
        state = self.index.state(repository)
        if state is not None:
            self._metrics.index_lag.observe(state.lag.total_seconds())

    def look(self, known: Known) -> None:
        """`bring` by itself; what stands in its way is logged, and tried again by `retry`."""
        with self._kept_back(known.id), self._open(known) as place:
            self.bring(place)

    @contextmanager
    def _kept_back(self, repository: int) -> Iterator[None]:
        try:
            yield
        except (UserError, Fault) as error:
            with self._lock:
                self._behind[repository] = str(error)
            self._metrics.index_failures.inc()
            log.warning("repository %d could not be indexed: %s", repository, error)
        else:
            with self._lock:
                self._behind.pop(repository, None)

    @property
    def behind(self) -> frozenset[int]:
        """Repositories whose last look failed: the index may hold less than their branch."""
        with self._lock:
            return frozenset(self._behind)

    @property
    def reasons(self) -> Mapping[int, str]:
        """Why, of each of them."""
        with self._lock:
            return dict(self._behind)

    def retry(self) -> None:
        for repository in self.behind:
            known = self._memory.known(repository)
            if known is not None and known.here:
                self.look(known)
            else:  # nobody searches where the App has left
                with self._lock:
                    self._behind.pop(repository, None)

    def look_at_all(self) -> None:
        """Every repository that the App is in: what no event told of is found now."""
        for known in self._memory.here():
            self.look(known)

    def fill(self, missing: Collection[int], seconds: float) -> None:
        """Reads repositories that the index lacks, and waits so long for them; they go on."""
        with self._lock:
            for repository in missing:
                running = self._missing.get(repository)
                known = self._memory.known(repository)
                if known is not None and (running is None or running.done()):
                    self._missing[repository] = self._workers.submit(self.look, known)
            futures = [self._missing[each] for each in missing if each in self._missing]
        wait(futures, timeout=seconds)

    def stop(self) -> None:
        self._workers.shutdown(wait=False, cancel_futures=True)
