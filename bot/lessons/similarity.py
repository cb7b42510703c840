"""Append or refresh: whether two texts say the same (SPEC 3.1-3.5).

Pure and deterministic: no clock, no network, no model, no corpus, so that anybody can recompute a
score from the two texts. It knows neither bullets nor stores; who is a candidate is decided there.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.lessons.guard import Apart, guard
from bot.lessons.reading import Reading, reading, tokens
from bot.settings import Refresh

__all__ = ["Comparison", "blend", "compare", "decide", "jaccard", "tokens"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts under the rule: the published scores (0..1) and what follows from them.

    `apart` says why texts that the scores alone would merge are kept apart; None where they would
    not, or where nothing keeps them apart. `same`: the new text refreshes the old one.
    """

    similarity: float
    blend: float
    apart: Apart | None
    same: bool


def decide(new: str, old: str, refresh: Refresh) -> Comparison:
    """The comparison of two texts; symmetric. The newest readings of texts are cached."""
    return compare(reading(new), reading(old), refresh)


def compare(a: Reading, b: Reading, refresh: Refresh) -> Comparison:
    """`decide` for whoever keeps the readings of many texts."""
    similarity, mixed = _jaccard(a, b), _blend(a, b)
    confirmed = similarity >= refresh.floor and mixed >= refresh.confirm
    reworded = refresh.reword_floor is not None and mixed >= refresh.reword_floor
    long_enough = min(len(a.tokens), len(b.tokens)) >= refresh.min_tokens
    alike = long_enough and (confirmed or reworded)
    apart = guard(a.text, b.text) if alike else None
    return Comparison(similarity, mixed, apart, alike and apart is None)


def jaccard(a: str, b: str) -> float:
    """|A∩B| / |A∪B| over the tokens; 0 for two texts without any."""
    return _overlap(tokens(a), tokens(b))


def blend(a: str, b: str) -> float:
    """The mean of an overlap of terms and a cosine of character 4-grams.

    Overlap: |Ia∩Ib| / min(|Ia|, |Ib|), 0 where one has no terms. A term is a token split once more
    where its case changes, without stop words and single letters, stemmed (English Snowball); a
    word joined by `_`, `.`, `/`, `::` or changing its case is a term as a whole too (unstemmed,
    its hyphens kept). Cosine: vectors of 1 + ln count of the character 4-grams within words: those
    of each run without white space, case-folded, with one space before and after it; a shorter one
    counts as it is.
    """
    return _blend(reading(a), reading(b))


def _jaccard(a: Reading, b: Reading) -> float:
    return _overlap(a.tokens, b.tokens)


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    common = len(a & b)
    union = len(a) + len(b) - common
    return common / union if union else 0.0


def _blend(a: Reading, b: Reading) -> float:
    fewer = min(len(a.terms), len(b.terms))
    overlap = len(a.terms & b.terms) / fewer if fewer else 0.0
    return (overlap + a.cosine(b)) / 2
