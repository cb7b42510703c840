"""Two rankings as one, and the candidates in the order of both scores. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (SIGIR 2009): score = Σ 1 / (k + rank), with
# k = 60 fixed in a pilot. Ranks alone count, so that scores of two kinds need no common scale.
K = 60

# Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval (TOIS 2023): scores
# added up, each as a share of the best, keep what ranks throw away: how far ahead the first is. The
# weight was chosen on the sets `pages` and `exact` of tests/field/search, where 0.6 to 0.75 do
# equally well: the least of them, for a question in other words has nothing but its meaning.
EXACT_WEIGHT = 0.6


def fused(*rankings: Sequence[int]) -> list[int]:
    """Every id of the rankings, best first; ties in the order of the rankings."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, each in enumerate(ranking, 1):
            scores[each] = scores.get(each, 0.0) + 1 / (K + rank)
    return sorted(scores, key=lambda each: -scores[each])


def reranked(
    candidates: Sequence[int], exact: Mapping[int, float], cosines: Mapping[int, float]
) -> list[tuple[int, float]]:
    """The candidates with their scores (0..1), best first; ties stay as they were."""
    parts = ((EXACT_WEIGHT, _shares(exact)), (1 - EXACT_WEIGHT, _shares(cosines)))
    scores = {
        each: sum(weight * shares.get(each, 0.0) for weight, shares in parts) for each in candidates
    }
    return sorted(scores.items(), key=lambda item: -item[1])


def _shares(scores: Mapping[int, float]) -> Mapping[int, float]:
    best = max(scores.values(), default=0.0)
    return {each: max(score, 0.0) / best for each, score in scores.items()} if best > 0 else {}
