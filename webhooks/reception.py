"""From an authentic delivery to the inbox: which events are kept, and when their work may start.

The same for what was posted to the web server and for what was read from GitHub's list.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Protocol

from bot.inbox import Delivery, Inbox, Receipt
from webhooks.events import Event, Ignored, InstallationChanged, Malformed
from webhooks.github import action_of, parse

log = logging.getLogger(__name__)


class Receiver(Protocol):
    """Where a delivery goes. None: no channel handles the event, so it is not stored.

    Raises Fault when it could not be stored.
    """

    def receive(self, delivery: Delivery, event: Event) -> Receipt | None: ...


class Reception:
    """`wait` says how long an event settles before its work starts; None: no channel handles it."""

    def __init__(self, inbox: Inbox, wait: Callable[[Event], timedelta | None]) -> None:
        self._inbox = inbox
        self._wait = wait

    def receive(self, delivery: Delivery, event: Event) -> Receipt | None:
        wait = self._wait(event)
        if wait is None:
            return None
        return self._inbox.store(replace(delivery, ready_at=delivery.received_at + wait))


def take(
    receiver: Receiver, delivery: Delivery, payload: Mapping[str, object]
) -> tuple[str, str | None]:
    """What became of a delivery in a word, and why where that is not plain. Raises Fault."""
    event = parse(delivery.event, payload, delivery.guid)
    match event:
        case Ignored(reason):
            return "ignored", reason
        case Malformed(reason):
            log.warning("delivery %s is malformed: %s", delivery.guid, reason)
            return "malformed", f"ignored, {reason}"
    receipt = receiver.receive(_described(delivery, payload, event), event)
    if receipt is None:
        return "ignored", "no channel handles this event"
    return receipt.value, None


def _described(delivery: Delivery, payload: Mapping[str, object], event: Event) -> Delivery:
    described = replace(delivery, action=action_of(payload))
    if isinstance(event, InstallationChanged):
        return replace(described, installation=event.installation)
    origin = event.origin
    return replace(described, repository=origin.repository.id, installation=origin.installation)
