"""What the event rows add up to: signals per bullet, which of them still count, what was applied.

Derived from a clone alone and the same on every rebuild. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from bot.lessons import event_files
from bot.lessons.event_files import Recorded
from bot.lessons.rows import (
    AdherenceRow,
    ConflictRow,
    DeclinedRow,
    DemotedRow,
    InvalidRow,
    PathRow,
    PromotedRow,
    RetiredRow,
    RevokedRow,
    Row,
    ShownRow,
    SignalRow,
    StoreRow,
)

COUNTED: Final = 5_000  # newest signals that candidates are reduced from (SPEC 6)


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal and the id of its row, by which an `invalid` row names it."""

    id: str
    row: SignalRow


@dataclass(frozen=True)
class History:
    """The rows of one store; those of another repository (a copy) do not count."""

    recorded: tuple[Recorded, ...]

    @classmethod
    def read(cls, files: Mapping[str, bytes], repository: int = 0) -> History:
        """`repository` is the numeric id the store belongs to; 0 takes every row."""
        found = event_files.read(files)
        if repository:
            found = _own(found, repository)
        return cls(found)

    @cached_property
    def signals(self) -> tuple[Signal, ...]:
        """Signals of bullets, oldest first."""
        return tuple(
            Signal(r.id, r.row)
            for r in self.recorded
            if isinstance(r.row, SignalRow) and r.row.bullet is not None
        )

    @cached_property
    def outdated(self) -> frozenset[str]:
        """Rows of signals beyond the newest COUNTED, which make no lesson stand."""
        return frozenset(signal.id for signal in self.signals[:-COUNTED])

    @cached_property
    def seen(self) -> tuple[Signal, ...]:
        """Weak evidence that waits for a second pull request, oldest first."""
        return tuple(
            Signal(r.id, r.row)
            for r in self.recorded
            if isinstance(r.row, SignalRow) and r.row.bullet is None
        )

    @cached_property
    def by_bullet(self) -> Mapping[str, tuple[Signal, ...]]:
        found: dict[str, list[Signal]] = {}
        for signal in self.signals:
            found.setdefault(signal.row.bullet or "", []).append(signal)
        return {bullet: tuple(signals) for bullet, signals in found.items()}

    @cached_property
    def roots(self) -> Mapping[str, str]:
        """A bullet that succeeds a demoted or revoked lesson, to the id that lesson stood under."""
        found: dict[str, str] = {}
        for signal in self.signals:
            if signal.row.succeeds and signal.row.bullet:
                found[signal.row.bullet] = signal.row.succeeds
        return found

    def evidence_of(self, lesson: str) -> tuple[Signal, ...]:
        """The signals of a lesson and of bullets that succeed it, one per source, oldest first."""
        ids = [lesson, *(bullet for bullet, root in self.roots.items() if root == lesson)]
        found: dict[tuple[str, str], Signal] = {}
        for bullet in ids:
            for signal in self.by_bullet.get(bullet, ()):
                found.setdefault((signal.row.source, signal.row.sentence), signal)
        return tuple(sorted(found.values(), key=lambda s: (s.row.at, s.id)))

    @cached_property
    def status(self) -> Mapping[str, PromotedRow | DemotedRow | RevokedRow]:
        """What last happened to each lesson that ever stood."""
        found: dict[str, PromotedRow | DemotedRow | RevokedRow] = {}
        for recorded in self.recorded:
            if isinstance(recorded.row, PromotedRow | DemotedRow | RevokedRow):
                found[recorded.row.bullet] = recorded.row
        return found

    @cached_property
    def adherence(self) -> Mapping[str, tuple[AdherenceRow, ...]]:
        """Verdicts by lesson, the first of each pull request."""
        found: dict[str, dict[int, AdherenceRow]] = {}
        for recorded in self.recorded:
            if isinstance(recorded.row, AdherenceRow):
                verdicts = found.setdefault(recorded.row.bullet, {})
                verdicts.setdefault(recorded.row.pr, recorded.row)
        return {bullet: tuple(verdicts.values()) for bullet, verdicts in found.items()}

    @cached_property
    def invalid(self) -> Mapping[str, InvalidRow]:
        """By the id of the signal's row; the earliest reason stands."""
        found: dict[str, InvalidRow] = {}
        for recorded in self.recorded:
            if isinstance(recorded.row, InvalidRow):
                found.setdefault(recorded.row.signal, recorded.row)
        return found

    @cached_property
    def applied(self) -> frozenset[str]:
        """Sources that have a signal: never applied again, on any machine, by any replay."""
        return frozenset(signal.row.source for signal in self.signals)

    @cached_property
    def sources(self) -> frozenset[str]:
        """Sources of every signal, also of weak evidence that waits."""
        return self.applied | {signal.row.source for signal in self.seen}

    @cached_property
    def declined(self) -> frozenset[str]:
        """Sources whose proposal was closed unmerged: never proposed again."""
        rows = (r.row for r in self.recorded if isinstance(r.row, DeclinedRow))
        return frozenset(source for row in rows for source in row.sources)

    @cached_property
    def declined_in(self) -> frozenset[int]:
        """The pull requests whose closing is recorded."""
        return frozenset(r.row.pr for r in self.recorded if isinstance(r.row, DeclinedRow))

    @cached_property
    def shown(self) -> Mapping[tuple[int, str], frozenset[str]]:
        """The ids that were served for a pull request, by its number and the reader."""
        found: dict[tuple[int, str], frozenset[str]] = {}
        for recorded in self.recorded:
            if isinstance(row := recorded.row, ShownRow):
                key = (row.pr, row.reader)
                found[key] = found.get(key, frozenset()) | frozenset(row.bullets)
        return found

    def unrecorded(self, rows: Sequence[Row]) -> list[Row]:
        """Those that tell something new: a reader who asks again was shown nothing more."""
        return [
            row
            for row in rows
            if not isinstance(row, ShownRow)
            or not set(row.bullets) <= self.shown.get((row.pr, row.reader), frozenset())
        ]

    @cached_property
    def bullets(self) -> frozenset[str]:
        """Every bullet id that ever was."""
        return frozenset(self.by_bullet) | frozenset(
            r.row.bullet for r in self.recorded if isinstance(r.row, RetiredRow)
        )

    @cached_property
    def paths_seen(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for recorded in self.recorded:
            if isinstance(recorded.row, PathRow) and (path := recorded.row.seen or recorded.row.to):
                found.setdefault(recorded.row.bullet, set()).add(path)
        return {bullet: frozenset(paths) for bullet, paths in found.items()}

    @cached_property
    def open_conflicts(self) -> tuple[ConflictRow, ...]:
        """Pairs kept apart that nobody has decided."""
        decided = {
            frozenset((r.row.a, r.row.b))
            for r in self.recorded
            if isinstance(r.row, ConflictRow) and r.row.kept
        }
        return tuple(
            r.row
            for r in self.recorded
            if isinstance(r.row, ConflictRow)
            and r.row.why
            and frozenset((r.row.a, r.row.b)) not in decided
        )

    @cached_property
    def stores(self) -> tuple[StoreRow, ...]:
        """Who the store said it belongs to, oldest first; 0 is a clone that did not know."""
        return tuple(r.row for r in self.recorded if isinstance(r.row, StoreRow))


def _own(found: tuple[Recorded, ...], repository: int) -> tuple[Recorded, ...]:
    """Rows since this repository's own `store` row where the first names another one."""
    stores = [(r.at, r.row.repo) for r in found if isinstance(r.row, StoreRow)]
    if not stores or stores[0][1] in (0, repository):
        return found
    since = next((at for at, repo in stores if repo == repository), None)
    return () if since is None else tuple(r for r in found if r.at >= since)
