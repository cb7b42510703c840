"""What an audit reads and what it says: active lessons where they stand, findings with a remedy.

Pure. What is wrong is decided elsewhere.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from bot.distill.redact import redact
from bot.lessons.block import shown
from bot.lessons.document import Document
from bot.lessons.reading import Reading, reading
from bot.lessons.standing import parse
from bot.reports.facts import StoreFacts


class Kind(enum.StrEnum):
    """What is wrong."""

    UNTRUSTED = "file that cannot be trusted"
    LEAK = "secret"
    CONTRADICTION = "suspected contradiction"
    DUPLICATE = "duplicate"
    POSSIBLE = "possible duplicate"
    TWIN = "twin in another repository"
    SPLIT = "ids shared with another repository"
    DEAD_PATH = "path that is gone"
    NO_PROVENANCE = "no provenance"
    CARRIED = "carried weight"
    NOTE = "note to mend"


@dataclass(frozen=True, slots=True)
class Finding:
    """`line` is 1-based; None where it is about no single line. No text in it holds a secret."""

    kind: Kind
    repository: str
    file: str
    line: int | None
    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Line:
    """One active lesson where it stands. `id` is None for a person's line and for a rule."""

    text: str
    file: str
    line: int
    id: str | None
    ours: bool
    reading: Reading  # kept here: a fleet has more lines than the cache of readings


def quoted(text: str) -> str:
    """A text of a file as a report may repeat it."""
    return redact(shown(text)).text


def lines_of(path: str, data: bytes, today: date) -> list[Line]:
    """The active bullets of a file. `today` (UTC) is what makes a trailer's date a future one."""
    document = Document.parse(data, today)
    return [
        Line(b.text, path, _number(document.text, b.start), b.id, b.ours, reading(b.text))
        for b in document.bullets
        if b.active
    ]


def _number(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def rules_of(store: StoreFacts, today: date) -> Iterator[Line]:
    """The failure classes that people wrote."""
    for path, data in store.rules.items():
        yield from lines_of(path, data, today)


def standing_of(store: StoreFacts) -> Iterator[Line]:
    """The sentences of standing lessons."""
    for path, data in sorted(store.standing.items()):
        file = parse(path, data)
        if file is not None:
            line = _number(file.text, file.text.find("\nsentence:") + 1)
            yield Line(file.sentence, path, line, file.id, True, reading(file.sentence))
