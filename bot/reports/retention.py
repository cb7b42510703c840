"""Which lessons are worth their place: five policies, one budget, one query per lesson (SPEC 8).

Pure. A query is every other word of a lesson, and is answered by a kept lesson that shares enough
of its words. It measures what a policy keeps, not what anybody will ask for.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from bot.lessons.guard import guard
from bot.lessons.reading import in_order
from bot.reports.corpus import active

STEPS = 10  # budgets of 10 %, 20 %, … 100 % of the characters
SHORT = 7  # the shorter area ends at 70 %: beyond it every policy keeps nearly everything
CLUSTER, QUERY = 0.5, 0.3
CLUSTERS = (0.3, 0.4, 0.5, 0.6, 0.7)
QUERIES = (0.2, 0.3, 0.4, 0.5)


class Policy(enum.StrEnum):
    """What is kept first.

    `recency`: the newest. `frequency`: those with most near duplicates, the newest of equals.
    `deduplication`: the newest of each cluster of near duplicates; the others are dropped.
    `shortest-first`: the shortest. `set-cover`: greedily what answers most queries for each
    character; it knows the queries, so it is a bound for the others and no policy that could run.
    """

    RECENCY = "recency"
    FREQUENCY = "frequency"
    DEDUPLICATION = "deduplication"
    SHORTEST = "shortest-first"
    COVER = "set-cover"


@dataclass(frozen=True, slots=True)
class Lesson:
    """One item of the corpus. `section` is the file it came from."""

    section: str
    text: str

    @property
    def length(self) -> int:
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Curve:
    """`recall` and `kept` (a count of lessons) at each budget, the smallest first.

    `area` is that under the recall from 0.1 to 1.0 of the budget, at most 0.9; `short_area` from
    0.1 to 0.7, at most 0.6.
    """

    policy: Policy
    recall: tuple[float, ...]
    kept: tuple[int, ...]

    @property
    def area(self) -> float:
        return _area(self.recall)

    @property
    def short_area(self) -> float:
        return _area(self.recall[:SHORT])


@dataclass(frozen=True, slots=True)
class Swept:
    """The curves at another threshold."""

    threshold: float
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class Retention:
    """`by_cluster` sweeps the similarity that makes near duplicates, `by_query` that of answers."""

    lessons: int
    characters: int
    curves: tuple[Curve, ...]
    by_cluster: tuple[Swept, ...]
    by_query: tuple[Swept, ...]


def corpus(files: Sequence[tuple[str, bytes]], today: date) -> tuple[Lesson, ...]:
    """The active bullets of all files, newest first; of one day, in the order of the files."""
    found = [(entry, name) for name, data in files for entry in active(data, today)]
    found.sort(key=lambda each: each[0].on or date.max, reverse=True)
    return tuple(Lesson(name, entry.text) for entry, name in found)


def report_retention(lessons: Sequence[Lesson]) -> Retention:
    """The policies at the usual thresholds, and at each of the swept ones."""
    scores = Scores(lessons)
    return Retention(
        lessons=len(lessons),
        characters=sum(lesson.length for lesson in lessons),
        curves=_curves(scores, CLUSTER, QUERY),
        by_cluster=tuple(Swept(at, _curves(scores, at, QUERY)) for at in CLUSTERS),
        by_query=tuple(Swept(at, _curves(scores, CLUSTER, at)) for at in QUERIES),
    )


class Scores:
    """How alike the lessons are, and how well each answers the query of each other one."""

    def __init__(self, lessons: Sequence[Lesson]) -> None:
        self.lessons = lessons
        words = [in_order(lesson.text) for lesson in lessons]
        sets = [frozenset(each) for each in words]
        queries = [frozenset(each[::2]) for each in words]
        lowest = min(CLUSTERS)
        self._near = [
            [
                (other, score)
                for other in range(mine)
                if (score := _jaccard(sets[mine], sets[other])) >= lowest
                and guard(lessons[mine].text, lessons[other].text) is None
            ]
            for mine in range(len(lessons))
        ]
        self._answers = [
            [
                (query, score)
                for query, asked in enumerate(queries)
                if (score := _jaccard(asked, mine)) >= min(QUERIES)
            ]
            for mine in sets
        ]

    def answered(self, lesson: int, query: float) -> frozenset[int]:
        """The queries that one lesson answers."""
        return frozenset(asked for asked, score in self._answers[lesson] if score >= query)

    def clusters(self, cluster: float) -> list[list[int]]:
        """Near duplicates together, in the order of their newest, which comes first.

        As a block is built: each lesson joins the first newest one that it is near to.
        """
        found: dict[int, list[int]] = {}
        for mine in range(len(self.lessons)):
            near = [o for o, score in self._near[mine] if score >= cluster and o in found]
            found.setdefault(near[0] if near else mine, []).append(mine)
        return list(found.values())

    def recall(self, kept: Iterable[int], query: float) -> float:
        """The share of all queries that the kept lessons answer; 0 where there are none."""
        found = frozenset[int]().union(*(self.answered(each, query) for each in kept))
        return len(found) / len(self.lessons) if self.lessons else 0.0


def ranked(policy: Policy, scores: Scores, cluster: float, query: float) -> list[int]:
    """The lessons, by their place in the corpus, in the order in which they are kept."""
    everything = range(len(scores.lessons))
    match policy:
        case Policy.RECENCY:
            return [*everything]
        case Policy.FREQUENCY:
            size = {each: len(found) for found in scores.clusters(cluster) for each in found}
            return sorted(everything, key=lambda each: -size[each])
        case Policy.DEDUPLICATION:
            return [found[0] for found in scores.clusters(cluster)]
        case Policy.SHORTEST:
            return sorted(everything, key=lambda each: scores.lessons[each].length)
        case Policy.COVER:
            return _cover(scores, query)


def within(order: Iterable[int], lengths: Sequence[float], budget: float) -> list[int]:
    """What fits into so many characters; a lesson that does not fit is passed over."""
    kept: list[int] = []
    used = 0.0
    for each in order:
        if used + lengths[each] <= budget:
            kept.append(each)
            used += lengths[each]
    return kept


def _curves(scores: Scores, cluster: float, query: float) -> tuple[Curve, ...]:
    lengths = [lesson.length for lesson in scores.lessons]
    curves = []
    for policy in Policy:
        order = ranked(policy, scores, cluster, query)
        kept = [within(order, lengths, sum(lengths) * step / STEPS) for step in range(1, STEPS + 1)]
        recall = tuple(scores.recall(each, query) for each in kept)
        curves.append(Curve(policy, recall, tuple(map(len, kept))))
    return tuple(curves)


def _cover(scores: Scores, query: float) -> list[int]:
    """Greedy cover by gain for each character; what adds nothing is left out."""
    left = {each: scores.answered(each, query) for each in range(len(scores.lessons))}
    order: list[int] = []
    while left:
        best = max(left, key=lambda each: len(left[each]) / max(1, scores.lessons[each].length))
        gained = left.pop(best)
        if not gained:
            break
        order.append(best)
        left = {each: rest - gained for each, rest in left.items()}
    return order


def _area(recall: Sequence[float]) -> float:
    """The trapezoids between budgets that are a tenth apart."""
    return sum(a + b for a, b in pairwise(recall)) / (2 * STEPS)


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    common = len(a & b)
    union = len(a) + len(b) - common
    return common / union if union else 0.0
