"""`known-pitfalls.md`: the block as a committed file, so that an agent file can include it by path.

A pure function of the store's other files at the time of its newest event: a rebuild gives the same
bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from bot.lessons import event_files
from bot.lessons.block import BEGIN, END, Block, Item, build, bullets_of, rules_of, standing_of
from bot.lessons.document import Document
from bot.lessons.history import History
from bot.settings import Settings

_LINE = re.compile(r"- (.*?)(?: \([^ ()]+, [0-9-]{10}\))?(?: <!-- ([0-9a-f]{8}) -->)?")

PITFALLS = ".agent-corp/known-pitfalls.md"


def block_of(
    lessons: bytes | None,
    events: Mapping[str, bytes],
    rules: bytes | None,
    settings: Settings,
    today: date,
    *,
    standing: Mapping[str, bytes] | None = None,
    session: bool = False,
    items: int | None = None,
    characters: int | None = None,
    paths: Sequence[str] = (),
    notice: str | None = None,
    clean: Callable[[str], str] = str,
) -> Block:
    """The block of a store's files as of `today` (UTC).

    `clean` takes secrets out of each text, before anything is chosen or counted.
    """

    def cleaned(found: Sequence[Item]) -> list[Item]:
        return [replace(item, text=clean(item.text)) for item in found]

    document = Document.parse(lessons or b"", today)
    history = History.read(events)
    return build(
        cleaned(rules_of(rules, today)),
        cleaned(standing_of(standing or {}, history, today, settings.standing)),
        cleaned(bullets_of(document, history, settings.store.expire, today)),
        settings.block,
        session=session,
        items=items,
        characters=characters,
        paths=paths,
        notice=notice,
    )


def committed(
    lessons: bytes | None,
    events: Mapping[str, bytes],
    rules: bytes | None,
    settings: Settings,
    standing: Mapping[str, bytes] | None = None,
    clean: Callable[[str], str] = str,
) -> bytes:
    """The file's bytes; no weight and no age stand in it. `clean` as for `block_of`."""
    as_of = event_files.as_of(event_files.read(events))
    today = as_of.date() if as_of else _newest(lessons or b"")
    block = block_of(lessons, events, rules, settings, today, standing=standing, clean=clean)
    return block.to_markdown().encode()


def _newest(lessons: bytes) -> date:
    """A file that only people wrote so far is as old as its newest line."""
    bullets = Document.parse(lessons, date.max).bullets
    return max((b.trailer.on for b in bullets if b.trailer), default=date.min)


def lines_in(data: bytes) -> tuple[tuple[str | None, str], ...]:
    """The lines that a committed block shows, as (id, text); a rule has no id."""
    _, _, framed = data.decode("utf-8", "replace").partition(BEGIN)
    lines = framed.partition(END)[0].splitlines()
    return tuple((found[2], found[1]) for line in lines if (found := _LINE.fullmatch(line)))
