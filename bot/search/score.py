"""How well questions with known pages are answered: each half by itself, fused, re-ranked. Pure but
for the index that is asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.errors import CallError, UserError
from bot.search.model import Rankings

WORDS = "words"  # the set of a question that names none
SLACK = 0.01
WAYS = ("exact", "meaning", "fused", "reranked")

Json = str | int | float | None | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Question:
    """`page`: the path that answers it. `set`: questions of one kind are counted together."""

    text: str
    page: str
    set: str = WORDS


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares of the questions (0..1) whose page came first, or among the first five; and the mean
    of 1 / rank, 0 where it was not found.
    """

    recall_at_1: float
    recall_at_5: float
    mrr: float


@dataclass(frozen=True, slots=True)
class Score:
    """`figures` by set, then by way of ranking. `missed`: questions whose page is not among the
    first five of what is answered.
    """

    questions: Mapping[str, int]
    figures: Mapping[str, Mapping[str, Figures]]
    missed: tuple[Question, ...]

    def to_markdown(self) -> str:
        lines = ["| set | way | recall@1 | recall@5 | MRR |", "|---|---|---:|---:|---:|"]
        for name, ways in self.figures.items():
            for way, each in ways.items():
                lines.append(
                    f"| {name} ({self.questions[name]}) | {way}"
                    f" | {each.recall_at_1:.3f} | {each.recall_at_5:.3f} | {each.mrr:.3f} |"
                )
        lines += [f"\nNot among the first five: {each.text} ({each.page})" for each in self.missed]
        return "\n".join(lines) + "\n"

    def to_json(self) -> dict[str, Json]:
        return {
            name: {
                "questions": self.questions[name],
                **{way: _rounded(figures) for way, figures in ways.items()},
            }
            for name, ways in self.figures.items()
        }


def read_questions(data: bytes, file: str) -> tuple[Question, ...]:
    """JSON Lines: {"question", "page", "set"?}. Raises UserError with the line."""
    found = []
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            question = Question(row["question"], row["page"], row.get("set", WORDS))
            if not all(isinstance(v, str) for v in (question.text, question.page, question.set)):
                raise TypeError
            found.append(question)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise UserError(
                "This is no question with its page.",
                file=file,
                line=number,
                remedy='Write {"question": "…", "page": "docs/page.md"} on one line.',
            ) from error
    if not found:
        raise UserError("There is no question in it.", file=file)
    return tuple(found)


def read_figures(data: bytes, file: str) -> Mapping[str, Json]:
    """An earlier `score --json`. Raises CallError for anything else."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not any(_answered(ways) for ways in found.values()):
        raise CallError(
            "it holds no figures.", file=file, remedy="Give what `score --json` printed."
        )
    return found


def score(questions: Iterable[Question], ask: Callable[[str], Rankings]) -> Score:
    """Asks each question once."""
    ranks: dict[str, dict[str, list[int | None]]] = {}
    missed = []
    for question in questions:
        rankings = ask(question.text)
        ways = ranks.setdefault(question.set, {way: [] for way in WAYS})
        for way in WAYS:
            paths: Sequence[str] = getattr(rankings, way)
            place = paths.index(question.page) + 1 if question.page in paths else None
            ways[way].append(place)
        if (ways["reranked"][-1] or 6) > 5:
            missed.append(question)
    return Score(
        {name: len(ways["fused"]) for name, ways in ranks.items()},
        {name: {way: figures(ways[way]) for way in WAYS} for name, ways in ranks.items()},
        tuple(missed),
    )


def figures(ranks: Sequence[int | None]) -> Figures:
    """Of the ranks at which the pages came, from 1; None: not found."""
    count = len(ranks) or 1
    found = [rank for rank in ranks if rank is not None]
    return Figures(
        sum(rank == 1 for rank in found) / count,
        sum(rank <= 5 for rank in found) / count,
        sum(1 / rank for rank in found) / count,
    )


def fallen(now: Mapping[str, Json], before: Mapping[str, Json]) -> list[str]:
    """Figures of what is answered (`reranked`) that are lower than they were by more than SLACK, in
    words; both in the form of `Score.to_json`. A set that is only in one of them is left alone.
    """
    found = []
    for name, ways in before.items():
        old, new = _answered(ways), _answered(now.get(name))
        for figure, value in old.items():
            if figure in new and new[figure] < value - SLACK:
                found.append(f"{name}: {figure} fell from {value:.3f} to {new[figure]:.3f}")
    return found


def _answered(ways: Json) -> Mapping[str, float]:
    figures = ways.get("reranked") if isinstance(ways, dict) else None
    if not isinstance(figures, dict):
        return {}
    return {name: value for name, value in figures.items() if isinstance(value, float)}


def _rounded(each: Figures) -> dict[str, Json]:
    return {
        "recall@1": round(each.recall_at_1, 3),
        "recall@5": round(each.recall_at_5, 3),
        "mrr": round(each.mrr, 3),
    }
