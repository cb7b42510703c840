"""How values are written on a page: code in a sentence, days, shares. Jinja escapes the rest."""

from __future__ import annotations

import shlex
from datetime import UTC, date, datetime

from markupsafe import Markup, escape


def code(text: str) -> Markup:
    """A lesson's sentence, whose only markup is inline code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    marked = (
        escape(piece) if at % 2 == 0 else Markup("<code>{}</code>").format(piece)
        for at, piece in enumerate(pieces)
    )
    return Markup("").join(marked)


def day(at: date | datetime | None) -> str:
    """A day in UTC, as people and machines read it alike; a dash where there is none."""
    if at is None:
        return "–"
    return (at.astimezone(UTC).date() if isinstance(at, datetime) else at).isoformat()


def minute(at: datetime) -> str:
    """In UTC, to the minute."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def argument(text: str) -> str:
    """One word of a command that people copy into a shell, whatever the text holds."""
    return shlex.quote(" ".join(text.split()))


def percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"
