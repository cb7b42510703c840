"""A verified delivery on its way to the inbox. Knows neither how it came nor where it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Delivery:
    """Its work starts no earlier than `ready_at` (a debounced review)."""

    guid: str
    event: str
    body: bytes
    received_at: datetime
    ready_at: datetime
    action: str | None = None
    repository: int | None = None
    installation: int | None = None
