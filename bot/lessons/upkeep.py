"""What is done to bullets that are there: validity, expiry, moved files, orders, the cap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time

from bot.lessons.draft import Draft
from bot.lessons.edit import Change, Evidence, Present
from bot.lessons.elevation import withdraw
from bot.lessons.entries import Entry, cited, leaves
from bot.lessons.orders import Order, Retire, Settle, Undo
from bot.lessons.retirement import Invalidation, expired, newest, overridden, whereabouts
from bot.lessons.rows import ConflictRow, EvictedRow, PathRow, RetiredRow, UndoneRow
from bot.lessons.tree import named

_ROW_SIGNALS = 100  # ids in one row, which stays under 4 KB


def forget_edited(draft: Draft, present: Sequence[Present], evidence: Sequence[Evidence]) -> None:
    """Signals of a review's earlier text whose finding the edit removed."""
    for review in present:
        prefix = f"review:{review.review}@"
        still = {e.lesson.sentence for e in evidence if e.source == review.source}
        reason = Invalidation("edited", review.edited_at, review.pr)
        for signal in draft.history.signals:
            row = signal.row
            if (
                row.source.startswith(prefix)
                and row.source != review.source
                and row.sentence not in still
                and not any(draft.compare(sentence, row.sentence).same for sentence in still)
            ):
                draft.invalidate(signal, reason)


def settle(draft: Draft) -> None:
    """The trailers of the touched bullets, from their valid signals."""
    for entry in draft.entries:
        if not entry.touched:
            continue
        valid = [s for s in entry.signals if s.id not in draft.invalid]
        shown = newest(valid or (entry.signals if entry.fresh else []))
        if shown is not None:
            ref, on = cited(shown.row), shown.row.at.date()
            entry.trailer = replace(entry.trailer, ref=ref, on=on)
            if entry.index is not None and entry.active:
                entry.revision = replace(entry.revision, ref=ref, on=on, id=entry.id)
        flag = overridden(entry.signals, draft.invalid) if entry.active else None
        if flag is not None and (not entry.founder or flag.cause == "undone"):
            draft.retire(entry, flag)


def expire(draft: Draft) -> None:
    for entry in draft.entries:
        if entry.active:
            flag = expired(entry.trailer.on, draft.settings.store.expire, draft.today)
            if flag is not None:
                draft.retire(entry, flag)


def look(draft: Draft, *, everywhere: bool) -> None:
    """Records paths that appeared, follows moved ones, and marks bullets stale.

    Only the touched bullets when not `everywhere`: the cost of a write stays small.
    """
    tree = draft.snapshot.tree
    looked_at = [
        (entry, named(entry.text))
        for entry in draft.entries
        if entry.active and (everywhere or entry.touched)
    ]
    tree.expect({each.exact for _, paths in looked_at for each in paths if each.exact is not None})
    for entry, paths in looked_at:
        seen = draft.history.paths_seen.get(entry.id, frozenset())
        found = whereabouts(paths, seen, tree)
        at = datetime.combine(entry.trailer.on, time(), UTC)
        for path in found.appeared:
            draft.rows.append(PathRow(at=at, bullet=entry.id, commit=tree.commit, seen=path))
        for old, new in found.moves:
            row = PathRow(at=at, bullet=entry.id, commit=tree.commit, origin_of=old, to=new)
            draft.rows.append(row)
            if entry.index is not None:
                entry.revision = replace(
                    entry.revision, text=(*entry.revision.text, (old, new)), id=entry.id
                )
            draft.told.append(Change("followed", entry.id, entry.text, f"{old} → {new}"))
        if found.stale is not None and everywhere:
            draft.retire(entry, found.stale)


def obey(draft: Draft, order: Order) -> None:
    match order:
        case Retire(bullet, _, at):
            strike(draft, bullet, at)
            withdraw(draft, bullet, at, "retired")
        case Undo():
            _undo(draft, order)
        case Settle(a, b, kept, by, at):
            draft.rows.append(ConflictRow(at=at, a=a, b=b, kept=kept, by=by))
            strike(draft, a if kept == "b" else b, at)


def strike(draft: Draft, bullet: str, at: datetime) -> None:
    for entry in draft.entries:
        if entry.id == bullet and entry.active and entry.index is not None:
            entry.struck = True
            entry.revision = replace(entry.revision, struck=True)
            draft.rows.append(RetiredRow(at=at, bullet=bullet, flag="struck"))
            draft.told.append(Change("struck", bullet, entry.text))


def _undo(draft: Draft, order: Undo) -> None:
    meant = [
        signal
        for signal in draft.history.signals
        if signal.id not in draft.invalid
        and signal.row.at <= order.at  # an order that is replayed later means no more
        and (signal.row.pr == order.pr or signal.row.by == order.account)
    ]
    for signal in meant:
        draft.invalidate(signal, Invalidation("undone", order.at, signal.row.pr))
    if meant:
        ids = tuple(signal.id for signal in meant)
        for at in range(0, len(ids), _ROW_SIGNALS):
            part = ids[at : at + _ROW_SIGNALS]
            draft.rows.append(UndoneRow(at=order.at, signals=part, pr=order.pr, by=order.account))


def leave_out(draft: Draft) -> None:
    """New bullets that would be retired by now: on record, never in the file."""
    for entry in [e for e in draft.entries if e.fresh]:
        flag = expired(entry.trailer.on, draft.settings.store.expire, draft.today)
        if entry.active and flag is not None:
            draft.retire(entry, flag)
        if not entry.active:
            _put_aside(draft, entry)


def _put_aside(draft: Draft, entry: Entry) -> None:
    """The rows stay; what is told and counted is what becomes of the file."""
    draft.entries.remove(entry)
    for change in draft.told:
        if change.bullet == entry.id:
            draft.counts[change.did] -= 1
    draft.told = [change for change in draft.told if change.bullet != entry.id]


def trim(draft: Draft, *, past: bool = False) -> None:
    """`past`: a bullet is not spared for being new."""
    cap = draft.settings.store.cap
    founders = sum(1 for e in draft.entries if e.founder and e.active and e.index is not None)
    fresh = [e for e in draft.entries if e.fresh and e.active]
    for entry in fresh if founders >= cap else []:
        _refuse(draft, entry)
    while len(draft.entries) > cap:
        victim = min(draft.entries, key=lambda e: leaves(e, draft.invalid, spared=not past))
        at = max((s.row.at for s in victim.signals), default=None)
        at = at or datetime.combine(victim.trailer.on, time(), UTC)
        draft.rows.append(EvictedRow(at=at, bullet=victim.id, by="trim"))
        if past and victim.fresh:
            _put_aside(draft, victim)
            continue
        draft.entries.remove(victim)
        if victim.index is not None:
            draft.dropped.add(victim.index)
        draft.counts["evicted"] += 1
        draft.told.append(Change("evicted", victim.id, victim.text, str(victim.trailer)))


def _refuse(draft: Draft, entry: Entry) -> None:
    """Founder notes alone fill the cap: nothing is appended."""
    draft.entries.remove(entry)
    mine = {s.id for s in entry.signals}
    draft.rows = [r for r in draft.rows if r.id not in mine and getattr(r, "b", "") != entry.id]
    draft.told = [c for c in draft.told if c.bullet != entry.id]
    draft.counts["appended"] -= 1
    draft.landed = [
        replace(each, did="nothing", bullet=None, reason="founder notes fill the store")
        if each.bullet == entry.id
        else each
        for each in draft.landed
    ]
