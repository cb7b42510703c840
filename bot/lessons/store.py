"""The write: evidence in, a new lessons file and its event rows out (SPEC 3, 4).

Pure and deterministic: no clock, no network, no model. The same evidence in any order and any
number of times gives the same file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time

from bot.errors import UserError
from bot.lessons import rows
from bot.lessons.bullet import Retirement, Trailer, Verdict, bullet_id, line
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
    Present,
    Snapshot,
)
from bot.lessons.entries import Entry, leaves, load, ref
from bot.lessons.guard import is_conflict
from bot.lessons.history import History, Signal
from bot.lessons.orders import Order, Retire, Settle, Undo
from bot.lessons.retirement import Invalidation, expired, newest, overridden, whereabouts
from bot.lessons.rows import (
    ConflictRow,
    EvictedRow,
    PathRow,
    RetiredRow,
    Row,
    SignalRow,
    StoreRow,
    UndoneRow,
    WriteRow,
)
from bot.lessons.similarity import Comparison, decide
from bot.lessons.tree import named
from bot.settings import Settings

__all__ = [
    "ATTRIBUTES",
    "COUNTED",
    "LESSONS",
    "Change",
    "Conflict",
    "Edit",
    "Evidence",
    "Landed",
    "Present",
    "Snapshot",
    "ref",
    "sweep",
    "write",
]

_ROW_SIGNALS = 100  # ids in one row, which stays under 4 KB


class _Write:
    """One write in progress. Everything it holds starts from its arguments and ends in the Edit."""

    def __init__(self, snapshot: Snapshot, settings: Settings, today: date) -> None:
        self.snapshot = snapshot
        self.settings = settings
        self.today = today
        self.document = Document.parse(snapshot.lessons or HEADER.encode(), today)
        self.history = History.read(snapshot.events, snapshot.repository)
        self.invalid = dict(self.history.invalid)
        self.void: frozenset[str] = frozenset()  # sources none of whose findings count
        self.taken = set(self.history.bullets)
        self.rows: list[Row] = []
        self.told: list[Change] = []
        self.landed: list[Landed] = []
        self.counts: Counter[str] = Counter()
        self.sources: dict[str, str] = {}
        self.prs: set[int] = set()
        self.entries, self.dropped = load(self.document, self.history)
        self.taken |= {entry.id for entry in self.entries}

    # --- evidence ---------------------------------------------------------------------------

    def take(self, evidence: Evidence) -> None:
        """Append, refresh, keep as weak evidence, or nothing; with the reason."""
        known = self._applied(evidence)
        if known:
            self._judge(known, evidence)
            self.landed.append(Landed(evidence, "nothing", reason="applied before"))
            return
        if evidence.strong:
            self._apply(evidence, self._signal(evidence))
            return
        if evidence.invalid is not None or not evidence.matured:
            self.landed.append(Landed(evidence, "nothing", reason="weak: not answered in a merge"))
            return
        self._weigh(evidence)

    def _applied(self, evidence: Evidence) -> list[Signal]:
        """Its signals of earlier writes. A person keeps the findings of a source one by one, so
        notes are told apart by their sentence."""
        return [
            s
            for s in self.history.signals
            if s.row.source == evidence.source
            and (
                s.row.sentence == evidence.lesson.sentence
                or Verdict.FOUNDER_NOTE not in (s.row.channel, evidence.channel)
            )
        ]

    def _judge(self, known: Sequence[Signal], evidence: Evidence) -> None:
        """Marks the signal of this very finding invalid when it is."""
        if evidence.invalid is None:
            return
        same = [s for s in known if s.row.sentence == evidence.lesson.sentence]
        # A finding that reads otherwise today is known only by its review.
        for signal in same or (known if evidence.source in self.void else []):
            self.invalidate(signal, evidence.invalid)

    def _weigh(self, evidence: Evidence) -> None:
        """Weak and answered: a second pull request within the time makes a bullet of both."""
        weak = self.settings.weak
        signal = self._signal(evidence)
        entry, comparison = self._match(signal, evidence.lesson.sentence)
        if entry is not None and any(s.row.pr != evidence.pr for s in entry.signals):
            self._refresh(evidence, signal, entry, comparison)
            return
        met = [
            seen
            for seen in self.history.seen[-500:]
            if seen.row.source not in self.history.applied
            and seen.row.pr != evidence.pr
            and seen.row.channel == evidence.channel
            and seen.row.job == evidence.job
            and abs(evidence.at - seen.row.at) <= weak.within
            and self._same(evidence.lesson.sentence, seen.row.sentence).same
        ]
        if len({seen.row.pr for seen in met}) + 1 >= weak.pull_requests:
            for seen in met:
                self._apply(None, seen.row)
            self._apply(evidence, signal, joins=True)
        elif any(s.row.source == evidence.source and s.row.sentence == evidence.lesson.sentence
                 for s in self.history.seen):  # fmt: skip
            self.landed.append(Landed(evidence, "nothing", reason="weak: seen before"))
        else:
            self.rows.append(signal)
            waits = "weak: waits for another pull request"
            self.landed.append(Landed(evidence, "seen", reason=waits))

    def _signal(self, evidence: Evidence) -> SignalRow:
        lesson = evidence.lesson
        strength: float = getattr(self.settings.strength, evidence.channel)
        paths = [evidence.path] if evidence.path else []
        paths += [p.text for p in named(lesson.sentence)]
        return SignalRow(
            at=evidence.at.replace(microsecond=0),
            source=evidence.source,
            pr=evidence.pr,
            head=evidence.head,
            channel=evidence.channel.value,
            state=evidence.state,
            by=evidence.by,
            strength=strength,
            sentence=lesson.sentence,
            trigger=rows.shortened(lesson.trigger),
            strategy=rows.shortened(lesson.strategy),
            job=evidence.job,
            paths=tuple(dict.fromkeys(paths))[: rows.PATHS],
            base=evidence.base,
        )

    def _same(self, new: str, old: str) -> Comparison:
        return decide(new, old, self.settings.refresh)

    def _match(self, signal: SignalRow, sentence: str) -> tuple[Entry | None, Comparison | None]:
        """The active bullet that this would refresh: the most similar, on a tie the earliest."""
        best: tuple[Entry, Comparison] | None = None
        for entry in self.entries:
            if not self._comparable(entry, signal):
                continue
            comparison = self._same(sentence, entry.text)
            if comparison.same and (best is None or comparison.similarity > best[1].similarity):
                best = entry, comparison
        return best or (None, None)

    def _comparable(self, entry: Entry, signal: SignalRow) -> bool:
        if not entry.active or expired(
            entry.trailer.on, self.settings.store.expire, signal.at.date()
        ):
            return False
        if entry.founder or signal.channel == Verdict.FOUNDER_NOTE:
            return entry.founder and signal.channel == Verdict.FOUNDER_NOTE
        if signal.channel == Verdict.CI_FIX:
            return entry.trailer.verdict is Verdict.CI_FIX and entry.job == signal.job
        return True

    def _apply(self, evidence: Evidence | None, signal: SignalRow, *, joins: bool = False) -> None:
        """`joins`: the second half of weak evidence, part of the append and no refresh."""
        entry, comparison = self._match(signal, signal.sentence)
        if entry is not None:
            self._refresh(evidence, signal, entry, comparison, joins=joins)
        else:
            self._append(evidence, signal)

    def _refresh(
        self,
        evidence: Evidence | None,
        signal: SignalRow,
        entry: Entry,
        comparison: Comparison | None,
        *,
        joins: bool = False,
    ) -> None:
        same_day = (
            s
            for s in entry.signals
            if s.row.pr == signal.pr and s.row.at.date() == signal.at.date()
        )
        if next(same_day, None) is not None:
            if evidence is not None:
                reason = "the bullet cites this pull request and date"
                self.landed.append(Landed(evidence, "nothing", entry.id, comparison, reason))
            return
        if not entry.signals:
            self._adopt(entry)
        older = signal.at.date() < entry.trailer.on
        did = "evidence" if older or joins or evidence is None else "refreshed"
        row = replace(
            signal,
            bullet=entry.id,
            did=did,
            sim=round(comparison.similarity, 3) if comparison else None,
            blend=round(comparison.blend, 3) if comparison else None,
        )
        self._record(evidence, row, entry, comparison)
        if did == "refreshed":
            entry.refreshed = True
            self.counts["refreshed"] += 1
            self.told.append(Change("refreshed", entry.id, entry.text, f"again in {ref(row.pr)}"))

    def _adopt(self, entry: Entry) -> None:
        """Where events are missing, the trailer itself is the one signal."""
        cited = entry.trailer.ref
        row = SignalRow(
            at=datetime.combine(entry.trailer.on, time(), UTC),
            source=f"import:{entry.id}",
            pr=int(cited.removeprefix("#")) if cited.startswith("#") else 0,
            head="",
            channel=entry.trailer.verdict.value,
            state="adopted",
            by=0,
            strength=getattr(self.settings.strength, entry.trailer.verdict),
            sentence=entry.text,
            bullet=entry.id,
            did="evidence",
        )
        self.rows.append(row)
        entry.signals.append(Signal(row.id, row))

    def _append(self, evidence: Evidence | None, signal: SignalRow) -> None:
        identity = bullet_id(signal.sentence, signal.source, self.taken)
        self.taken.add(identity)
        trailer = Trailer(ref(signal.pr), signal.at.date(), Verdict(signal.channel))
        entry = Entry(identity, signal.sentence, trailer, index=None)
        self._note_conflicts(entry, signal)
        self.entries.append(entry)
        self._record(evidence, replace(signal, bullet=identity, did="appended"), entry, None)
        self.counts["appended"] += 1
        self.told.append(Change("appended", identity, signal.sentence, f"from {ref(signal.pr)}"))

    def _record(
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
        self.prs.add(row.pr)
        if evidence is not None:
            self.landed.append(Landed(evidence, row.did or "", entry.id, comparison))
            if evidence.invalid is not None:
                self.invalidate(signal, evidence.invalid)

    def _note_conflicts(self, new: Entry, signal: SignalRow) -> None:
        for entry in self.entries:
            if not self._comparable(entry, signal):
                continue
            comparison = self._same(new.text, entry.text)
            if comparison.apart is not None and is_conflict(comparison.apart):
                self.rows.append(
                    ConflictRow(at=signal.at, a=entry.id, b=new.id, why=comparison.apart.value)
                )

    # --- orders -----------------------------------------------------------------------------

    def obey(self, order: Order) -> None:
        match order:
            case Retire(bullet, _, at):
                self._strike(bullet, at)
            case Undo():
                self._undo(order)
            case Settle(a, b, kept, by, at):
                self.rows.append(ConflictRow(at=at, a=a, b=b, kept=kept, by=by))
                self._strike(a if kept == "b" else b, at)

    def _strike(self, bullet: str, at: datetime) -> None:
        for entry in self.entries:
            if entry.id == bullet and entry.active and entry.index is not None:
                entry.struck = True
                entry.revision = replace(entry.revision, struck=True)
                self.rows.append(RetiredRow(at=at, bullet=bullet, flag="struck"))
                self.told.append(Change("struck", bullet, entry.text))

    def _undo(self, order: Undo) -> None:
        meant = [
            signal
            for signal in self.history.signals
            if signal.id not in self.invalid
            and signal.row.at <= order.at  # an order that is replayed later means no more
            and (signal.row.pr == order.pr or signal.row.by == order.account)
        ]
        for signal in meant:
            self.invalidate(signal, Invalidation("undone", order.at, signal.row.pr))
        if meant:
            ids = tuple(signal.id for signal in meant)
            for at in range(0, len(ids), _ROW_SIGNALS):
                part = ids[at : at + _ROW_SIGNALS]
                self.rows.append(
                    UndoneRow(at=order.at, signals=part, pr=order.pr, by=order.account)
                )

    # --- validity ---------------------------------------------------------------------------

    def invalidate(self, signal: Signal, reason: Invalidation) -> None:
        if signal.id in self.invalid:
            return
        row = reason.row(signal.id)
        row = replace(row, at=row.at.replace(microsecond=0))
        self.invalid[signal.id] = row
        self.rows.append(row)
        self.prs.add(reason.pr)
        for entry in self.entries:
            if any(s.id == signal.id for s in entry.signals):
                entry.touched = True

    def forget_edited(self, present: Sequence[Present], evidence: Sequence[Evidence]) -> None:
        """Signals of a review's earlier text whose finding the edit removed."""
        for review in present:
            prefix = f"review:{review.review}@"
            still = {e.lesson.sentence for e in evidence if e.source == review.source}
            reason = Invalidation("edited", review.edited_at, review.pr)
            for signal in self.history.signals:
                row = signal.row
                if (
                    row.source.startswith(prefix)
                    and row.source != review.source
                    and row.sentence not in still
                    and not any(self._same(sentence, row.sentence).same for sentence in still)
                ):
                    self.invalidate(signal, reason)

    def settle(self) -> None:
        """The trailers of the touched bullets, from their valid signals."""
        for entry in self.entries:
            if not entry.touched:
                continue
            valid = [s for s in entry.signals if s.id not in self.invalid]
            shown = newest(valid or (entry.signals if entry.index is None else []))
            if shown is not None:
                cited, on = ref(shown.row.pr), shown.row.at.date()
                entry.trailer = replace(entry.trailer, ref=cited, on=on)
                if entry.index is not None and entry.active:
                    entry.revision = replace(entry.revision, ref=cited, on=on, id=entry.id)
            flag = overridden(entry.signals, self.invalid) if entry.active else None
            if flag is not None and (not entry.founder or flag.cause == "undone"):
                self.retire(entry, flag)

    def retire(self, entry: Entry, flag: Retirement) -> None:
        entry.trailer = replace(entry.trailer, retirement=flag)
        entry.revision = replace(entry.revision, retirement=flag, id=entry.id)
        did = "undone" if flag.cause == "undone" else flag.flag.value
        self.counts[did] += 1
        at = datetime.combine(flag.on, time(), UTC)
        self.rows.append(RetiredRow(at=at, bullet=entry.id, flag=flag.flag.value, cause=flag.cause))
        self.told.append(Change(did, entry.id, entry.text, flag.cause or ""))

    def expire(self) -> None:
        for entry in self.entries:
            if entry.active:
                flag = expired(entry.trailer.on, self.settings.store.expire, self.today)
                if flag is not None:
                    self.retire(entry, flag)

    def look(self, *, everywhere: bool) -> None:
        """Records paths that appeared, follows moved ones, and marks bullets stale.

        Only the touched bullets when not `everywhere`: the cost of a write stays small.
        """
        tree = self.snapshot.tree
        for entry in self.entries:
            if not entry.active or not (everywhere or entry.touched):
                continue
            paths = named(entry.text)
            seen = self.history.paths_seen.get(entry.id, frozenset())
            found = whereabouts(paths, seen, tree)
            at = datetime.combine(entry.trailer.on, time(), UTC)
            for path in found.appeared:
                self.rows.append(PathRow(at=at, bullet=entry.id, commit=tree.commit, seen=path))
            for old, new in found.moves:
                row = PathRow(at=at, bullet=entry.id, commit=tree.commit, origin_of=old, to=new)
                self.rows.append(row)
                if entry.index is not None:
                    entry.revision = replace(
                        entry.revision, text=(*entry.revision.text, (old, new)), id=entry.id
                    )
                self.told.append(Change("followed", entry.id, entry.text, f"{old} → {new}"))
            if found.stale is not None and everywhere:
                self.retire(entry, found.stale)

    # --- the cap ----------------------------------------------------------------------------

    def trim(self) -> None:
        cap = self.settings.store.cap
        founders = sum(1 for e in self.entries if e.founder and e.active and e.index is not None)
        fresh = [e for e in self.entries if e.index is None and e.active]
        for entry in fresh[max(0, cap - founders) :]:
            self._refuse(entry)
        while len(self.entries) > cap:
            victim = min(self.entries, key=leaves)
            self.entries.remove(victim)
            if victim.index is not None:
                self.dropped.add(victim.index)
            at = max((s.row.at for s in victim.signals), default=None)
            at = at or datetime.combine(victim.trailer.on, time(), UTC)
            self.rows.append(EvictedRow(at=at, bullet=victim.id, by="trim"))
            self.counts["evicted"] += 1
            self.told.append(Change("evicted", victim.id, victim.text, str(victim.trailer)))

    def _refuse(self, entry: Entry) -> None:
        """Founder notes alone fill the cap: nothing is appended."""
        self.entries.remove(entry)
        mine = {s.id for s in entry.signals}
        self.rows = [r for r in self.rows if r.id not in mine and getattr(r, "b", "") != entry.id]
        self.told = [c for c in self.told if c.bullet != entry.id]
        self.counts["appended"] -= 1
        self.landed = [
            replace(each, did="nothing", bullet=None, reason="founder notes fill the store")
            if each.bullet == entry.id
            else each
            for each in self.landed
        ]

    # --- out --------------------------------------------------------------------------------

    def edit(self) -> Edit:
        revisions = {
            e.index: e.revision
            for e in self.entries
            if e.index is not None and e.revision != Revision()
        }
        appended = [line(e.text, e.trailer, e.id) for e in self.entries if e.index is None]
        counts = {name: self.counts[name] for name in COUNTED if self.counts[name] > 0}
        data = self.document.edit(revisions, self.dropped, appended)
        readable = data != (self.snapshot.lessons or HEADER.encode())
        changes: dict[str, bytes | None] = {}
        if readable:
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
        known = History.read(self.snapshot.events).stores
        mine = self.snapshot.repository
        if not known or (mine and all(store.repo != mine for store in known)):
            found.append(self._store_row(at, known))
        if counts:
            active = sum(1 for e in self.entries if e.active)
            found.append(WriteRow(at=at, counts=counts, prs=tuple(sorted(self.prs)), active=active))
        self.rows = found
        return rows.add(self.snapshot.events, found)

    def _store_row(self, at: datetime, known: Sequence[StoreRow]) -> StoreRow:
        if known and known[0].repo:
            # Own evidence is never older than the repository; what was copied is.
            since = self.snapshot.created_at or at
            return StoreRow(since, self.snapshot.repository, "copied", known[0].repo)
        origin = "adopted" if known or (self.document.ours and self.snapshot.lessons) else "new"
        return StoreRow(at, self.snapshot.repository, origin)


def write(
    snapshot: Snapshot,
    evidence: Sequence[Evidence],
    settings: Settings,
    today: date,
    *,
    present: Sequence[Present] = (),
    orders: Sequence[Order] = (),
    housekeeping: bool = False,
) -> Edit:
    """The edit that this evidence makes to the store; `today` (UTC) only tells future dates.

    `evidence` holds everything its pull requests say now, also what was applied before; `orders`
    are obeyed after it.
    `housekeeping`: also expiry as of `today`, and paths that appeared, moved or went. Raises
    UserError when the file's shape would swallow a new bullet.
    """
    work = _Write(snapshot, settings, today)
    unique = {(e.source, e.lesson.sentence): e for e in evidence}
    ordered = sorted(unique.values(), key=lambda e: (e.at, e.pr, e.source))
    work.void = frozenset(e.source for e in ordered) - {
        e.source for e in ordered if e.invalid is None
    }
    work.forget_edited(present, ordered)
    for each in ordered:
        work.take(each)
    for order in orders:
        work.obey(order)
    work.settle()
    if housekeeping:
        work.expire()
    work.look(everywhere=housekeeping)
    work.trim()
    return work.edit()


def sweep(snapshot: Snapshot, settings: Settings, today: date) -> Edit:
    """Housekeeping alone."""
    return write(snapshot, (), settings, today, housekeeping=True)
