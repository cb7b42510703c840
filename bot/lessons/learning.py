"""Append or refresh: what one piece of evidence does to the store (SPEC 3.5-3.12, 9 weak)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time

from bot.lessons import rows
from bot.lessons.bullet import Flag, Trailer, Verdict, bullet_id
from bot.lessons.draft import Draft
from bot.lessons.edit import Change, Evidence, Landed
from bot.lessons.entries import Entry, cited
from bot.lessons.guard import is_conflict
from bot.lessons.history import Signal
from bot.lessons.retirement import expired
from bot.lessons.rows import ConflictRow, PromotedRow, SignalRow
from bot.lessons.similarity import Comparison
from bot.lessons.standing import REVOKED
from bot.lessons.tree import named

IMPORT = "import:"  # then the bullet's id: brought in from elsewhere, or there before the events


def take(draft: Draft, evidence: Evidence) -> None:
    """Append, refresh, keep as weak evidence, or nothing; with the reason."""
    known = _applied(draft, evidence)
    if known:
        _judge(draft, known, evidence)
        draft.landed.append(Landed(evidence, "nothing", reason="applied before"))
        return
    if evidence.recall is not None:
        draft.landed.append(Landed(evidence, "nothing", reason=f"no evidence: {evidence.recall}"))
        return
    if evidence.source in draft.declined:
        draft.landed.append(Landed(evidence, "nothing", reason="declined in a pull request"))
        return
    if evidence.source.startswith(IMPORT):
        _bring(draft, evidence)
        return
    if evidence.strong:
        _apply(draft, evidence, signal_of(draft, evidence))
        return
    if evidence.invalid is not None or not evidence.matured:
        draft.landed.append(Landed(evidence, "nothing", reason="weak: not answered in a merge"))
        return
    _weigh(draft, evidence)


def _applied(draft: Draft, evidence: Evidence) -> list[Signal]:
    """Its signals of earlier writes. A person keeps the findings of a source one by one, so
    notes are told apart by their sentence."""
    return [
        s
        for s in draft.history.signals
        if s.row.source == evidence.source
        and (
            s.row.sentence == evidence.lesson.sentence
            or Verdict.FOUNDER_NOTE not in (s.row.channel, evidence.channel)
        )
    ]


def _judge(draft: Draft, known: Sequence[Signal], evidence: Evidence) -> None:
    """Marks the signal of this very finding invalid when it is."""
    if evidence.invalid is None:
        return
    same = [s for s in known if s.row.sentence == evidence.lesson.sentence]
    # A finding that reads otherwise today is known only by its review.
    for signal in same or (known if evidence.source in draft.void else []):
        draft.invalidate(signal, evidence.invalid)


def _bring(draft: Draft, evidence: Evidence) -> None:
    """Another store's bullet fills a gap: it renews nothing, and brings nothing back."""
    signal = signal_of(draft, evidence)
    entry, comparison = match(draft, signal, signal.sentence)
    if entry is not None:
        reason = "a lesson like it is here already"
        draft.landed.append(Landed(evidence, "nothing", entry.id, comparison, reason))
    elif gone := next((e for e in draft.entries if _put_down(draft, e, signal)), None):
        reason = "a lesson like it was retired here"
        draft.landed.append(Landed(evidence, "nothing", gone.id, None, reason))
    else:
        append(draft, evidence, signal)


def _put_down(draft: Draft, entry: Entry, signal: SignalRow) -> bool:
    """Whether the same was here and ended otherwise than by time."""
    flag = entry.trailer.retirement
    by_time = flag is not None and flag.flag is Flag.EXPIRED
    return not (entry.active or by_time) and draft.compare(signal.sentence, entry.text).same


def _weigh(draft: Draft, evidence: Evidence) -> None:
    """Weak and answered: a second pull request within the time makes a bullet of both."""
    weak = draft.settings.weak
    signal = signal_of(draft, evidence)
    entry, comparison = match(draft, signal, evidence.lesson.sentence)
    if entry is not None and any(s.row.pr != evidence.pr for s in entry.signals):
        _refresh(draft, evidence, signal, entry, comparison)
        return
    here = [row for row in draft.rows if isinstance(row, SignalRow)]  # of this very write
    applied = draft.history.applied | {row.source for row in here if row.bullet}
    met = [
        seen
        for seen in (
            *(s.row for s in draft.history.seen[-500:]),
            *(row for row in here if not row.bullet),
        )
        if seen.source not in applied
        and seen.pr != evidence.pr
        and seen.channel == evidence.channel
        and seen.job == evidence.job
        and abs(evidence.at - seen.at) <= weak.within
        and draft.compare(evidence.lesson.sentence, seen.sentence).same
    ]
    if len({seen.pr for seen in met}) + 1 >= weak.pull_requests:
        for seen in met:
            _apply(draft, None, seen)
        _apply(draft, evidence, signal, joins=True)
    elif any(s.row.source == evidence.source and s.row.sentence == evidence.lesson.sentence
             for s in draft.history.seen):  # fmt: skip
        draft.landed.append(Landed(evidence, "nothing", reason="weak: seen before"))
    else:
        draft.rows.append(signal)
        waits = "weak: waits for another pull request"
        draft.landed.append(Landed(evidence, "seen", reason=waits))


def signal_of(draft: Draft, evidence: Evidence) -> SignalRow:
    lesson = evidence.lesson
    strength: float = getattr(draft.settings.strength, evidence.channel)
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
        cites=evidence.cites,
    )


def match(draft: Draft, signal: SignalRow, sentence: str) -> tuple[Entry | None, Comparison | None]:
    """What this would refresh: the most similar; on a tie a standing lesson, then the earliest."""
    best: tuple[Entry, Comparison] | None = None
    for entry in (*draft.standing, *draft.entries):
        if not _comparable(draft, entry, signal):
            continue
        comparison = draft.compare(sentence, entry.text)
        if comparison.same and (best is None or comparison.similarity > best[1].similarity):
            best = entry, comparison
    return best or (None, None)


def _comparable(draft: Draft, entry: Entry, signal: SignalRow) -> bool:
    if not entry.active:
        return False
    # The trailer shows what this write has found so far only at its end.
    renewed = [s.row.at.date() for s in entry.signals if s.id not in draft.invalid]
    on = max([entry.trailer.on, *renewed])
    aged = expired(on, draft.settings.store.expire, signal.at.date())
    if aged is not None and entry.file is None:  # what stands does not expire
        return False
    if entry.founder or signal.channel == Verdict.FOUNDER_NOTE:
        return entry.founder and signal.channel == Verdict.FOUNDER_NOTE
    if signal.channel == Verdict.CI_FIX:
        return entry.trailer.verdict is Verdict.CI_FIX and entry.job == signal.job
    return True


def _apply(
    draft: Draft, evidence: Evidence | None, signal: SignalRow, *, joins: bool = False
) -> None:
    """`joins`: the second half of weak evidence, part of the append and no refresh."""
    entry, comparison = match(draft, signal, signal.sentence)
    if entry is not None:
        _refresh(draft, evidence, signal, entry, comparison, joins=joins)
    else:
        append(draft, evidence, signal)


def _refresh(
    draft: Draft,
    evidence: Evidence | None,
    signal: SignalRow,
    entry: Entry,
    comparison: Comparison | None,
    *,
    joins: bool = False,
) -> None:
    same_day = (
        s for s in entry.signals if s.row.pr == signal.pr and s.row.at.date() == signal.at.date()
    )
    if next(same_day, None) is not None:
        if evidence is not None:
            reason = "the bullet cites this pull request and date"
            draft.landed.append(Landed(evidence, "nothing", entry.id, comparison, reason))
        return
    if not entry.signals:
        _adopt(draft, entry)
    older = signal.at.date() < entry.trailer.on
    did = "evidence" if older or joins or evidence is None else "refreshed"
    row = replace(
        signal,
        bullet=entry.id,
        did=did,
        sim=round(comparison.similarity, 3) if comparison else None,
        blend=round(comparison.blend, 3) if comparison else None,
    )
    draft.record(evidence, row, entry, comparison)
    if did == "refreshed":
        draft.counts["refreshed"] += 1
        draft.told.append(Change("refreshed", entry.id, entry.text, f"again in {cited(row)}"))


def _adopt(draft: Draft, entry: Entry) -> None:
    """Where events are missing, the trailer itself is the one signal."""
    ref = entry.trailer.ref
    row = SignalRow(
        at=datetime.combine(entry.trailer.on, time(), UTC),
        source=f"{IMPORT}{entry.id}",
        pr=int(ref.removeprefix("#")) if ref.startswith("#") else 0,
        head="",
        channel=entry.trailer.verdict.value,
        state="adopted",
        by=0,
        strength=getattr(draft.settings.strength, entry.trailer.verdict),
        sentence=entry.text,
        bullet=entry.id,
        did="evidence",
        cites=ref if "/" in ref else None,
    )
    draft.rows.append(row)
    entry.signals.append(Signal(row.id, row))


def append(
    draft: Draft, evidence: Evidence | None, signal: SignalRow, *, succeeds: str | None = None
) -> Entry:
    """A new bullet. `succeeds`: the lesson that fell and goes on in it."""
    identity = bullet_id(signal.sentence, signal.source, draft.taken)
    draft.taken.add(identity)
    trailer = Trailer(cited(signal), signal.at.date(), Verdict(signal.channel))
    entry = Entry(identity, signal.sentence, trailer, index=None)
    root = succeeds or _fallen(draft, signal)
    if root is not None:
        draft.roots[identity] = root
    _note_conflicts(draft, entry, signal)
    draft.entries.append(entry)
    row = replace(signal, bullet=identity, did="appended", succeeds=root)
    draft.record(evidence, row, entry, None)
    draft.counts["appended"] += 1
    draft.told.append(Change("appended", identity, signal.sentence, f"from {cited(signal)}"))
    return entry


def _fallen(draft: Draft, signal: SignalRow) -> str | None:
    """The lesson that stood once, does not now, and is said again: it is re-earned under its id."""
    for lesson, row in draft.history.status.items():
        if isinstance(row, PromotedRow) or f"{REVOKED}/{lesson}" not in draft.snapshot.markers:
            continue
        wordings = {s.row.sentence for s in draft.history.evidence_of(lesson)}
        if any(draft.compare(signal.sentence, each).same for each in wordings):
            return lesson
    return None


def _note_conflicts(draft: Draft, new: Entry, signal: SignalRow) -> None:
    for entry in draft.entries:
        if not _comparable(draft, entry, signal):
            continue
        comparison = draft.compare(new.text, entry.text)
        if comparison.apart is not None and is_conflict(comparison.apart):
            draft.rows.append(
                ConflictRow(at=signal.at, a=entry.id, b=new.id, why=comparison.apart.value)
            )
