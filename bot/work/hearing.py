"""The hear job: one delivery to the features that want it.

Opens the repository, reads its settings, asks each feature in order. Commits nothing.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from bot.errors import UserError
from bot.facts import Account, Repository
from bot.inbox import Entry, Inbox
from bot.settings import Settings
from bot.work.feature import Feature, Scene, Watcher
from bot.work.memory import Known, Memory
from bot.work.places import Place
from bot.work.presence import Presence
from webhooks.events import (
    Event,
    Ignored,
    InstallationChanged,
    Malformed,
    Origin,
    Pushed,
    RepositoryChanged,
    RepositoryEvent,
    RepositoryName,
    TelegramUpdated,
)
from webhooks.github import parse
from webhooks.telegram import TELEGRAM, parse_update

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Hearing:
    """Wired once; `hear` is called for each delivery, side by side.

    `tell` says what is wrong with a repository's own files, where their author looks.
    """

    inbox: Inbox
    memory: Memory
    presence: Presence
    features: Sequence[Feature]
    watchers: Sequence[Watcher]
    tell: Callable[[Place, UserError], None]
    us: Callable[[], Account | None]

    def wait(self, event: Event) -> timedelta | None:
        """How long an event settles before it is heard; None: nobody wants it."""
        if isinstance(event, InstallationChanged | RepositoryChanged):
            return timedelta(0)
        if self._is_ours(event):
            return None
        wanting: tuple[Feature | Watcher, ...] = (*self.features, *self.watchers)
        waits = [wait for each in wanting if (wait := each.wait(event)) is not None]
        if isinstance(event, Pushed) and event.touches_us:
            waits.append(timedelta(0))
        return max(waits, default=None)

    def hear(self, number: int) -> None:
        """The work of inbox row `number`. Raises UserError (parked) and Fault (tried again)."""
        entry = self.inbox.load(number)
        if entry is None or entry.body is None:
            return
        event = self._event(entry, json.loads(entry.body))
        if isinstance(event, Ignored | Malformed):
            return
        if isinstance(event, InstallationChanged):
            self.presence.look_at(event.installation)
        elif event.origin.installation is not None:
            with self.presence.during(event.origin.repository.id):
                self._hear(event, event.origin.installation, entry)

    def _event(self, entry: Entry, payload: Mapping[str, object]) -> Event | Ignored | Malformed:
        if entry.event != TELEGRAM:
            return parse(entry.event, payload, entry.guid)
        known = self.memory.known(entry.repository or 0)
        update = parse_update(payload)
        if known is None or isinstance(update, Ignored | Malformed):
            return Ignored("it is about no repository")
        name = RepositoryName(known.id, known.full_name)
        return TelegramUpdated(Origin(entry.guid, name, known.installation, None), update)

    def _hear(self, event: RepositoryEvent, installation: int, entry: Entry) -> None:
        name = event.origin.repository
        heard_as = installation, name.full_name
        if self.memory.known(name.id) is None:
            self.memory.meet(name.id, *heard_as)
        known = self.memory.known(name.id)
        if known is None:
            return
        if isinstance(event, RepositoryChanged):
            self.presence.look(known, heard_as)
        if self._is_ours(event):
            return
        if entry.attempt == 1 and isinstance(event, Pushed) and event.touches_us:
            self.presence.repaired(known)  # at most once a push: or two would wake each other
        wanting = [each for each in self.features if each.wait(event) is not None]
        watching = [each for each in self.watchers if each.wait(event) is not None]
        if not wanting and not watching:
            return
        # Deliveries that fell due together are heard from one look at the branch.
        with self.presence.open(known, heard_as, since=entry.next_try_at) as place:
            for watcher in watching:
                watcher.watch(event, place)
            settings = self._settings(known, place) if wanting else None
            if settings is None:
                return
            scene = Scene(self.memory.known(name.id) or known, place, settings)
            for feature in wanting:
                feature.hear(event, scene)

    def _is_ours(self, event: Event) -> bool:
        """Our own pushes and comments come back as events."""
        us = self.us()
        if us is None or isinstance(event, InstallationChanged):
            return False
        return event.origin.sender is not None and event.origin.sender.id == us.id

    def _settings(self, known: Known, place: Place) -> Settings | None:
        try:
            settings = place.settings()
        except UserError as error:
            self.tell(place, error)
            raise
        if settings is None or not permits(settings, place.repository):
            log.info("repository %d: its settings do not let the App act", known.id)
            return None
        return settings


def permits(settings: Settings, repository: Repository) -> bool:
    """Whether the App may act in this repository under these settings."""
    if repository.fork and settings.fork != repository.full_name:
        return False
    return settings.enabled and not repository.archived
