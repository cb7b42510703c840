"""`known-pitfalls.md`: the block as a committed file, so that an agent file can include it by path.

A pure function of the store's other files at the time of its newest event: a rebuild gives the same
bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from bot.lessons import rows
from bot.lessons.block import Block, build, bullets_of, rules_of
from bot.lessons.document import Document
from bot.lessons.history import History
from bot.settings import Settings


def block_of(
    lessons: bytes | None,
    events: Mapping[str, bytes],
    rules: bytes | None,
    settings: Settings,
    today: date,
    *,
    session: bool = False,
    items: int | None = None,
    characters: int | None = None,
    paths: Sequence[str] = (),
    notice: str | None = None,
) -> Block:
    """The block of a store's files as of `today` (UTC)."""
    document = Document.parse(lessons or b"", today)
    return build(
        rules_of(rules, today),
        (),
        bullets_of(document, History.read(events), settings.store.expire, today),
        settings.block,
        session=session,
        items=items,
        characters=characters,
        paths=paths,
        notice=notice,
    )


def committed(
    lessons: bytes | None, events: Mapping[str, bytes], rules: bytes | None, settings: Settings
) -> bytes:
    """The file's bytes; no weight and no age stand in it."""
    as_of = rows.as_of(rows.read(events))
    today = as_of.date() if as_of else _newest(lessons or b"")
    return block_of(lessons, events, rules, settings, today).to_markdown().encode()


def _newest(lessons: bytes) -> date:
    """A file that only people wrote so far is as old as its newest line."""
    bullets = Document.parse(lessons, date.max).bullets
    return max((b.trailer.on for b in bullets if b.trailer), default=date.min)
