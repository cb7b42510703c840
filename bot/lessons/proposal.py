"""What a proposed lessons file says beyond the one that stands, and what people changed in it.

Pure: two versions of a file in, changes out. Knows no branch and no pull request.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from bot.lessons.bullet import Verdict
from bot.lessons.document import Bullet, Document
from bot.lessons.edit import Change, Evidence
from bot.lessons.history import History
from bot.lessons.lesson import Lesson
from bot.lessons.retirement import Invalidation
from bot.lessons.rows import DeclinedRow, InvalidRow

_ID = re.compile(r"<!--\s*([0-9a-f]{8})\s*-->\s*\Z")
_ROW_SOURCES = 50  # of some forty characters each: a row stays under 4 KB


def proposed(
    stands: bytes | None,
    proposal: bytes | None,
    today: date,
    promoted: Collection[str] = (),
) -> tuple[Change, ...]:
    """The bullets that accepting would add, renew, retire or take away, in the order of the file.

    `today` (UTC) is what makes a trailer's date a future one. `promoted`: ids of bullets that the
    proposal has in files of their own.
    """
    before = {b.id: b for b in Document.parse(stands or b"", today).ours}
    after = Document.parse(proposal or b"", today).ours
    there = {b.id for b in after}
    found = [change for b in after if (change := _change(before.get(b.id), b)) is not None]
    gone = [b for b in before.values() if b.id not in there]
    left = [
        Change("promoted" if b.id in promoted else "evicted", b.id or "", b.text, str(b.trailer))
        for b in gone
    ]
    return (*found, *left)


def _change(old: Bullet | None, new: Bullet) -> Change | None:
    trailer, identity = new.trailer, new.id or ""
    if trailer is None:
        return None
    if old is None or old.trailer is None:
        return Change("appended", identity, new.text, f"from {trailer.ref}")
    if new.struck and not old.struck:
        return Change("struck", identity, new.text)
    if trailer.retirement is not None and old.trailer.retirement is None:
        did = trailer.retirement.flag.value
        return Change(did, identity, new.text, trailer.retirement.cause or "")
    if (trailer.ref, trailer.on) != (old.trailer.ref, old.trailer.on):
        return Change("refreshed", identity, new.text, f"again in {trailer.ref}")
    return Change("reworded", identity, new.text) if new.text != old.text else None


def declined(proposal: History, stands: History, pr: int, at: datetime) -> tuple[DeclinedRow, ...]:
    """The rows for a proposal `pr` that was closed unmerged: its sources, and no others."""
    sources = sorted(proposal.sources - stands.sources)
    parts = [sources[i : i + _ROW_SOURCES] for i in range(0, len(sources), _ROW_SOURCES)]
    return tuple(DeclinedRow(at.replace(microsecond=0), pr, tuple(part)) for part in parts)


def salvaged(proposal: History, stands: History) -> tuple[Evidence, ...]:
    """The evidence that only the proposal has, to be weighed again elsewhere."""
    signals = [(s.id, s.row) for s in (*proposal.seen, *proposal.signals)]
    return tuple(
        Evidence(
            source=row.source,
            pr=row.pr,
            head=row.head,
            channel=Verdict(row.channel),
            state=row.state,
            by=row.by,
            at=row.at,
            lesson=Lesson(row.sentence, row.trigger, row.strategy),
            strong=row.bullet is not None,
            matured=True,
            invalid=_invalid(proposal.invalid.get(identity)),
            base=row.base,
            job=row.job,
        )
        for identity, row in signals
        if row.source not in stands.sources and row.channel in set(Verdict)
    )


def _invalid(row: InvalidRow | None) -> Invalidation | None:
    return None if row is None else Invalidation(row.why, row.at, row.pr, row.by)


_LONG = 2_000  # lines; a store's file has some dozens


@dataclass(frozen=True, slots=True)
class Reapplied:
    """The file with a person's edit in it; `lost` are lines of it that found no place."""

    data: bytes
    lost: tuple[str, ...] = ()


def reapply(before: bytes, after: bytes, onto: bytes) -> Reapplied:
    """What a person changed from `before` to `after`, done again to `onto`, line by line.

    A line is found by the id of its bullet, otherwise by its text. Lines that were added and have
    lost their neighbour go to the end.
    """
    if before == after:
        return Reapplied(onto)
    old, new, lines = _lines(before), _lines(after), _lines(onto)
    lost: list[str] = []
    # In a long file no line that stands there a hundred times is matched with each of them.
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=len(new) > _LONG)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "equal":
            continue
        wanted = new[start:end]
        if kind == "insert":
            _insert(lines, old[first - 1] if first else None, wanted)
            continue
        places = [_place(lines, line) for line in old[first:last]]
        here = [place for place in places if place is not None]
        if len(here) < len(places):
            lost += [line.strip() for line in wanted or old[first:last]]
        elif here:
            for place in sorted(here, reverse=True):
                del lines[place]
            lines[min(here) : min(here)] = wanted
    return Reapplied("".join(lines).encode("utf-8", "surrogateescape"), tuple(lost))


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "surrogateescape").splitlines(keepends=True)


def _key(line: str) -> str:
    found = _ID.search(line)
    return found.group(1) if found else line.strip()


def _place(lines: Sequence[str], line: str) -> int | None:
    key = _key(line)
    return next((at for at, each in enumerate(lines) if _key(each) == key), None)


def _insert(lines: list[str], neighbour: str | None, wanted: Sequence[str]) -> None:
    place = _place(lines, neighbour) if neighbour is not None else -1
    at = len(lines) if place is None else place + 1
    if at and not lines[at - 1].endswith(("\n", "\r")):
        lines[at - 1] += "\n"
    lines[at:at] = wanted
