"""Whether a lesson's evidence makes it stand, and whether what happened since lets it (SPEC 6).

Pure arithmetic over signals and verdicts as of a moment; it knows no file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.lessons.history import Signal
from bot.lessons.rows import AdherenceRow
from bot.settings import Standing

VIOLATED, FOLLOWED = "violated", "followed"


@dataclass(frozen=True, slots=True)
class Merit:
    """What the evidence for a lesson adds up to. `short` says what it lacks to stand, else None."""

    signals: int
    pull_requests: int
    weight: float
    short: str | None


def decayed(age: timedelta, half_life: timedelta) -> float:
    """0.5^(age / half-life); what lies ahead of the moment counts in full."""
    return float(0.5 ** (max(age, timedelta(0)) / half_life))


def weight(
    signals: Iterable[Signal],
    reinforcements: Iterable[datetime],
    as_of: datetime,
    settings: Standing,
) -> float:
    """Σ strength × decay, plus the reinforcements, decayed alike and capped together."""
    half = settings.half_life
    earned = sum(s.row.strength * decayed(as_of - s.row.at, half) for s in signals)
    followed = sum(settings.reinforcement * decayed(as_of - at, half) for at in reinforcements)
    return earned + min(followed, settings.reinforcement_max)


def merit(
    signals: Sequence[Signal],
    reinforcements: Iterable[datetime],
    as_of: datetime,
    settings: Standing,
) -> Merit:
    """Three thresholds, all of which have to be met: signals, pull requests, weight."""
    notes = {s.row.source for s in signals if not s.row.pr and not s.row.cites}
    prs = len({s.row.pr for s in signals if s.row.pr} | notes)
    total = weight(signals, reinforcements, as_of, settings)
    short = None
    if len(signals) < settings.signals:
        short = f"{len(signals)} of {settings.signals} signals"
    elif prs < settings.pull_requests:
        short = f"{prs} of {settings.pull_requests} pull requests"
    elif total < settings.weight - 1e-9:
        short = f"weight {total:.2f} of {settings.weight:.2f}"
    return Merit(len(signals), prs, total, short)


def falls(verdicts: Iterable[AdherenceRow], since: datetime, settings: Standing) -> bool:
    """Whether the violations since the promotion reach the limit, and what followed it does not
    outnumber them.

    One verdict per lesson and pull request counts, the first.
    """
    counted: dict[int, str] = {}
    for row in sorted(verdicts, key=lambda r: (r.at, r.pr)):
        if row.at >= since:
            counted.setdefault(row.pr, row.verdict)
    violations = sum(verdict == VIOLATED for verdict in counted.values())
    followed = sum(verdict == FOLLOWED for verdict in counted.values())
    return violations >= settings.violations and followed <= violations
