"""Event rows: the append-only record from which everything else is derived (SPEC 2, 15).

One frozen dataclass per row type. Ids come from the content and order means nothing, so any merge
of two branches is safe.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import ClassVar, Final

VERSION: Final = 1
WORDS: Final = 120  # characters of trigger and strategy
PATHS: Final = 20  # with them a row stays under 4 KiB

# Of two centuries: no store is of another time, and no sum of such a time and a setting overflows.
_STAMP = re.compile(r"2[01][0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Row:
    """`at` is the time of the thing itself, UTC, to the second."""

    TYPE: ClassVar[str] = ""

    at: datetime

    def body(self) -> dict[str, Json]:
        body: dict[str, Json] = {"v": VERSION, "type": self.TYPE, "at": stamp(self.at)}
        for each in fields(self):
            if each.name == "at":
                continue
            value = getattr(self, each.name)
            if value is None:
                continue
            key = "from" if each.name == "origin_of" else each.name
            if isinstance(value, tuple):
                body[key] = list(value)
            elif isinstance(value, Mapping):
                body[key] = dict(value)
            else:
                body[key] = value
        return body

    @property
    def id(self) -> str:
        return row_id(self.body())

    def line(self) -> str:
        body = self.body()
        return _dump({**body, "id": row_id(body)})


@dataclass(frozen=True, slots=True)
class StoreRow(Row):
    """`origin`: new, adopted (bullets were there) or copied (`origin_of`: the other repository)."""

    TYPE: ClassVar[str] = "store"
    repo: int
    origin: str
    origin_of: int | None = None


@dataclass(frozen=True, slots=True)
class WriteRow(Row):
    TYPE: ClassVar[str] = "write"
    counts: Mapping[str, int]
    prs: tuple[int, ...]
    active: int


@dataclass(frozen=True, slots=True)
class SignalRow(Row):
    """One piece of evidence. Without `bullet` it is a `seen` row: weak evidence, first time."""

    source: str
    pr: int
    head: str
    channel: str
    state: str
    by: int
    strength: float
    sentence: str
    trigger: str = ""
    strategy: str = ""
    job: str | None = None
    bullet: str | None = None
    did: str | None = None  # appended, refreshed, evidence
    sim: float | None = None
    blend: float | None = None
    paths: tuple[str, ...] = ()
    base: str = ""
    succeeds: str | None = None
    cites: str | None = None  # REF where the evidence is of no pull request of this repository

    def body(self) -> dict[str, Json]:
        # `Row.body` by name: a slotted dataclass is a new class, which bare super() does not know.
        body = Row.body(self)
        body["type"] = "signal" if self.bullet is not None else "seen"
        return body


@dataclass(frozen=True, slots=True)
class InvalidRow(Row):
    """`why`: merged_over, dismissed, edited, undone. `signal` is the id of the signal's row."""

    TYPE: ClassVar[str] = "invalid"
    signal: str
    why: str
    pr: int
    by: int | None = None


@dataclass(frozen=True, slots=True)
class RetiredRow(Row):
    """`flag`: overridden, stale, expired, struck."""

    TYPE: ClassVar[str] = "retired"
    bullet: str
    flag: str
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class PathRow(Row):
    """A path that a bullet names was `seen` on the default branch, or moved to `to`."""

    TYPE: ClassVar[str] = "path"
    bullet: str
    commit: str
    seen: str | None = None
    origin_of: str | None = None
    to: str | None = None


@dataclass(frozen=True, slots=True)
class EvictedRow(Row):
    TYPE: ClassVar[str] = "evicted"
    bullet: str
    by: str


@dataclass(frozen=True, slots=True)
class ConflictRow(Row):
    """Found (`why`: negation, order, before_after) or decided (`kept`: a, b, same; `by` whom)."""

    TYPE: ClassVar[str] = "conflict"
    a: str
    b: str
    why: str | None = None
    kept: str | None = None
    by: int | None = None


@dataclass(frozen=True, slots=True)
class UndoneRow(Row):
    """A person took back what a pull request (`pr`) or an account (`by`) taught."""

    TYPE: ClassVar[str] = "undone"
    signals: tuple[str, ...]
    pr: int | None = None
    by: int | None = None


@dataclass(frozen=True, slots=True)
class NoteRow(Row):
    """`did`: captured, confirmed, flagged, rescued, deleted. `cause` is what ended the note's
    subject or job; of a rescue the id of the row that had flagged it.
    """

    TYPE: ClassVar[str] = "note"
    path: str
    did: str
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class PromotedRow(Row):
    TYPE: ClassVar[str] = "promoted"
    bullet: str
    file: str
    weight: float
    signals: int
    prs: int


@dataclass(frozen=True, slots=True)
class DemotedRow(Row):
    """The lesson was violated too often; its last finding goes on as the bullet `successor`."""

    TYPE: ClassVar[str] = "demoted"
    bullet: str
    violations: int
    successor: str | None = None


@dataclass(frozen=True, slots=True)
class RevokedRow(Row):
    """A person deleted the standing file; `commit` is where."""

    TYPE: ClassVar[str] = "revoked"
    bullet: str
    commit: str


@dataclass(frozen=True, slots=True)
class AdherenceRow(Row):
    """`verdict`: violated (by the finding of `source`) or followed; one per lesson and `pr`."""

    TYPE: ClassVar[str] = "adherence"
    bullet: str
    pr: int
    verdict: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class ShownRow(Row):
    """The ids that a served block showed to `reader` for a pull request."""

    TYPE: ClassVar[str] = "shown"
    pr: int
    reader: str
    bullets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeclinedRow(Row):
    """The rolling pull request was closed unmerged: these sources are not proposed again."""

    TYPE: ClassVar[str] = "declined"
    pr: int
    sources: tuple[str, ...]


TYPES: Final[dict[str, type[Row]]] = {
    each.TYPE: each
    for each in (
        StoreRow,
        WriteRow,
        InvalidRow,
        RetiredRow,
        PathRow,
        EvictedRow,
        ConflictRow,
        UndoneRow,
        PromotedRow,
        DemotedRow,
        RevokedRow,
        AdherenceRow,
        ShownRow,
        DeclinedRow,
        NoteRow,
    )
} | {"signal": SignalRow, "seen": SignalRow}


def stamp(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment(text: str) -> datetime:
    """The reverse of `stamp`; ValueError when it is none."""
    if _STAMP.fullmatch(text) is None:  # `fromisoformat` reads many other forms
        raise ValueError(f"{text[:40]!r} is no time in UTC, to the second")
    return datetime.fromisoformat(text)


def row_id(body: Mapping[str, Json]) -> str:
    """First 16 hex digits of SHA-256 of the row without `id`."""
    text = _dump({key: value for key, value in body.items() if key != "id"})
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def mark(identity: str) -> bytes:
    """What stands in a file where the row of that id does, and nowhere else."""
    return f'"id": "{identity}"'.encode()


def _dump(body: Mapping[str, Json]) -> str:
    return json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(", ", ": "))


def shortened(text: str, limit: int = WORDS) -> str:
    """At most `limit` characters, cut at a word."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    return (head.rsplit(" ", 1)[0] or head).rstrip(" ,;:") + "…"
