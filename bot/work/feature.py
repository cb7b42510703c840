"""What a channel is to the server: which events it wants, and what it does about one.

Features are wired by one ordered list in `bot.work.server`. Each decides in a pure module of
`bot.channels` and keeps what has to be written in the memory; none commits.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from bot.settings import Settings
from bot.work.memory import Known
from bot.work.places import Place
from webhooks.events import Event


@dataclass(frozen=True, slots=True)
class Scene:
    """Where an event is heard: an installed repository whose settings let the App act."""

    known: Known
    place: Place
    settings: Settings


class Watcher(Protocol):
    """What looks at a repository whatever its settings say, broken ones included."""

    def wait(self, event: Event) -> timedelta | None: ...

    def watch(self, event: Event, place: Place) -> None:
        """Looks at an event it wants. Raises UserError (parked) and Fault (tried again)."""
        ...


class Feature(Protocol):
    def wait(self, event: Event) -> timedelta | None:
        """How long the event settles before it is heard; None: it is nothing to this feature."""
        ...

    def hear(self, event: Event, scene: Scene) -> None:
        """Acts on an event it wants. Raises UserError (parked) and Fault (tried again)."""
        ...
