"""What one store's files add up to: its lines and their state, what is near promotion.

Pure functions of the files at a commit and a day: the pages and `report store` print the same.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Protocol

from bot.lessons.document import Bullet, Document
from bot.lessons.entries import cited
from bot.lessons.history import History, Signal
from bot.lessons.merit import Merit, merit
from bot.lessons.retirement import expired, newest
from bot.lessons.rows import WriteRow
from bot.lessons.standing import parse
from bot.reports.trends import Trend, trend
from bot.settings import Settings

Clean = Callable[[str], str]


class Files(Protocol):
    """The files of a store at a commit."""

    @property
    def commit(self) -> str | None: ...

    @property
    def lessons(self) -> bytes | None: ...

    @property
    def events(self) -> Mapping[str, bytes]: ...

    @property
    def standing(self) -> Mapping[str, bytes]: ...

    @property
    def rules(self) -> bytes | None: ...

    @property
    def settings(self) -> Settings: ...


class State(enum.StrEnum):
    """How a line stands on a day."""

    STANDING = "standing"
    ACTIVE = "active"
    BY_HAND = "by hand"
    OVERRIDDEN = "overridden"
    STALE = "stale"
    EXPIRED = "expired"
    STRUCK = "struck through"

    @property
    def shown(self) -> bool:
        """Whether agents may receive it."""
        return self in (State.STANDING, State.ACTIVE, State.BY_HAND)


@dataclass(frozen=True, slots=True)
class Line:
    """One lesson of a store. `since`: of its retirement; `ends`: when it expires unless earned.

    `signals` are those that still count, from `pull_requests` different ones. A person's own line
    has no id and nothing behind it.
    """

    text: str
    state: State
    id: str | None = None
    ref: str | None = None
    on: date | None = None
    verdict: str = ""
    since: date | None = None
    cause: str | None = None
    ends: date | None = None
    signals: int = 0
    pull_requests: int = 0

    def to_json(self) -> dict[str, object]:
        days = {"on": self.on, "since": self.since, "ends": self.ends}
        return {
            "id": self.id,
            "text": self.text,
            "state": self.state.value,
            "ref": self.ref,
            "verdict": self.verdict,
            "cause": self.cause,
            "signals": self.signals,
            "pull_requests": self.pull_requests,
            **{name: day.isoformat() if day else None for name, day in days.items()},
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    line: Line
    merit: Merit


@dataclass(frozen=True, slots=True)
class Figures:
    """A store on a day. Lines: standing ones, then the file's, the newest last evidence first."""

    commit: str | None
    lines: tuple[Line, ...]
    trend: Trend
    candidates: tuple[Candidate, ...]
    last_write: datetime | None

    @property
    def shown(self) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if line.state.shown)

    @property
    def retired(self) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if not line.state.shown)

    @property
    def counts(self) -> Mapping[State, int]:
        """Lines by state, every state named."""
        found = Counter(line.state for line in self.lines)
        return {state: found[state] for state in State}

    def to_json(self) -> dict[str, object]:
        return {
            "commit": self.commit,
            "active": len(self.shown),
            "retired": len(self.retired),
            "counts": {state.value: count for state, count in self.counts.items()},
            "duplicate_share": self.trend.total.duplicate_share,
            "last_write": self.last_write.isoformat() if self.last_write else None,
            "lines": [line.to_json() for line in self.lines],
            "candidates": [
                {
                    "id": each.line.id,
                    "signals": each.merit.signals,
                    "pull_requests": each.merit.pull_requests,
                    "weight": round(each.merit.weight, 2),
                    "lacks": each.merit.short,
                }
                for each in self.candidates
            ],
        }


def figures(files: Files, repository: int | None, today: date, clean: Clean = str) -> Figures:
    """`clean` takes secrets out. `repository` is the store's numeric id; None: the one that its
    events last said, which a clone alone can tell.
    """
    if repository is None:
        stores = History.read(files.events).stores
        repository = stores[-1].repo if stores else 0
    history = History.read(files.events, repository)
    settings = files.settings
    standing = [
        _standing(path, data, history, clean) for path, data in sorted(files.standing.items())
    ]
    document = Document.parse(files.lessons or b"", today)
    ranked = sorted(
        ((_rank(bullet), index, bullet) for index, bullet in enumerate(document.bullets)),
        key=lambda each: each[:2],
        reverse=True,
    )
    lines = [_line(bullet, history, settings, today, clean) for _, _, bullet in ranked]
    return Figures(
        commit=files.commit,
        lines=(*(line for line in standing if line is not None), *lines),
        trend=trend(history),
        candidates=_candidates(lines, history, settings, today),
        last_write=max(
            (r.at for r in history.recorded if isinstance(r.row, WriteRow)), default=None
        ),
    )


def _rank(bullet: Bullet) -> date:
    return bullet.trailer.on if bullet.trailer else date.max


def _standing(path: str, data: bytes, history: History, clean: Clean) -> Line | None:
    file = parse(path, data)
    if file is None:
        return None
    signals = _valid(file.id, history)
    last = newest(signals)
    return Line(
        text=clean(file.sentence),
        state=State.STANDING,
        id=file.id,
        ref=cited(last.row) if last else None,
        on=last.row.at.date() if last else file.as_of,
        verdict=file.channel,
        signals=len(signals),
        pull_requests=len({s.row.pr for s in signals}),
    )


def _line(bullet: Bullet, history: History, settings: Settings, today: date, clean: Clean) -> Line:
    text, trailer = clean(bullet.text), bullet.trailer
    if trailer is None or bullet.id is None:
        return Line(text, State.STRUCK if bullet.struck else State.BY_HAND)
    state, since, cause = State.ACTIVE, None, None
    ended = trailer.retirement or expired(trailer.on, settings.store.expire, today)
    if bullet.struck:
        state = State.STRUCK
    elif ended is not None:
        state, since, cause = State(ended.flag.value), ended.on, ended.cause
    valid = _valid(bullet.id, history)
    return Line(
        text=text,
        state=state,
        id=bullet.id,
        ref=trailer.ref,
        on=trailer.on,
        verdict=trailer.verdict.value,
        since=since,
        cause=cause,
        ends=trailer.on + settings.store.expire if state is State.ACTIVE else None,
        signals=len(valid),
        pull_requests=len({s.row.pr for s in valid}),
    )


def _candidates(
    lines: list[Line], history: History, settings: Settings, today: date
) -> tuple[Candidate, ...]:
    """Active bullets with more than one signal behind them, the heaviest first."""
    as_of = datetime.combine(today, time.max, UTC)
    found: list[Candidate] = []
    for line in lines:
        if line.state is not State.ACTIVE or line.id is None or line.signals < 2:
            continue
        signals = _valid(line.id, history)
        found.append(Candidate(line, merit(signals, (), as_of, settings.standing)))
    return tuple(sorted(found, key=lambda each: -each.merit.weight))


def _valid(bullet: str, history: History) -> list[Signal]:
    """The signals that still count, of the lesson that this bullet carries on."""
    signals = history.evidence_of(history.roots.get(bullet, bullet))
    return [s for s in signals if s.id not in history.invalid]
