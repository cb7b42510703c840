"""Two rankings as one. Pure: ranks in, an order out."""

from __future__ import annotations

from collections.abc import Sequence

# Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (SIGIR 2009): score = Σ 1 / (k + rank), with
# k = 60 fixed in a pilot. Ranks alone count, so that scores of two kinds need no common scale.
K = 60


def fused(*rankings: Sequence[int]) -> list[tuple[int, float]]:
    """Every id of the rankings with its score, best first; ties in the order of the rankings."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, each in enumerate(ranking, 1):
            scores[each] = scores.get(each, 0.0) + 1 / (K + rank)
    return sorted(scores.items(), key=lambda item: -item[1])
