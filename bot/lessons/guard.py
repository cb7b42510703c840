"""Why two texts in nearly the same words are not the same lesson (SPEC 3.4).

Pure. When in doubt it keeps both: a missed refresh costs a slot, a false one inverts a lesson.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from bot.lessons.cues import WORD, Cues, cues
from bot.lessons.reading import content, stem
from bot.lessons.words import OPPOSITES, TURNING_PREFIXES

# Below this share of common content words two texts differ in more than what the guard looks at.
GATE = 0.6
# Two texts that name one path and share less than this beyond it meet in a place, not in a lesson.
PLACE_ALONE = 0.2


class Apart(enum.StrEnum):
    """What keeps two texts apart."""

    NUMBERS = "numbers"
    IDENTIFIERS = "identifiers"
    NEGATION = "negation"
    BEFORE_AFTER = "before_after"
    ORDER = "order"


def is_conflict(reason: Apart) -> bool:
    """Whether the two say opposite things; other numbers and identifiers make two lessons."""
    return reason in (Apart.NEGATION, Apart.BEFORE_AFTER, Apart.ORDER)


def guard(a: str, b: str) -> Apart | None:
    """Why the texts are kept apart, None where nothing keeps them apart; symmetric.

    Published: where the Jaccard of the stemmed content words is at least 0.6, the set of numbers,
    the count of negation words, or the counts of before and after differ, each side holds a
    back-quoted identifier that the other lacks, or the same identifiers stand in another order.

    Wider than that, because the published form lets opposites through:

    - The gate also opens where the *frame* reaches 0.6: the content words without what is compared
      here (numbers, identifiers, negations, opposites). In a short sentence another identifier
      alone brings the whole below 0.6.
    - Where the texts share a path and hardly a word beyond it, other identifiers keep them apart:
      a path in two short sentences makes half of either. (None of the 192 twins among 717 labelled
      pairs that the rule merges is lost by it.)
    - Identifiers are also quoted words, flags, comparison signs, words in capitals, and bare words
      shaped like one (`a_b`, `aB`, `a.b`, `a/b`); few reviewers quote all of them.
    - Numbers are also number words and units: "two"/"three", "60 s"/"60 ms".
    - Negation is also a pair of opposites ("enable"/"disable", "safe"/"unsafe").
    - Order is also that of plain words: the same words in another order that is no mere rotation
      ("when X, do Y" is "do Y when X"), or a word that changes places with another one around a
      word of contrast, direction or time ("use X, not Y", "from X to Y", "X before Y").
    """
    x, y = cues(a), cues(b)
    if not (_alike(x.content, y.content) or _alike(x.frame, y.frame)):
        meet = _meet_in_a_place(x, y) and _identifiers_differ(x, y)
        return Apart.IDENTIFIERS if meet else None
    for reason, differ in _CHECKS:
        if differ(x, y):
            return reason
    return None


_ARTICLES = frozenset({"a", "an", "the"})
_OPPOSITE_STEMS = tuple((stem(a), stem(b)) for a, b in OPPOSITES)


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    return len(a & b) >= GATE * len(a | b)


def _meet_in_a_place(x: Cues, y: Cues) -> bool:
    shared = any("/" in name for name in set(x.code) & set(y.code))
    return shared and len(x.beyond & y.beyond) < PLACE_ALONE * len(x.beyond | y.beyond)


def _numbers_differ(x: Cues, y: Cues) -> bool:
    in_x, in_y = x.numbers + x.spelled, y.numbers + y.spelled
    if set(x.numbers) - set(in_y) or set(y.numbers) - set(in_x):
        return True
    return _each_has_more(in_x, in_y) or _each_has_more(x.units, y.units)


def _each_has_more(a: Iterable[str], b: Iterable[str]) -> bool:
    return bool(_more(a, b)) and bool(_more(b, a))


def _more(a: Iterable[str], b: Iterable[str]) -> Counter[str]:
    """What `a` has more often than `b`, and by how many."""
    return Counter(a) - Counter(b)


def _identifiers_differ(x: Cues, y: Cues) -> bool:
    return _names_more(x, y) and _names_more(y, x)


def _names_more(x: Cues, y: Cues) -> bool:
    """Whether `x` mentions an identifier more often; `y` may mention it without its quotes."""
    more = _more(x.code, y.code)
    return any(count > _plainly(name, y) - _plainly(name, x) for name, count in more.items())


def _plainly(name: str, cues: Cues) -> int:
    return cues.plain.count(f" {' '.join(WORD.findall(name))} ")


def _polarity_differs(x: Cues, y: Cues) -> bool:
    if x.negations != y.negations:
        return True
    more_x, more_y = _more(x.words, y.words), _more(y.words, x.words)
    if any(p + w in more_y for w in more_x for p in TURNING_PREFIXES):
        return True
    if any(p + w in more_x for w in more_y for p in TURNING_PREFIXES):
        return True
    stems_x, stems_y = tuple(map(stem, x.words)), tuple(map(stem, y.words))
    more_x, more_y = _more(stems_x, stems_y), _more(stems_y, stems_x)
    return any(
        (p in more_x and q in more_y) or (q in more_x and p in more_y) for p, q in _OPPOSITE_STEMS
    )


def _time_order_differs(x: Cues, y: Cues) -> bool:
    return (x.before, x.after) != (y.before, y.after)


def _order_differs(x: Cues, y: Cues) -> bool:
    return (
        _reordered(x.code, y.code)
        or _reordered(x.numbers, y.numbers)
        or _shuffled(x.words, y.words)
        or _crossed(x, y)
    )


def _reordered(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether what both mention comes in another order: by all mentions, else by the first ones."""
    a, b = [w for w in a if w in b], [w for w in b if w in a]
    if Counter(a) != Counter(b):
        a, b = list(dict.fromkeys(a)), list(dict.fromkeys(b))
    return a != b


def _shuffled(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether the same words stand in an order that is no rotation; articles do not count."""
    a, b = [w for w in a if w not in _ARTICLES], [w for w in b if w not in _ARTICLES]
    if Counter(a) != Counter(b):
        return False
    return not any(a[i:] + a[:i] == b for i in range(max(1, len(a))))


def _crossed(x: Cues, y: Cues) -> bool:
    """Whether what a pivot governs here stands elsewhere there, and the other way round."""
    stems_x, stems_y = content(x.words), content(y.words)
    return any(
        not stems_y.isdisjoint(here - there) and not stems_x.isdisjoint(there - here)
        for pivot in x.scopes.keys() & y.scopes.keys()
        for here, there in zip(x.scopes[pivot], y.scopes[pivot], strict=False)
    )


# What makes two lessons comes first: a pair that differs in it has nothing to settle.
_CHECKS: tuple[tuple[Apart, Callable[[Cues, Cues], bool]], ...] = (
    (Apart.NUMBERS, _numbers_differ),
    (Apart.IDENTIFIERS, _identifiers_differ),
    (Apart.NEGATION, _polarity_differs),
    (Apart.BEFORE_AFTER, _time_order_differs),
    (Apart.ORDER, _order_differs),
)
