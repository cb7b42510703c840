"""From an authentic delivery to the inbox: which events are kept, and when their work may start.

The same for what was posted, to the web server or to the receiver in front of it, and for what was
read from GitHub's list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Protocol

from bot.delivery import Delivery
from bot.inbox import Inbox, Receipt
from webhooks.deliveries import told
from webhooks.events import Event, Ignored, InstallationChanged, Malformed
from webhooks.github import action_of, parse

UNWANTED = "ignored", "no channel handles this event"


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
        return self.receive_all([(delivery, event)])[0]

    def receive_all(self, heard: Sequence[tuple[Delivery, Event]]) -> list[Receipt | None]:
        """All of them in one transaction, each as `receive` does it."""
        waits = [self._wait(event) for _, event in heard]
        receipts = iter(
            self._inbox.store_all(
                [
                    replace(delivery, ready_at=delivery.received_at + wait)
                    for (delivery, _), wait in zip(heard, waits, strict=True)
                    if wait is not None
                ]
            )
        )
        return [None if wait is None else next(receipts) for wait in waits]

    def keep(self, delivery: Delivery) -> Receipt:
        """Whatever it is about: for what can be decided no more."""
        return self._inbox.store(delivery)


def take(
    receiver: Receiver, delivery: Delivery, payload: Mapping[str, object]
) -> tuple[str, str | None]:
    """What became of a delivery in a word, and why where that is not plain. Raises Fault."""
    event = parse(delivery.event, payload, delivery.guid)
    if isinstance(event, Ignored | Malformed):
        return told(delivery, event)
    return outcome_of(receiver.receive(described(delivery, payload, event), event))


def outcome_of(receipt: Receipt | None) -> tuple[str, str | None]:
    """In a word, and why where that is not plain."""
    return UNWANTED if receipt is None else (receipt.value, None)


def described(delivery: Delivery, payload: Mapping[str, object], event: Event) -> Delivery:
    """With what the inbox has columns for."""
    described = replace(delivery, action=action_of(payload))
    if isinstance(event, InstallationChanged):
        return replace(described, installation=event.installation)
    origin = event.origin
    return replace(described, repository=origin.repository.id, installation=origin.installation)
