"""The event files of a store: rows as they stand there, and the files that more rows make.

Pure: bytes in, bytes out. What is no row of ours is passed over.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final, TypeVar

from bot.lessons.rows import TYPES, Json, Row, moment

FOLDER: Final = ".agent-corp/events"
MONTH_BYTES: Final = 1_000_000

# Of each field but `at`: its name, its key in the file and its type.
_KEYS: Final[dict[type[Row], tuple[tuple[str, str, str], ...]]] = {
    kind: tuple(
        (each.name, "from" if each.name == "origin_of" else each.name, str(each.type))
        for each in fields(kind)
        if each.name != "at"
    )
    for kind in TYPES.values()
}

_T = TypeVar("_T", bound=Row)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A row as it stands in a file: its written id, and its typed form when we know the type."""

    id: str
    at: datetime
    row: Row | None


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
    known = TYPES.get(kind)
    return Recorded(written, when, _typed(known, body, when) if known else None)


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


def as_of(rows: Sequence[Recorded]) -> datetime | None:
    """The time that everything committed is derived at: that of the newest event."""
    return max((row.at for row in rows), default=None)
