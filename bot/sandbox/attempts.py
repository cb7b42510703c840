"""The App's list of deliveries: every attempt to send a webhook, as GitHub remembers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.sandbox import payloads, records

Json = dict[str, Any]
CURSOR = "v1_"


@dataclass(frozen=True, slots=True)
class Attempt:
    """`code` is the receiver's HTTP status, 0 where no answer came."""

    id: int
    delivery: records.Delivery
    at: datetime
    code: int
    redelivery: bool

    @property
    def status(self) -> str:
        if not self.code:
            return "failed to connect to host"
        return "OK" if 200 <= self.code < 300 else f"Invalid HTTP Response: {self.code}"


@dataclass(slots=True)
class Attempts:
    next_id: Callable[[], int]
    clock: Callable[[], datetime]
    all: list[Attempt] = field(default_factory=list)

    def record(self, delivery: records.Delivery, code: int) -> None:
        again = any(one.delivery.guid == delivery.guid for one in self.all)
        self.all.append(Attempt(self.next_id(), delivery, self.clock(), code, again))

    def find(self, number: int) -> Attempt | None:
        return next((one for one in self.all if one.id == number), None)

    def page(self, cursor: str | None, size: int) -> tuple[list[Json], str | None]:
        """Newest first, from the cursor on; the next page's cursor, None after the last."""
        before = int(cursor.removeprefix(CURSOR)) if cursor else None
        older = [one for one in reversed(self.all) if before is None or one.id < before]
        shown = older[:size]
        more = f"{CURSOR}{shown[-1].id}" if len(older) > size else None
        return [summary(one) for one in shown], more


def summary(attempt: Attempt) -> Json:
    payload = attempt.delivery.payload

    def id_of(key: str) -> int | None:
        found = payload.get(key)
        return found["id"] if isinstance(found, dict) else None

    return {
        "id": attempt.id,
        "guid": attempt.delivery.guid,
        "delivered_at": payloads.time(attempt.at),
        "redelivery": attempt.redelivery,
        "duration": 0.1,
        "status": attempt.status,
        "status_code": attempt.code,
        "event": attempt.delivery.event,
        "action": payload.get("action"),
        "installation_id": id_of("installation"),
        "repository_id": id_of("repository"),
        "throttled_at": None,
    }


def whole(attempt: Attempt) -> Json:
    headers = {
        "X-GitHub-Event": attempt.delivery.event,
        "X-GitHub-Delivery": attempt.delivery.guid,
    }
    return {
        **summary(attempt),
        "url": "https://lessonkeeper.invalid/webhooks/github",
        "request": {"headers": headers, "payload": attempt.delivery.payload},
        "response": {"headers": {}, "payload": None},
    }
