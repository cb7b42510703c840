"""Our bullets while a write is being decided: found in the file, known by the events, in an order.

The one mutable value of the domain; it lives as long as one call of `bot.lessons.store.write`.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time

from bot.lessons.bullet import Trailer, Verdict
from bot.lessons.document import Document, Revision
from bot.lessons.history import History, Signal
from bot.lessons.rows import SignalRow
from bot.lessons.standing import StandingFile


@dataclass(slots=True)
class Entry:
    """A bullet of ours, or a standing lesson, while the write is being decided."""

    id: str
    text: str
    trailer: Trailer
    index: int | None
    struck: bool = False
    signals: list[Signal] = field(default_factory=list)
    touched: bool = False
    revision: Revision = field(default_factory=Revision)
    file: StandingFile | None = None  # it stands: its words are in a file of its own

    @property
    def fresh(self) -> bool:
        """Appended in this write."""
        return self.index is None and self.file is None

    @property
    def active(self) -> bool:
        return not self.struck and self.trailer.retirement is None

    @property
    def founder(self) -> bool:
        return self.trailer.verdict is Verdict.FOUNDER_NOTE

    @property
    def job(self) -> str | None:
        return next((s.row.job for s in self.signals if s.row.job), None)


def load(document: Document, history: History) -> tuple[list[Entry], set[int]]:
    """Our bullets in file order, and the indexes of lines that fold into another one.

    Lines with one id are folded: the newer trailer first, a flag over none.
    """
    kept: dict[str, Entry] = {}
    folded: set[int] = set()
    ids = _restored(document, history)
    for index, bullet in enumerate(document.bullets):
        if bullet.trailer is None:
            continue
        identity = ids[index]
        signals = list(history.by_bullet.get(identity, ()))
        entry = Entry(
            id=identity,
            text=bullet.text,
            trailer=bullet.trailer,
            index=index,
            struck=bullet.struck,
            signals=signals,
        )
        if not bullet.marked and identity in history.by_bullet:
            entry.revision = Revision(id=identity)
        twin = kept.get(identity)
        if twin is None or twin.index is None:
            kept[identity] = entry
        elif _rank(entry) > _rank(twin):
            kept[identity] = entry
            folded.add(twin.index)
        else:
            folded.add(index)
    return list(kept.values()), folded


def load_standing(files: Mapping[str, StandingFile], history: History) -> list[Entry]:
    """The standing lessons as candidates: their sentence as a person may have edited it."""
    found: list[Entry] = []
    for file in sorted(files.values(), key=lambda f: f.path):
        signals = list(history.evidence_of(file.id))
        last = signals[-1].row if signals else None
        on = last.at.date() if last else file.as_of or date.min
        channel = file.channel if file.channel in set(Verdict) else Verdict.CHANGES_REQUESTED
        trailer = Trailer(cited(last) if last else "manual", on, Verdict(channel))
        found.append(Entry(file.id, file.sentence, trailer, index=None, signals=signals, file=file))
    return found


def _restored(document: Document, history: History) -> Mapping[int, str]:
    """Ids by index; a lost id comment is found in the events by text, then by a unique trailer."""
    marked = {b.id for b in document.bullets if b.marked}
    ids: dict[int, str] = {}
    for index, bullet in enumerate(document.bullets):
        if bullet.trailer is None or bullet.id is None:
            continue
        ids[index] = bullet.id
        if bullet.marked:
            continue
        free = [s.row for s in history.signals if s.row.bullet not in marked]
        by_text = [r for r in free if r.did == "appended" and r.sentence == bullet.text]
        by_trailer = {
            r.bullet
            for r in free
            if cited(r) == bullet.trailer.ref
            and r.at.date() == bullet.trailer.on
            and r.channel == bullet.trailer.verdict
        }
        if by_text and by_text[0].bullet:
            ids[index] = by_text[0].bullet
        elif len(by_trailer) == 1:
            ids[index] = by_trailer.pop() or bullet.id
    return ids


def _rank(entry: Entry) -> tuple[bool, date]:
    return entry.trailer.retirement is not None, entry.trailer.on


def leaves(
    entry: Entry, invalid: Container[str], *, spared: bool = True
) -> tuple[int, date, bool, datetime]:
    """The order of leaving: retired, never refreshed, refreshed, the new ones, founder notes.

    `invalid`: ids of signals that count no more. `spared`: whether the new ones are.
    """
    valid = [s.row for s in entry.signals if s.id not in invalid]
    evidence = max((row.at for row in valid), default=None)
    evidence = evidence or datetime.combine(entry.trailer.on, time(), UTC)
    if entry.trailer.retirement is not None or entry.struck:
        on = entry.trailer.retirement.on if entry.trailer.retirement else entry.trailer.on
        return 0, on, False, evidence
    rank = 3 if entry.founder else 2 if entry.fresh and spared else 1
    return rank, date.min, any(row.did == "refreshed" for row in valid), evidence


def cited(row: SignalRow) -> str:
    """REF of the trailer that shows this signal."""
    return row.cites or ref(row.pr)


def ref(pr: int) -> str:
    """REF of a pull request's number; 0 is evidence that came from no pull request."""
    return f"#{pr}" if pr else "manual"
