"""Lessons that rise to a file of their own, fall back, or were taken away by a person (SPEC 6).

A file's existence is the status; a marker says why one is gone. Only standing lessons are judged.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from bot.lessons.draft import Draft
from bot.lessons.edit import Change, Evidence, Outcome
from bot.lessons.entries import Entry, cited
from bot.lessons.history import History, Signal
from bot.lessons.learning import append, signal_of
from bot.lessons.merit import FOLLOWED, VIOLATED, falls, merit, weight
from bot.lessons.rows import AdherenceRow, DemotedRow, PromotedRow, RevokedRow, moment
from bot.lessons.standing import REVOKED, identity_of, marker, new_file
from bot.lessons.standing import Evidence as EvidenceLine
from bot.lessons.tree import named


def notice_deleted(draft: Draft) -> None:
    """A standing file that a person deleted revokes its lesson until a newer signal."""
    there = {identity_of(path) for path in draft.snapshot.standing}
    tree = draft.snapshot.tree
    for lesson, row in draft.history.status.items():
        if isinstance(row, PromotedRow) and lesson not in there:
            fate = tree.fate(row.file)
            at = fate.at if fate and fate.at else draft.as_of
            _mark_revoked(draft, lesson, at, "revoked")


def _mark_revoked(draft: Draft, lesson: str, at: datetime, why: str) -> None:
    draft.rows.append(RevokedRow(at=at, bullet=lesson, commit=draft.snapshot.tree.commit))
    draft.files[f"{REVOKED}/{lesson}"] = marker(at, why)
    draft.told.append(Change("revoked", lesson, _wording(draft.history, lesson), why))


def withdraw(draft: Draft, lesson: str, at: datetime, why: str) -> None:
    """Takes a standing lesson's file away on a person's word."""
    for entry in [e for e in draft.standing if e.id == lesson and e.file is not None]:
        draft.standing.remove(entry)
        if entry.file is not None:
            draft.files[entry.file.path] = None
        _mark_revoked(draft, lesson, at, why)


def adhere(draft: Draft, outcomes: Sequence[Outcome], evidence: Sequence[Evidence]) -> None:
    """One verdict per standing lesson and pull request that it was shown for, ever.

    A finding that matches it violates it, when its review asks for changes or the pull request was
    closed unmerged; a merge without such a finding reinforces it where it names a path touched.
    """
    for outcome in sorted(outcomes, key=lambda o: (o.at, o.pr)):
        served = [ids for (pr, _), ids in draft.history.shown.items() if pr == outcome.pr]
        shown = outcome.shown.union(*served)
        for entry in draft.standing:
            known = draft.history.adherence.get(entry.id, ())
            if entry.id not in shown or any(row.pr == outcome.pr for row in known):
                continue
            row = _verdict(draft, entry, outcome, evidence)
            if row is not None:
                draft.rows.append(row)
                draft.verdicts.setdefault(entry.id, []).append(row)


def _verdict(
    draft: Draft, entry: Entry, outcome: Outcome, evidence: Sequence[Evidence]
) -> AdherenceRow | None:
    stood = draft.history.status.get(entry.id)
    if stood is None or outcome.at.replace(microsecond=0) <= stood.at:
        return None  # the finding that made it stand is no violation of it
    matching = [
        each
        for each in evidence
        if each.pr == outcome.pr
        and each.invalid is None
        and each.recall is None
        and each.at.replace(microsecond=0) > stood.at
        and draft.compare(each.lesson.sentence, entry.text).same
    ]
    unmerged = outcome.closed and not outcome.merged
    against = next((each for each in matching if each.strong or unmerged), None)
    if against is not None:
        at = against.at.replace(microsecond=0)
        return AdherenceRow(at, entry.id, outcome.pr, VIOLATED, against.source)
    touched = any(touches(path.text, outcome.paths) for path in named(entry.text))
    if outcome.merged and not matching and touched:
        return AdherenceRow(outcome.at.replace(microsecond=0), entry.id, outcome.pr, FOLLOWED)
    return None


def touches(path: str, touched: frozenset[str]) -> bool:
    """Whether one of the `touched` paths is `path`, in it, or ends so."""
    place = path.rstrip("/")
    return any(
        each == place or each.startswith(f"{place}/") or each.endswith(f"/{place}")
        for each in touched
    )


def rise(draft: Draft) -> None:
    """Promotes what its signals make stand, out of the lessons file, under the id it always had."""
    for entry in [e for e in draft.entries if e.touched and e.active]:
        root = draft.root_of(entry.id)
        signals = _valid(draft, entry, root)
        if not _earned_again(draft, root, signals):
            continue
        earned = merit(signals, (), draft.as_of, draft.settings.standing)
        if earned.short is not None:
            continue
        best = max(signals, key=lambda s: (s.row.strength, s.row.at))
        path, data = new_file(
            root,
            entry.text,
            best.row.trigger,
            best.row.strategy,
            entry.trailer.verdict.value,
            earned.weight,
            draft.as_of.date(),
            _lines(signals),
        )
        draft.files[path] = data
        if f"{REVOKED}/{root}" in {*draft.snapshot.markers, *draft.files}:
            draft.files[f"{REVOKED}/{root}"] = None
        draft.entries.remove(entry)
        if entry.index is not None:
            draft.dropped.add(entry.index)
        promoted = PromotedRow(
            at=draft.as_of,
            bullet=root,
            file=path,
            weight=round(earned.weight, 2),
            signals=earned.signals,
            prs=earned.pull_requests,
        )
        draft.rows.append(promoted)
        draft.counts["promoted"] += 1
        why = f"{earned.signals} signals, {earned.pull_requests} pull requests"
        draft.told.append(Change("promoted", root, entry.text, why))


def _valid(draft: Draft, entry: Entry, root: str) -> list[Signal]:
    found = {
        (s.row.source, s.row.sentence): s
        for s in (*draft.history.evidence_of(root), *entry.signals)
        if s.id not in draft.invalid and s.id not in draft.history.outdated
    }
    return sorted(found.values(), key=lambda s: (s.row.at, s.id))


def _earned_again(draft: Draft, root: str, signals: Sequence[Signal]) -> bool:
    """A lesson with a marker needs a signal newer than it; an unreadable marker keeps it down."""
    data = draft.files.get(f"{REVOKED}/{root}", draft.snapshot.markers.get(f"{REVOKED}/{root}"))
    if data is None:
        return True
    try:
        since = moment(json.loads(data)["at"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return any(signal.row.at > since for signal in signals)


def _lines(signals: Sequence[Signal]) -> list[EvidenceLine]:
    return [EvidenceLine(cited(s.row), s.row.head, s.row.at.date(), s.row.channel) for s in signals]


def bring_up(draft: Draft) -> None:
    """The files of standing lessons that got evidence, or lost the last of it."""
    for entry in [e for e in draft.standing if e.touched and e.file is not None]:
        valid = [s for s in entry.signals if s.id not in draft.invalid]
        if not valid:
            withdraw(draft, entry.id, draft.as_of, "undone")
            draft.counts["undone"] += 1
        elif entry.file is not None:
            heavy = weight(valid, _followed(draft, entry.id), draft.as_of, draft.settings.standing)
            draft.files[entry.file.path] = entry.file.with_evidence(
                heavy, draft.as_of.date(), _lines(valid)
            )


def _followed(draft: Draft, lesson: str) -> list[datetime]:
    rows = (*draft.history.adherence.get(lesson, ()), *draft.verdicts.get(lesson, ()))
    return [row.at for row in rows if row.verdict == FOLLOWED]


def fall(draft: Draft, evidence: Sequence[Evidence]) -> None:
    """Demotes what was violated too often; the finding that did it goes on as a new bullet."""
    for entry in list(draft.standing):
        rows = (*draft.history.adherence.get(entry.id, ()), *draft.verdicts.get(entry.id, ()))
        stood = draft.history.status.get(entry.id)
        if stood is None or entry.file is None:
            continue
        if not falls(rows, stood.at, draft.settings.standing):
            continue
        violations = [r for r in rows if r.verdict == VIOLATED and r.at >= stood.at]
        last = max(violations, key=lambda r: (r.at, r.pr))
        draft.standing.remove(entry)
        draft.files[entry.file.path] = None
        draft.files[f"{REVOKED}/{entry.id}"] = marker(last.at, "demoted")
        finding = next(
            (
                each
                for each in evidence
                if each.source == last.source
                and each.recall is None
                and draft.compare(each.lesson.sentence, entry.text).same
            ),
            None,
        )
        successor = None
        if finding is not None:
            row = signal_of(draft, finding)
            successor = append(draft, None, row, succeeds=entry.id).id
        draft.rows.append(DemotedRow(last.at, entry.id, len(violations), successor))
        draft.counts["demoted"] += 1
        draft.told.append(
            Change("demoted", entry.id, entry.text, f"violated {len(violations)} times")
        )


def _wording(history: History, lesson: str) -> str:
    return next((s.row.sentence for s in history.evidence_of(lesson)), "")
