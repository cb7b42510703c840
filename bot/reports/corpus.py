"""The active bullets of lessons files, for reports that look at texts and their days. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from bot.distill.redact import redact
from bot.lessons.document import Document


@dataclass(frozen=True, slots=True)
class Entry:
    """One active bullet; `on` is the day of its trailer, None for a line that a person wrote."""

    text: str
    on: date | None


def active(data: bytes, today: date) -> tuple[Entry, ...]:
    """Newest first by the day of the trailer, ties from the bottom; a person's lines come first."""
    ranked = [
        (bullet.trailer.on if bullet.trailer else None, index, bullet.text)
        for index, bullet in enumerate(Document.parse(data, today).bullets)
        if bullet.active
    ]
    ranked.sort(key=lambda each: (each[0] or date.max, each[1]), reverse=True)
    # A file may hold bytes that are no UTF-8, and secrets; what is compared and printed does not.
    return tuple(
        Entry(redact(text.encode("utf-8", "replace").decode()).text, on) for on, _, text in ranked
    )
