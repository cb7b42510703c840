"""The refresh rule against pairs that people labelled (SPEC 8).

Pure. The rule is taken as it is: nothing here decides how texts are compared.
"""

from __future__ import annotations

import csv
import enum
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

from bot.errors import UserError
from bot.lessons.reading import reading
from bot.lessons.similarity import compare
from bot.settings import Refresh

COLUMNS = ("a", "b", "label")

# The floors that are scored beside the configured one.
FLOORS = tuple(step / 100 for step in range(5, 61))
# A false merge loses or inverts a lesson, a missed one costs a slot: precision counts double.
BETA = 0.5
CONFIDENCE = 1.96  # standard deviations: 95 %


class Label(enum.StrEnum):
    """What a person said of a pair; an opposite is a distinct pair that must never be merged."""

    SAME = "same"
    DISTINCT = "distinct"
    OPPOSITE = "opposite"


@dataclass(frozen=True, slots=True)
class LabelledPair:
    a: str
    b: str
    label: Label


@dataclass(frozen=True, slots=True)
class Score:
    """How many labelled pairs are merged, and how rightly.

    `precision`: same pairs among the merged ones, opposites counting against it; `recall`: merged
    pairs among the same ones. None where there is nothing to divide by.
    """

    merged: int
    precision: float | None
    recall: float | None
    opposite_merged: int


@dataclass(frozen=True, slots=True)
class FloorScore:
    """The single-word floor alone: similarity at least `floor`, no blend and no guard.

    Both texts need the least number of tokens, as everywhere in the rule.
    """

    floor: float
    score: Score


@dataclass(frozen=True, slots=True)
class LabelScores:
    """`suggested` is one of `floors`; None where no floor merges a pair that is the same."""

    pairs: int
    opposites: int
    rule: Score
    floors: tuple[FloorScore, ...]
    suggested: FloorScore | None


def parse_labels(data: bytes, name: str = "labels") -> tuple[LabelledPair, ...]:
    """Reads tab-separated columns a, b and label, found by the header; others are ignored.

    Raises UserError with the line at fault: of a row of several lines the last one, of one that
    cannot be read at all the first.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _unreadable(name, line, "this line is not UTF-8") from error
    rows = csv.DictReader(io.StringIO(text, newline=""), dialect="excel-tab", strict=True)
    try:
        header = rows.fieldnames or ()
        missing = [column for column in COLUMNS if column not in header]
        if missing:
            raise _unreadable(name, 1, f"there is no column {', '.join(missing)}")
        return tuple(_pair(row, name, rows.line_num) for row in rows)
    except csv.Error as error:
        raise _unreadable(name, rows.line_num + 1, str(error)) from error


def score_labels(pairs: Sequence[LabelledPair], refresh: Refresh) -> LabelScores:
    """The rule that runs, and the floor alone at every step of FLOORS and where it is set."""
    compared = [(p.label, reading(p.a), reading(p.b)) for p in pairs]
    scored = [(label, compare(a, b, refresh)) for label, a, b in compared]
    long_enough = [
        (label, comparison.similarity)
        for (label, comparison), (_, a, b) in zip(scored, compared, strict=True)
        if min(len(a.tokens), len(b.tokens)) >= refresh.min_tokens
    ]
    same = sum(label is Label.SAME for label, _ in scored)
    floors = tuple(
        FloorScore(floor, _score([label for label, found in long_enough if found >= floor], same))
        for floor in sorted({*FLOORS, refresh.floor})
    )
    rule = _score([label for label, comparison in scored if comparison.same], same)
    opposites = sum(label is Label.OPPOSITE for label, _ in scored)
    return LabelScores(len(pairs), opposites, rule, floors, _suggested(floors))


def caution(score: Score) -> float:
    """What a floor is suggested by, 0..1: F with BETA, its precision taken at the low end.

    F = (1 + β²)·p·r / (β²·p + r), where p is the lower end of Wilson's 95 % interval: few labels
    prove little, so they push the suggestion up.
    """
    if not score.merged or not score.precision or not score.recall:
        return 0.0
    low = _wilson(score.precision, score.merged)
    return (1 + BETA**2) * low * score.recall / (BETA**2 * low + score.recall)


def _wilson(share: float, count: int) -> float:
    """The lower end of Wilson's interval of a share of `count` (E. B. Wilson, 1927)."""
    z2 = CONFIDENCE**2 / count
    spread = CONFIDENCE * math.sqrt(share * (1 - share) / count + z2 / (4 * count))
    return (share + z2 / 2 - spread) / (1 + z2)


def _suggested(floors: Sequence[FloorScore]) -> FloorScore | None:
    """The most cautious of them, on a tie the highest."""
    best = max(floors, key=lambda f: (caution(f.score), f.floor), default=None)
    return best if best and caution(best.score) > 0 else None


def _score(merged: Sequence[Label], same: int) -> Score:
    right = merged.count(Label.SAME)
    return Score(
        merged=len(merged),
        precision=right / len(merged) if merged else None,
        recall=right / same if same else None,
        opposite_merged=merged.count(Label.OPPOSITE),
    )


def _pair(row: dict[str, str | None], name: str, line: int) -> LabelledPair:
    a, b, label = row["a"], row["b"], row["label"]
    if a is None or b is None or label is None:
        raise _unreadable(name, line, "this row has too few columns")
    try:
        return LabelledPair(a, b, Label(label.strip()))
    except ValueError as error:
        raise _unreadable(name, line, f"{label!r} is not a label") from error


def _unreadable(name: str, line: int, message: str) -> UserError:
    return UserError(
        f"{message}.",
        remedy="Expected: tab-separated columns a, b, label with a header; a label is one of "
        + ", ".join(Label)
        + ".",
        file=name,
        line=line,
    )
