"""The pair report: what the refresh rule makes of the bullets that stores hold today (SPEC 8).

Pure: bytes in, a report out. It scores with the rule that runs and has no rule of its own.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from bot.lessons.reading import reading
from bot.lessons.similarity import Comparison, compare
from bot.reports.corpus import active
from bot.reports.labels import LabelScores, parse_labels, score_labels
from bot.settings import Refresh, Settings

# Pairs shown on either side of the line: what a person judges in one sitting.
SHOWN = 10
BINS = 20


@dataclass(frozen=True, slots=True)
class Store:
    """The active bullets of one lessons file, newest first."""

    name: str
    bullets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """Two bullets of one store. `closeness` is 1 where the scores begin to merge (see there)."""

    store: str
    a: str
    b: str
    comparison: Comparison
    closeness: float


@dataclass(frozen=True, slots=True)
class StoreFigures:
    """One store for itself.

    `histogram` as in the report; `collapsing` and `apart` count pairs. `largest`: the most bullets
    that pairs which would collapse join; `windows`: the same within so many of the newest.
    """

    store: str
    bullets: int
    pairs: int
    collapsing: int
    apart: int
    largest: int
    windows: tuple[tuple[int, int], ...]
    histogram: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PairReport:
    """`histogram` counts pairs by similarity in BINS equal steps, 1.0 in the last one.

    `distribution` has every similarity with how many pairs have it, ascending. `collapsing` pairs
    would refresh one another; `apart` are those that the guard alone keeps apart; `above` and
    `below` are the closest pairs on either side of the line.
    """

    refresh: Refresh
    stores: tuple[StoreFigures, ...]
    pairs: int
    histogram: tuple[int, ...]
    distribution: tuple[tuple[float, int], ...]
    collapsing: tuple[ScoredPair, ...]
    apart: tuple[ScoredPair, ...]
    above: tuple[ScoredPair, ...]
    below: tuple[ScoredPair, ...]
    labels: LabelScores | None = None

    @property
    def to_judge(self) -> tuple[ScoredPair, ...]:
        """Pairs whose label tells most: those around the line, the closest to it first."""
        near = (*self.above, *self.below, *self.apart[:SHOWN])
        return tuple(sorted(near, key=lambda pair: abs(pair.closeness - 1)))


def report_pairs(
    files: Sequence[tuple[str, bytes]],
    labels: bytes | None,
    settings: Settings,
    today: date,
    *,
    labels_name: str = "labels",
) -> PairReport:
    """The report on lessons files (name, content) and on labelled pairs, either may be absent.

    Raises UserError for unreadable labels.
    """
    scored = None
    if labels is not None:
        scored = score_labels(parse_labels(labels, labels_name), settings.refresh)
    stores = [Store(name, tuple(e.text for e in active(data, today))) for name, data in files]
    windows = (settings.block.bullets.items, settings.block.session.items)
    return score(stores, settings.refresh, windows, scored)


def score(
    stores: Sequence[Store],
    refresh: Refresh,
    windows: Sequence[int],
    labels: LabelScores | None = None,
) -> PairReport:
    """Scores every pair inside each store; stores are never compared with each other."""
    by_store = [(store, _pairs(store, refresh)) for store in stores]
    every = [pair for _, pairs in by_store for pair in pairs.values()]
    by_closeness = sorted(every, key=lambda pair: -pair.closeness)
    collapsing = [pair for pair in by_closeness if pair.comparison.same]
    apart = [pair for pair in by_closeness if pair.comparison.apart]
    unlike = [p for p in by_closeness if not (p.comparison.same or p.comparison.apart)]
    return PairReport(
        refresh=refresh,
        stores=tuple(_figures(store, pairs, windows) for store, pairs in by_store),
        pairs=len(every),
        histogram=_histogram(every),
        distribution=tuple(sorted(Counter(p.comparison.similarity for p in every).items())),
        collapsing=tuple(collapsing),
        apart=tuple(apart),
        above=tuple(collapsing[-SHOWN:]),
        below=tuple(unlike[:SHOWN]),
        labels=labels,
    )


def closeness(comparison: Comparison, refresh: Refresh) -> float:
    """How near two texts come to being merged by their scores; at least 1 where they are.

    The better of the two ways: the weaker of similarity / floor and blend / confirm, or blend /
    reword floor. Texts too short for the rule are measured like all others.
    """
    confirmed = min(
        _of(comparison.similarity, refresh.floor), _of(comparison.blend, refresh.confirm)
    )
    if refresh.reword_floor is None:
        return confirmed
    return max(confirmed, _of(comparison.blend, refresh.reword_floor))


def _of(value: float, limit: float) -> float:
    return value / limit if limit else float("inf")


def _pairs(store: Store, refresh: Refresh) -> dict[tuple[int, int], ScoredPair]:
    readings = [reading(text) for text in store.bullets]
    pairs = {}
    for (i, a), (j, b) in itertools.combinations(enumerate(readings), 2):
        comparison = compare(a, b, refresh)
        close = closeness(comparison, refresh)
        pairs[i, j] = ScoredPair(store.name, a.text, b.text, comparison, close)
    return pairs


def _histogram(pairs: Iterable[ScoredPair]) -> tuple[int, ...]:
    bins = Counter(min(int(pair.comparison.similarity * BINS), BINS - 1) for pair in pairs)
    return tuple(bins[step] for step in range(BINS))


def _figures(
    store: Store, pairs: Mapping[tuple[int, int], ScoredPair], windows: Sequence[int]
) -> StoreFigures:
    joined = [places for places, pair in pairs.items() if pair.comparison.same]
    count = len(store.bullets)
    return StoreFigures(
        store=store.name,
        bullets=count,
        pairs=len(pairs),
        collapsing=len(joined),
        apart=sum(pair.comparison.apart is not None for pair in pairs.values()),
        largest=_largest(joined, count),
        windows=tuple((size, _largest(joined, min(size, count))) for size in windows),
        histogram=_histogram(pairs.values()),
    )


def _largest(joined: Sequence[tuple[int, int]], count: int) -> int:
    """The most of the first `count` bullets that are joined with one another, directly or not."""
    cluster_of = {place: {place} for place in range(count)}
    for a, b in joined:
        if a < count and b < count and cluster_of[a] is not cluster_of[b]:
            cluster_of[a] |= cluster_of[b]
            for place in cluster_of[b]:
                cluster_of[place] = cluster_of[a]
    return max((len(cluster) for cluster in cluster_of.values()), default=0)
