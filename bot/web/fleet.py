"""All stores at a glance: what is kept of each, derived from its files at one commit.

Pure; small enough to be kept beside the commit it was derived at, and read for hundreds of stores.
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime

from bot.reports.trends import Counts
from bot.web.figures import Figures, State


@dataclass(frozen=True, slots=True)
class Summary:
    """`ending`: how many active bullets end on which day, so that the count follows the date."""

    commit: str | None
    ending: tuple[tuple[date, int], ...]
    by_hand: int
    standing: int
    retired: int
    written: Counts
    last_write: datetime | None

    def active(self, today: date) -> int:
        """What agents may receive: standing lessons, people's own lines, and bullets."""
        bullets = sum(count for day, count in self.ending if day > today)
        return self.standing + self.by_hand + bullets

    def to_text(self) -> str:
        return json.dumps(
            {
                "commit": self.commit,
                "ending": [[day.isoformat(), count] for day, count in self.ending],
                "by_hand": self.by_hand,
                "standing": self.standing,
                "retired": self.retired,
                "written": asdict(self.written),
                "last_write": self.last_write.isoformat() if self.last_write else None,
            }
        )

    @staticmethod
    @functools.lru_cache(maxsize=2048)  # of many stores few were written to since the last look
    def from_text(text: str) -> Summary:
        body = json.loads(text)
        last = body.pop("last_write")
        return Summary(
            ending=tuple((date.fromisoformat(day), count) for day, count in body.pop("ending")),
            written=Counts(**body.pop("written")),
            last_write=datetime.fromisoformat(last) if last else None,
            **body,
        )


def summary(found: Figures) -> Summary:
    counts = found.counts
    ending = Counter(line.ends for line in found.lines if line.ends is not None)
    return Summary(
        commit=found.commit,
        ending=tuple(sorted(ending.items())),
        by_hand=counts[State.BY_HAND],
        standing=counts[State.STANDING],
        retired=len(found.retired),
        written=found.trend.total,
        last_write=found.last_write,
    )


@dataclass(frozen=True, slots=True)
class Store:
    """One row of the fleet. `active` and what follows is None where nothing was read there yet."""

    full_name: str
    active: int | None = None
    duplicate_share: float | None = None
    last_write: datetime | None = None
    alarms: int = 0


@dataclass(frozen=True, slots=True)
class Fleet:
    """The stores of a visitor, by name, and what they add up to."""

    stores: tuple[Store, ...]
    active: int
    duplicate_share: float | None
    alarms: int


def fleet(
    found: Sequence[tuple[str, Summary | None, int]], today: date, alarms_of_server: int
) -> Fleet:
    """`found`: full name, summary and number of alarms of each store."""
    stores = []
    for name, kept, alarms in sorted(found, key=lambda each: each[0].casefold()):
        row = Store(name, alarms=alarms)
        if kept is not None:
            row = replace(
                row,
                active=kept.active(today),
                duplicate_share=kept.written.duplicate_share,
                last_write=kept.last_write,
            )
        stores.append(row)
    written = sum((kept.written for _, kept, _ in found if kept is not None), Counts())
    return Fleet(
        stores=tuple(stores),
        active=sum(store.active or 0 for store in stores),
        duplicate_share=written.duplicate_share,
        alarms=sum(store.alarms for store in stores) + alarms_of_server,
    )
