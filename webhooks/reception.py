"""The receiver behind the web server: which events are kept, and when their work may start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from bot.inbox import Delivery, Inbox, Receipt
from webhooks.events import Event


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
