"""Looks for what is an alarm: at each repository after a push and every hour, and at the server.

Gathers facts and decides nothing; what cannot be looked at now keeps the alarms that it has.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from threading import Lock

from bot.channels import alarms as decide
from bot.channels.alarms import Serving, Watched
from bot.errors import Fault, UserError
from bot.facts import OwnPullRequest
from bot.inbox import Inbox, Status
from bot.lessons.document import Document
from bot.lessons.proposal import proposed
from bot.lessons.store import LESSONS
from bot.search.model import Index
from bot.work.alarms import SERVER, Alarms
from bot.work.indexing import Indexing
from bot.work.looked_up import pages_at
from bot.work.measured import carried
from bot.work.memory import Known, Memory
from bot.work.pitfalls import Files, files_of
from bot.work.places import MirrorBranch, Place
from bot.work.rolling import ROLLING
from webhooks.events import Event, Pushed

log = logging.getLogger(__name__)

Open = Callable[[Known], AbstractContextManager[Place]]


@dataclass(slots=True)
class Watching:
    """Wired once; used by many threads. A watcher of pushes."""

    alarms: Alarms
    indexing: Indexing
    memory: Memory
    inbox: Inbox
    open: Open
    now: Callable[[], datetime]
    _ids: dict[int, frozenset[str]] = field(default_factory=dict)  # of each store
    _pages: dict[int, int] = field(default_factory=dict)  # that stand on each branch
    _lock: Lock = field(default_factory=Lock)

    @property
    def index(self) -> Index:
        return self.indexing.index

    def wait(self, event: Event) -> timedelta | None:
        return timedelta(0) if isinstance(event, Pushed) and not event.deleted else None

    def watch(self, event: Event, place: Place) -> None:
        """Never in the way of what else hears of the push."""
        if isinstance(event, Pushed) and event.branch == place.repository.default_branch:
            known = self.memory.known(place.repository.id)
            if known is not None and known.id in self._ids:  # before that, the others are unknown
                facts = self._looked_at(known, place)
                if facts is not None:
                    self._judge(known, facts)

    def look_at_all(self) -> None:
        """Every repository that the App is in, and the server."""
        here = self.memory.here()
        ringing = {row.repository for row in self.alarms.open()}
        for gone in ringing - {SERVER, *(known.id for known in here)}:
            self.alarms.keep(gone, "", (), self.now())
            self._forget(gone)
        for known, facts in [(known, self._mended(known)) for known in here]:
            if facts is not None:  # of all before any is judged: stores may share ids
                self._judge(known, facts)
        self.look_at_server()

    def look_at_server(self) -> None:
        halves = self._probed()
        failed = self.inbox.counts()[Status.FAILED]
        serving = replace(halves, failed=failed, waiting_since=self.inbox.next_due())
        self.alarms.keep(SERVER, "", decide.of_server(serving, self.now()), self.now())

    def is_blind(self) -> bool:
        """Whether a search would come back empty although something is known."""
        try:
            return any(pages and not self._indexed(each) for each, pages in [*self._pages.items()])
        except Fault as fault:
            log.error("search is blind: %s", fault)
            return True

    def _looked_at(self, known: Known, place: Place | None = None) -> Watched | None:
        try:
            with nullcontext(place) if place else self.open(known) as opened:
                return self._facts(opened)
        except (UserError, Fault) as error:
            log.warning("repository %d could not be looked at: %s", known.id, error)
            return None

    def _mended(self, known: Known) -> Watched | None:
        """The facts once the index was brought up, where it had to be."""
        facts = self._looked_at(known)
        if facts is not None and facts.indexed_at != facts.commit:
            self.indexing.look(known)
            return self._looked_at(known)
        return facts

    def _judge(self, known: Known, facts: Watched) -> None:
        facts = replace(facts, sharing=self._sharing(known))
        found = decide.of_repository(facts, self.now())
        self.alarms.keep(known.id, known.full_name, found, self.now())

    def _facts(self, place: Place) -> Watched | None:
        """None for an empty repository. Raises the errors of the forge and the git room."""
        repository, failed, state = place.repository.id, "", None
        try:
            state = self.index.state(repository)
        except Fault as fault:
            failed = str(fault)
        defaults = place.owner_defaults()
        pulls = place.forge.own_pull_requests(ROLLING, place.us)
        with place.branch() as branch:
            head = branch.head()
            if head is None:
                self._forget(repository)
                return None
            files = files_of(branch.clone, head, defaults)
            pull = next((each for each in pulls if each.open), None)
            others = (p for p in branch.clone.paths(head) if p.endswith(f"/{LESSONS}"))
            found = Watched(
                pages=pages_at(branch.clone, head, files.settings),
                indexed=state.documents if state else None,
                commit=head,
                committed_at=branch.clone.committer_date(head),
                indexed_at=state.commit if state else "",
                failed=self.indexing.reasons.get(repository, failed),
                carried=carried(branch.clone, head, files.settings),
                budget=files.settings.carried,
                stores=(LESSONS, *sorted(others)),
                pull=pull.number if pull else None,
                pending=self._pending(branch, files, pull),
                pending_since=pull.created_at if pull else None,
            )
        ids = Document.parse(files.lessons or b"", self.now().date()).ours
        with self._lock:
            self._ids[repository] = frozenset(bullet.id for bullet in ids if bullet.id)
            self._pages[repository] = found.pages
        return found

    def _pending(self, branch: MirrorBranch, files: Files, pull: OwnPullRequest | None) -> int:
        if pull is None or not branch.has(pull.head_sha):
            return 0
        there = branch.clone.read(pull.head_sha, LESSONS).data
        return len(proposed(files.lessons, there, self.now().date()))

    def _sharing(self, known: Known) -> tuple[str, ...]:
        """The other repositories of the owner whose stores have ids of this one."""
        owner = known.full_name.partition("/")[0].casefold()
        mine = [k for k in self.memory.here() if k.full_name.partition("/")[0].casefold() == owner]
        with self._lock:
            stores = {k.full_name: self._ids.get(k.id, frozenset()) for k in mine}
        return decide.sharing(stores).get(known.full_name, ())

    def _indexed(self, repository: int) -> int | None:
        state = self.index.state(repository)
        return None if state is None else state.documents

    def _probed(self) -> Serving:
        try:
            here = frozenset(known.id for known in self.memory.here())
            exact, meaning = self.index.check(here)
        except Fault as fault:
            return Serving(exact=str(fault))
        return Serving(exact=exact.reason or "", meaning=meaning.reason or "")

    def _forget(self, repository: int) -> None:
        with self._lock:
            self._ids.pop(repository, None)
            self._pages.pop(repository, None)
