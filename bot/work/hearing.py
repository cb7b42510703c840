"""The hear job: one delivery to the features that want it.

Opens the repository, reads its settings, asks each feature in order. Commits nothing.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta

from bot.facts import Account
from bot.inbox import Inbox
from bot.settings import Settings
from bot.work.feature import Feature, Scene
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
    features: Sequence[Feature]
    us: Callable[[], Account | None]

    def wait(self, event: Event) -> timedelta | None:
        """How long an event settles before it is heard; None: nobody wants it."""
        if isinstance(event, InstallationChanged | RepositoryChanged):
            return timedelta(0)
        if self._is_ours(event):
            return None
        waits = [wait for each in self.features if (wait := each.wait(event)) is not None]
        return max(waits, default=None)

    def hear(self, number: int) -> None:
        """The work of inbox row `number`. Raises UserError (parked) and Fault (tried again)."""
        entry = self.inbox.load(number)
        if entry is None or entry.body is None:
            return
        event = parse(entry.event, json.loads(entry.body), entry.guid)
        if isinstance(event, Ignored | Malformed):
            return
        if isinstance(event, InstallationChanged | RepositoryChanged):
            self._moved(event)
        if isinstance(event, InstallationChanged) or event.origin.installation is None:
            return
        name = event.origin.repository
        self.memory.meet(name.id, event.origin.installation, name.full_name)
        known = self.memory.known(name.id)
        wanting = [each for each in self.features if each.wait(event) is not None]
        if known is None or not wanting or self._is_ours(event):
            return
        with self.open(known) as place:
            settings = enabled(place)
            if settings is None:
                log.info("repository %d: its settings do not let the App act", known.id)
                return
            scene = Scene(known, place, settings)
            for feature in wanting:
                feature.hear(event, scene)

    def _is_ours(self, event: Event) -> bool:
        """Our own pushes and comments come back as events."""
        us = self.us()
        if us is None or isinstance(event, InstallationChanged):
            return False
        return event.origin.sender is not None and event.origin.sender.id == us.id

    def _moved(self, event: InstallationChanged | RepositoryChanged) -> None:
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
