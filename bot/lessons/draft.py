"""One write in progress: what it starts from, what it has decided so far, the edit it ends in.

Mutable, and alive as long as one call of `bot.lessons.store.write`. What is decided, and in what
order, is in `learning`, `upkeep` and `elevation`; here is how it is put down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time

from bot.errors import UserError
from bot.lessons import event_files
from bot.lessons.belonging import store_row
from bot.lessons.bullet import Retirement, line
from bot.lessons.document import HEADER, Document, Revision
from bot.lessons.edit import (
    ATTRIBUTES,
    ATTRIBUTES_TEXT,
    COUNTED,
    LESSONS,
    Change,
    Conflict,
    Edit,
    Evidence,
    Landed,
    Snapshot,
)
from bot.lessons.entries import Entry, load, load_standing
from bot.lessons.history import History, Signal
from bot.lessons.retirement import Invalidation
from bot.lessons.rows import (
    AdherenceRow,
    ConflictRow,
    RetiredRow,
    Row,
    SignalRow,
    WriteRow,
)
from bot.lessons.similarity import Comparison, decide
from bot.lessons.standing import parse
from bot.settings import Settings


class Draft:
    """Everything it holds starts from its arguments."""

    def __init__(self, snapshot: Snapshot, settings: Settings, today: date) -> None:
        self.snapshot = snapshot
        self.settings = settings
        self.today = today
        self.document = Document.parse(snapshot.lessons or HEADER.encode(), today)
        self.history = History.read(snapshot.events, snapshot.repository)
        self.invalid = dict(self.history.invalid)
        self.void: frozenset[str] = frozenset()  # sources none of whose findings count
        self.declined = self.history.declined
        self.taken = set(self.history.bullets)
        self.rows: list[Row] = []
        self.told: list[Change] = []
        self.landed: list[Landed] = []
        self.counts: Counter[str] = Counter()
        self.sources: dict[str, str] = {}
        self.prs: set[int] = set()
        self.entries, self.dropped = load(self.document, self.history)
        files = {path: parse(path, data) for path, data in snapshot.standing.items()}
        self.standing = load_standing(
            {path: file for path, file in files.items() if file}, self.history
        )
        self.taken |= {entry.id for entry in (*self.entries, *self.standing)}
        self.files: dict[str, bytes | None] = {}  # of standing lessons and markers
        self.verdicts: dict[str, list[AdherenceRow]] = {}  # by standing lesson
        self.roots = dict(self.history.roots)

    def invalidate(self, signal: Signal, reason: Invalidation) -> None:
        if signal.id in self.invalid:
            return
        row = reason.row(signal.id)
        row = replace(row, at=row.at.replace(microsecond=0))
        self.invalid[signal.id] = row
        self.rows.append(row)
        self._hear(reason.pr)
        for entry in (*self.standing, *self.entries):
            if any(s.id == signal.id for s in entry.signals):
                entry.touched = True

    def _hear(self, pr: int) -> None:
        if pr:  # 0 is evidence that came from no pull request
            self.prs.add(pr)

    def retire(self, entry: Entry, flag: Retirement) -> None:
        entry.trailer = replace(entry.trailer, retirement=flag)
        entry.revision = replace(entry.revision, retirement=flag, id=entry.id)
        did = "undone" if flag.cause == "undone" else flag.flag.value
        self.counts[did] += 1
        at = datetime.combine(flag.on, time(), UTC)
        self.rows.append(RetiredRow(at=at, bullet=entry.id, flag=flag.flag.value, cause=flag.cause))
        self.told.append(Change(did, entry.id, entry.text, flag.cause or ""))

    def record(
        self,
        evidence: Evidence | None,
        row: SignalRow,
        entry: Entry,
        comparison: Comparison | None,
    ) -> None:
        self.rows.append(row)
        signal = Signal(row.id, row)
        entry.signals.append(signal)
        entry.touched = True
        self.sources[row.source] = row.head
        self._hear(row.pr)
        if evidence is not None:
            self.landed.append(Landed(evidence, row.did or "", entry.id, comparison))
            if evidence.invalid is not None:
                self.invalidate(signal, evidence.invalid)

    def edit(self) -> Edit:
        revisions = {
            e.index: e.revision
            for e in self.entries
            if e.index is not None and e.revision != Revision()
        }
        appended = [line(e.text, e.trailer, e.id) for e in self.entries if e.fresh]
        counts = {name: self.counts[name] for name in COUNTED if self.counts[name] > 0}
        data = self.document.edit(revisions, self.dropped, appended)
        readable = data != (self.snapshot.lessons or HEADER.encode())
        changes: dict[str, bytes | None] = dict(self.files)
        readable = readable or bool(changes)
        if data != (self.snapshot.lessons or HEADER.encode()):
            self._check(data, len(appended))
            changes[LESSONS] = data
        if readable or self.rows:
            changes.update(self._record_rows(counts))
            if not self.snapshot.attributes:
                changes[ATTRIBUTES] = ATTRIBUTES_TEXT
        repeats = sum(1 for each in self.landed if each.did == "nothing" and each.bullet)
        return Edit(
            changes=changes,
            counts=counts,
            rows=tuple(self.rows),
            landed=tuple(self.landed),
            told=tuple(self.told),
            sources=tuple(self.sources.items()),
            prs=tuple(sorted(self.prs)),
            readable=readable,
            repeats=repeats,
            conflicts=self._open_conflicts(),
        )

    def _open_conflicts(self) -> tuple[Conflict, ...]:
        """Those that nobody has decided and both of whose sides are still active."""
        found = [
            *self.history.open_conflicts,
            *(r for r in self.rows if isinstance(r, ConflictRow)),
        ]
        decided = {frozenset((row.a, row.b)) for row in found if row.kept}
        active = {entry.id: entry for entry in self.entries if entry.active}
        pairs = {
            frozenset((row.a, row.b)): row
            for row in found
            if row.why and row.a in active and row.b in active
        }
        return tuple(
            Conflict(
                row.a,
                row.b,
                row.why or "",
                active[row.a].text,
                active[row.b].text,
                next((s.row.pr for s in active[row.b].signals), 0),
                row.at,
            )
            for pair, row in pairs.items()
            if pair not in decided
        )

    def _check(self, data: bytes, appended: int) -> None:
        """A bullet that would land in an unclosed fence or comment is not written at all."""
        before = len(self.document.ours) - len(self.dropped)
        if len(Document.parse(data, self.today).ours) != before + appended:
            raise UserError(
                "a new bullet would not be read as one there.",
                file=LESSONS,
                remedy="Close the code fence or HTML comment that is open at the end of the list.",
            )

    def _record_rows(self, counts: Mapping[str, int]) -> Mapping[str, bytes]:
        at = max((row.at for row in self.rows), default=datetime.combine(self.today, time(), UTC))
        found: list[Row] = list(self.rows)
        if (first := store_row(self.snapshot, at, self.today)) is not None:
            found.append(first)
        if counts:
            active = sum(1 for e in self.entries if e.active)
            found.append(WriteRow(at=at, counts=counts, prs=tuple(sorted(self.prs)), active=active))
        self.rows = found
        return event_files.add(self.snapshot.events, found)

    @property
    def as_of(self) -> datetime:
        """The time that everything committed is derived at: that of the newest event."""
        known = [r.at for r in self.history.recorded] + [r.at for r in self.rows]
        return max(known, default=datetime.combine(self.today, time(), UTC))

    def root_of(self, bullet: str) -> str:
        """The id under which a bullet's lesson stood before, or its own."""
        return self.roots.get(bullet, bullet)

    def compare(self, new: str, old: str) -> Comparison:
        return decide(new, old, self.settings.refresh)
