"""Event rows: the append-only record from which everything else is derived (SPEC 2, 15).

One frozen dataclass per row type. Ids come from the content and order means nothing, so any merge
of two branches is safe. Pure: bytes in, bytes out.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import ClassVar, Final, TypeVar

VERSION: Final = 1
ROW_BYTES: Final = 4096
MONTH_BYTES: Final = 1_000_000
WORDS: Final = 120  # characters of trigger and strategy
PATHS: Final = 20  # a row stays under ROW_BYTES

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


_STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


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


def stamp(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment(text: str) -> datetime:
    """The reverse of `stamp`; ValueError when it is none."""
    if _STAMP.fullmatch(text) is None:  # `fromisoformat` reads many other forms
        raise ValueError(f"{text[:40]!r} is no time in UTC, to the second")
    return datetime.fromisoformat(text)


def _dump(body: Mapping[str, Json]) -> str:
    return json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(", ", ": "))


def mark(identity: str) -> bytes:
    """What stands in a file where the row of that id does, and nowhere else."""
    return f'"id": "{identity}"'.encode()


def row_id(body: Mapping[str, Json]) -> str:
    """First 16 hex digits of SHA-256 of the row without `id`."""
    text = _dump({key: value for key, value in body.items() if key != "id"})
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


_TYPES: Final[dict[str, type[Row]]] = {
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

# Of each field but `at`: its name, its key in the file and its type.
_KEYS: Final[dict[type[Row], tuple[tuple[str, str, str], ...]]] = {
    kind: tuple(
        (each.name, "from" if each.name == "origin_of" else each.name, str(each.type))
        for each in fields(kind)
        if each.name != "at"
    )
    for kind in _TYPES.values()
}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A row as it stands in a file: its written id, and its typed form when we know the type."""

    id: str
    at: datetime
    row: Row | None


@functools.lru_cache(maxsize=4096)  # a year of a busy store, of which a write changes a few
def parse(line: str) -> Recorded | None:
    """One line; None for what is no row of ours (conflict markers, cut lines, other JSON)."""
    try:
        body = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict):
        return None
    written, kind, at = body.get("id"), body.get("type"), body.get("at")
    if not isinstance(written, str) or not isinstance(kind, str) or not isinstance(at, str):
        return None
    try:
        when = moment(at)
    except ValueError:
        return None
    known = _TYPES.get(kind)
    return Recorded(written, when, _typed(known, body, when) if known else None)


_T = TypeVar("_T", bound=Row)


def _typed(kind: type[_T], body: Mapping[str, Json], at: datetime) -> _T | None:
    values: dict[str, object] = {"at": at}
    for name, key, wanted in _KEYS[kind]:
        if key not in body:
            continue
        value = body[key]
        if wanted.startswith("tuple"):
            inner = int if "int" in wanted else str
            if not isinstance(value, list) or not all(isinstance(v, inner) for v in value):
                return None
            values[name] = tuple(value)
        elif wanted.startswith("Mapping"):
            if not isinstance(value, dict):
                return None
            values[name] = {str(k): v for k, v in value.items() if isinstance(v, int)}
        elif not _fits(value, wanted):
            return None
        else:
            values[name] = value
    try:
        return kind(**values)  # type: ignore[arg-type]  # each value was checked against its field
    except TypeError:  # a key that the type needs is not there
        return None


def _fits(value: Json, wanted: str) -> bool:
    if isinstance(value, bool):
        return False
    if wanted.startswith("int"):
        return isinstance(value, int)
    if wanted.startswith("float"):
        return isinstance(value, int | float)
    return isinstance(value, str)


def read(files: Mapping[str, bytes]) -> tuple[Recorded, ...]:
    """Every row of the event files, sorted by (time, id), repeats dropped."""
    return _read(tuple(files.values()))


@functools.lru_cache(maxsize=8)  # a write reads the old and the new rows several times each
def _read(files: tuple[bytes, ...]) -> tuple[Recorded, ...]:
    found: dict[str, Recorded] = {}
    for data in files:
        for line in data.decode("utf-8", "replace").split("\n"):
            if line.startswith("{") and (row := parse(line)) is not None:
                found.setdefault(row.id, row)
    return tuple(sorted(found.values(), key=lambda r: (r.at, r.id)))


FOLDER: Final = ".agent-corp/events"


def add(files: Mapping[str, bytes], rows: Iterable[Row]) -> dict[str, bytes]:
    """The event files that change when `rows` are appended; a full month rolls to `-2`, `-3`, …

    A row that is there already is not written again.
    """
    there = {recorded.id for recorded in read(files)}
    changed: dict[str, bytes] = {}
    for row in sorted(rows, key=lambda r: (r.at, r.id)):
        if row.id in there:
            continue
        there.add(row.id)
        data = row.line().encode("utf-8", "surrogatepass") + b"\n"
        path = _month_file({**files, **changed}, f"{row.at:%Y-%m}", len(data))
        before = changed.get(path, files.get(path, b""))
        if before and not before.endswith(b"\n"):
            before += b"\n"
        changed[path] = before + data
    return changed


def _month_file(files: Mapping[str, bytes], month: str, size: int) -> str:
    number = 1
    while True:
        path = f"{FOLDER}/{month}{'' if number == 1 else f'-{number}'}.jsonl"
        if len(files.get(path, b"")) + size <= MONTH_BYTES:
            return path
        number += 1


def shortened(text: str, limit: int = WORDS) -> str:
    """At most `limit` characters, cut at a word."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    return (head.rsplit(" ", 1)[0] or head).rstrip(" ,;:") + "…"


def as_of(rows: Sequence[Recorded]) -> datetime | None:
    """The time that everything committed is derived at: that of the newest event."""
    return max((row.at for row in rows), default=None)
