"""One lesson's life, from the events that name it: what happened when, on whose pull request.

Pure. A lesson that left the file long ago has one too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, time

from bot.lessons.entries import cited
from bot.lessons.history import History
from bot.lessons.rows import (
    AdherenceRow,
    ConflictRow,
    DemotedRow,
    EvictedRow,
    InvalidRow,
    PathRow,
    PromotedRow,
    RetiredRow,
    RevokedRow,
    Row,
    ShownRow,
    SignalRow,
)
from bot.web.figures import Clean, Figures, Line

_WHY = {
    "merged_over": "the pull request was merged over it",
    "dismissed": "its review was dismissed",
    "edited": "an edit of the review removed it",
    "undone": "a person took it back",
}
_DID = {
    "appended": "Appended",
    "refreshed": "Refreshed",
    "evidence": "More evidence",
}
# The beginnings of what follows from evidence, each from those before it.
_COME_OF_IT = ("Promoted", "Evidence stopped", "Demoted", "Retired", "Left", "Revoked")


@dataclass(frozen=True, slots=True)
class Moment:
    """One thing that happened. `ref` is that of a pull request; `quote` the wording it had then.

    `row` is the id of the event that says so.
    """

    at: datetime
    what: str
    detail: str = ""
    ref: str | None = None
    quote: str = ""
    weak: bool = False  # it does not count any more
    row: str = ""


@dataclass(frozen=True, slots=True)
class Life:
    """`line` is None where the lesson is in no file any more."""

    id: str
    text: str
    line: Line | None
    moments: tuple[Moment, ...]


def life(identity: str, found: Figures, history: History, clean: Clean = str) -> Life | None:
    """The life of the lesson of that id, the newest moment first; None where there is none."""
    line = next((each for each in found.lines if each.id == identity), None)
    moments = [
        replace(moment, row=recorded.id)
        for recorded in history.recorded
        if recorded.row is not None
        for moment in _moments(recorded.id, recorded.row, identity, history, clean)
    ]
    if line is None and not moments:
        return None
    wordings = [clean(s.row.sentence) for s in history.by_bullet.get(identity, ())]
    text = line.text if line else next(iter(wordings), "")
    moments.sort(key=_order, reverse=True)
    return Life(identity, text, line, tuple(_served_once(moments)))


def _order(moment: Moment) -> tuple[datetime, int]:
    """By time; of one second what was said comes before what came of it.

    A retirement has a day alone, and comes after what else happened on it.
    """
    late = (number for number, what in enumerate(_COME_OF_IT, 1) if moment.what.startswith(what))
    at = moment.at
    if moment.what.startswith("Retired"):
        at = datetime.combine(at, time.max, at.tzinfo)
    return at, next(late, 0)


def _moments(
    row_id: str, row: Row, identity: str, history: History, clean: Clean
) -> Iterator[Moment]:
    match row:
        case SignalRow(bullet=bullet) if bullet == identity:
            yield _signal(row, counts=row_id not in history.invalid, clean=clean)
        case SignalRow(succeeds=root) if root == identity and row.bullet:
            yield Moment(row.at, f"Its finding goes on as {row.bullet}", ref=cited(row))
        case InvalidRow(signal=signal) if signal in _ids(history, identity):
            why = _WHY.get(row.why, row.why)
            yield Moment(row.at, "Evidence stopped counting", why, _ref(row.pr))
        case ConflictRow() if identity in (row.a, row.b):
            other = row.b if row.a == identity else row.a
            decided = f"decided: {row.kept}" if row.kept else (row.why or "").replace("_", "/")
            yield Moment(row.at, f"Contradicts {other}", decided)
        case ShownRow(bullets=bullets) if identity in bullets:
            yield Moment(row.at, "Shown", ref=_ref(row.pr))
        case _ if getattr(row, "bullet", None) == identity:
            yield from _of_the_bullet(row, clean)


def _of_the_bullet(row: Row, clean: Clean) -> Iterator[Moment]:
    match row:
        case RetiredRow(flag="overridden" as flag, cause=str(cause)) if cause.startswith("#"):
            yield Moment(row.at, f"Retired: {_flag(flag)}", ref=cause)
        case RetiredRow(flag=flag, cause=cause):
            yield Moment(row.at, f"Retired: {_flag(flag)}", clean(cause or ""))
        case PathRow(origin_of=old, to=new) if new:
            yield Moment(row.at, "A file it names moved", clean(f"{old} → {new}"))
        case EvictedRow():
            yield Moment(row.at, "Left the file: it was full")
        case PromotedRow(weight=weight, signals=signals, prs=prs):
            detail = f"{signals} signals, {prs} pull requests, weight {weight:.2f}"
            yield Moment(row.at, "Promoted to a standing lesson", detail)
        case DemotedRow(violations=violations):
            yield Moment(row.at, "Demoted", f"violated {violations} times")
        case RevokedRow():
            yield Moment(row.at, "Revoked: a person deleted its file")
        case AdherenceRow(verdict=verdict, pr=pr):
            yield Moment(row.at, verdict.capitalize(), ref=_ref(pr))


def _signal(row: SignalRow, *, counts: bool, clean: Clean) -> Moment:
    scores = [
        f"{name} {score:.2f}"
        for name, score in (("similarity", row.sim), ("blend", row.blend))
        if score is not None
    ]
    detail = ", ".join([row.channel.replace("_", " "), *scores])
    what = _DID.get(row.did or "", "Evidence")
    return Moment(row.at, what, detail, cited(row), clean(row.sentence), weak=not counts)


def _ids(history: History, identity: str) -> frozenset[str]:
    return frozenset(s.id for s in history.by_bullet.get(identity, ()))


def _served_once(moments: list[Moment]) -> Iterator[Moment]:
    """Of several readers of one pull request the first is told of."""
    seen: set[str | None] = set()
    kept: list[Moment] = []
    for each in reversed(moments):
        if each.what != "Shown" or each.ref not in seen:
            kept.append(each)
            if each.what == "Shown":
                seen.add(each.ref)
    return iter(reversed(kept))


def _ref(pr: int) -> str | None:
    return f"#{pr}" if pr else None


def _flag(flag: str) -> str:
    return "struck through" if flag == "struck" else flag
