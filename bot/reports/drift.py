"""Whether pair scores are still those of the day on which the floor was chosen (SPEC 8).

Pure. That day is known by the report that was saved then, as JSON.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from bot.errors import UserError
from bot.invocation import command

DISTANCE = 0.10  # beyond it the floor cuts another share of the pairs than it was chosen for
PAIRS = 200  # below it two samples of one store lie as far apart by chance

Distribution = Sequence[tuple[float, int]]  # similarity, how many pairs have it; ascending


@dataclass(frozen=True, slots=True)
class Drift:
    """`distance` is 0..1, None where one side has no pairs. `since` is the day of the earlier."""

    distance: float | None
    pairs: int
    pairs_before: int
    since: str

    @property
    def enough(self) -> bool:
        return min(self.pairs, self.pairs_before) >= PAIRS

    @property
    def alarm(self) -> bool:
        return self.enough and self.distance is not None and self.distance > DISTANCE


@dataclass(frozen=True, slots=True)
class Earlier:
    """A saved report, as far as it counts here."""

    as_of: str
    distribution: tuple[tuple[float, int], ...]


def read_earlier(data: bytes, name: str) -> Earlier:
    """What `report pairs --json` printed once. Raises UserError for anything else."""
    try:
        document = json.loads(data)
        found = tuple((float(score), int(count)) for score, count in document["distribution"])
        as_of = str(document["as_of"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise UserError(
            "this is no saved pair report.",
            file=name,
            remedy=f"Save one with: {command('report pairs FILE… --json > pairs.json')}",
        ) from error
    return Earlier(as_of, tuple(sorted(found)))


def drift(now: Distribution, earlier: Earlier) -> Drift:
    """The two-sample Kolmogorov-Smirnov distance of the similarities of all pairs.

    The largest difference between the two shares of pairs at or below any similarity.
    """
    pairs, before = _size(now), _size(earlier.distribution)
    distance = None
    if pairs and before:
        ours, theirs = _Shares(now, pairs), _Shares(earlier.distribution, before)
        places = (score for score, _ in (*now, *earlier.distribution))
        distance = max(abs(ours.up_to(place) - theirs.up_to(place)) for place in places)
    return Drift(distance, pairs, before, earlier.as_of)


def _size(distribution: Distribution) -> int:
    return sum(count for _, count in distribution)


class _Shares:
    """The empirical distribution function."""

    def __init__(self, distribution: Distribution, size: int) -> None:
        self._scores = [score for score, _ in distribution]
        self._sums = [0, *accumulate(count for _, count in distribution)]
        self._size = size

    def up_to(self, score: float) -> float:
        return self._sums[bisect_right(self._scores, score)] / self._size
