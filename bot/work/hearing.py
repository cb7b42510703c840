"""The hear job: one delivery into what its subjects say now, decided and kept for the write.

Reads facts, lets a distiller read what may teach, decides, stores. Commits nothing.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

from bot.channels.review import Judged, judge, to_distill
from bot.channels.routing import InstallationSubject, PullRequestSubject, TreeSubject, subjects
from bot.distill.model import Distilled
from bot.facts import Account, Review
from bot.inbox import Inbox
from bot.metrics import Metrics
from bot.settings import Settings
from bot.work.distilling import Distillers, distill
from bot.work.memory import Known, Memory
from bot.work.places import Place
from webhooks.events import Event, Ignored, InstallationChanged, Malformed, RepositoryChanged
from webhooks.github import parse

log = logging.getLogger(__name__)


Open = Callable[[Known], AbstractContextManager[Place]]


@dataclass(frozen=True, slots=True)
class Hearing:
    """Wired once; `hear` is called for each delivery, side by side."""

    inbox: Inbox
    memory: Memory
    open: Open
    distillers: Distillers
    metrics: Metrics
    us: Callable[[], Account | None]
    now: Callable[[], datetime]

    def hear(self, number: int) -> None:
        """The work of inbox row `number`. Raises UserError (parked) and Fault (tried again)."""
        entry = self.inbox.load(number)
        if entry is None or entry.body is None:
            return
        event = parse(entry.event, json.loads(entry.body), entry.guid)
        if isinstance(event, Ignored | Malformed):
            return
        found = subjects(event, self.us())
        if any(isinstance(each, InstallationSubject) for each in found):
            self._moved(event)
        origin = getattr(event, "origin", None)
        if origin is None or origin.installation is None:
            return
        name = origin.repository
        self.memory.meet(name.id, origin.installation, name.full_name)
        known = self.memory.known(name.id)
        wanted = [each for each in found if not isinstance(each, InstallationSubject)]
        if known is None or not wanted:
            return
        with self.open(known) as place:
            settings = enabled(place)
            if settings is None:
                log.info("%s: nothing is written before its settings allow it", known.full_name)
                return
            for each in wanted:
                match each:
                    case PullRequestSubject(pull_request):
                        self._pull_request(place, known, settings, pull_request)
                    case TreeSubject(branch) if branch in (None, place.repository.default_branch):
                        self.memory.want_housekeeping(known.id, self.write_at(known, settings))

    def write_at(self, known: Known, settings: Settings) -> datetime:
        """When the next commit may be made: at most one per `commit_every`."""
        now = self.now()
        if known.committed_at is None:
            return now
        return max(now, known.committed_at + settings.commit_every)

    def _pull_request(self, place: Place, known: Known, settings: Settings, number: int) -> None:
        facts = place.forge.pull_request_facts(number)
        us = self.us()
        distilled = {
            review.source: self._distilled(known.id, review, settings)
            for review in to_distill(facts, settings, us)
        }
        judged = judge(facts, distilled, settings, us)
        _log(known, number, judged)
        if judged.evidence or judged.present:
            at = self.write_at(known, settings)
            self.memory.judge(known.id, number, judged, self.now(), at)

    def _distilled(self, repository: int, review: Review, settings: Settings) -> Distilled:
        """What the distiller said of this very text, asked at most once."""
        known = self.memory.distilled(repository, review.source)
        if known is None:
            known = distill(review, self.distillers(settings, repository), settings)
            self.memory.keep_distilled(repository, review.source, known, self.now())
        return known

    def _moved(self, event: Event) -> None:
        """Where the App is installed, as the event says."""
        match event:
            case InstallationChanged(action="deleted" | "suspend"):
                self.memory.leave(installation=event.installation)
            case InstallationChanged(action="removed"):
                for each in event.repositories:
                    self.memory.leave(repository=each.id)
            case InstallationChanged():
                for each in event.repositories:
                    self.memory.meet(each.id, event.installation, each.full_name)
            case RepositoryChanged(action="deleted" | "archived"):
                self.memory.leave(repository=event.origin.repository.id)


def enabled(place: Place) -> Settings | None:
    """The settings under which the App may act here; None where it may not."""
    settings = place.settings()
    if settings is None or not settings.enabled:
        return None
    if place.repository.archived:
        return None
    if place.repository.fork and settings.fork != place.repository.full_name:
        return None
    return settings


def _log(known: Known, number: int, judged: Judged) -> None:
    for each in judged.told:
        found = each.distilled
        came = f"{len(found.lessons)} lessons" if found else "not read"
        why = f" ({found.ignored})" if found and found.ignored else ""
        log.info(
            "repository %d #%d: review %d by account %d: %s, %s%s",
            known.id, number, each.review, each.by.id, each.standing.reason, came, why,
        )  # fmt: skip
