"""The score: what the figures mean, and that search answers its own set as well as it did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app import main
from bot.database import connect
from bot.errors import UserError
from bot.lessons.reading import content, in_order
from bot.search.index import SearchIndex
from bot.search.meaning import SHIPPED
from bot.search.model import Rankings
from bot.search.postgres import PostgresTables
from bot.search.score import (
    WAYS,
    WORDS,
    Figures,
    Question,
    Score,
    fallen,
    figures,
    read_questions,
    score,
)
from bot.work.looked_up import page_of
from tests.search.conftest import FIRST, NOW, ONE

FIELD = Path(__file__).parent.parent / "field" / "search"
QUESTIONS = read_questions((FIELD / "questions.jsonl").read_bytes(), "questions.jsonl")
# What whoever asked had seen: the titles, the pages; the titles, whose words were then avoided.
TITLES, PAGES, REWORDED = "titles", "pages", "reworded"
EXACT = "exact"  # identifiers
BY_WORDS = [question for question in QUESTIONS if question.set != EXACT]


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, float]]]:
    """The figures as the command gives them."""
    file = tmp_path_factory.mktemp("score") / "out.json"
    with pytest.MonkeyPatch.context() as patch, file.open("w") as out:
        patch.setattr("sys.stdout", out)
        arguments = [str(FIELD / "questions.jsonl"), "--pages", str(FIELD / "pages")]
        before = ["--against", str(FIELD / "figures.json")]
        assert main(["score", *arguments, *before, "--json"]) == 0, "lower than at the last release"
    found: dict[str, dict[str, dict[str, float]]] = json.loads(file.read_text())
    return found


# --- the set -----------------------------------------------------------------------------------


def test_there_are_enough_questions_and_most_were_asked_knowing_only_titles() -> None:
    names = (TITLES, PAGES, REWORDED, EXACT)
    asked = {name: [q.page for q in QUESTIONS if q.set == name] for name in names}
    assert len(asked[TITLES]) + len(asked[PAGES]) >= 60
    assert len(asked[TITLES]) >= len(asked[PAGES])
    assert len(asked[REWORDED]) >= 60
    assert len(asked[EXACT]) >= 30
    for name in (TITLES, PAGES, REWORDED):
        assert len(set(asked[name])) == len(asked[name]), "each page is asked for once"


@pytest.mark.parametrize("question", BY_WORDS, ids=lambda q: f"{q.set}-{Path(q.page).stem}")
def test_no_question_shares_more_than_two_content_words_with_its_page(question: Question) -> None:
    page = (FIELD / question.page).read_text()
    assert len(content(in_order(question.text)) & content(in_order(page))) <= 2


# --- the reach ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [TITLES, PAGES, REWORDED])
def test_both_halves_together_are_better_than_either(
    now: dict[str, dict[str, dict[str, float]]], name: str
) -> None:
    for half in ("exact", "meaning"):
        assert now[name]["reranked"]["mrr"] > now[name][half]["mrr"]
        assert now[name]["reranked"]["recall@5"] >= now[name][half]["recall@5"]


@pytest.mark.parametrize("name", [TITLES, PAGES])
def test_what_is_asked_for_by_its_subject_is_found_nearly_always(
    now: dict[str, dict[str, dict[str, float]]], name: str
) -> None:
    assert now[name]["reranked"]["recall@5"] >= 0.95


def test_the_re_ranker_stays_because_it_helps(
    now: dict[str, dict[str, dict[str, float]]],
) -> None:
    def over_all(way: str) -> float:
        return sum(now[question.set][way]["mrr"] for question in QUESTIONS)

    assert over_all("reranked") > over_all("fused")


def test_hyphenated_dotted_and_path_questions_are_all_answered(
    now: dict[str, dict[str, dict[str, float]]],
) -> None:
    assert now[EXACT]["exact"]["recall@5"] == 1.0
    assert now[EXACT]["fused"]["recall@5"] == 1.0
    assert now[EXACT]["reranked"]["recall@5"] == 1.0


def test_postgresql_answers_as_well(postgres_url: str) -> None:
    engine = connect(postgres_url)
    index = SearchIndex(PostgresTables(engine), SHIPPED, lambda: NOW)
    files = sorted((FIELD / "pages").glob("*.md"))
    pages = [page_of(f"pages/{file.name}", file.read_bytes(), file.name) for file in files]
    index.put(ONE, FIRST, NOW, pages)
    found = score(QUESTIONS, lambda text: index.rankings(text, ONE)).figures
    engine.dispose()
    for name in (TITLES, PAGES):
        ways = found[name]
        assert ways["reranked"].mrr > max(ways[way].mrr for way in ("exact", "meaning"))
        assert ways["reranked"].recall_at_5 >= 0.95
    assert found[EXACT]["reranked"].recall_at_5 == 1.0


# --- the figures -------------------------------------------------------------------------------


def test_the_figures_by_hand() -> None:
    assert figures([1, 2, 5, 6, None]) == Figures(1 / 5, 3 / 5, (1 + 1 / 2 + 1 / 5 + 1 / 6) / 5)
    assert figures([]) == Figures(0, 0, 0)


def test_each_way_is_counted_by_itself_and_each_set() -> None:
    rankings = Rankings(("a", "b"), ("c", "a"), ("b", "a"), ("a",))
    found = score([Question("?", "a"), Question("?", "z", "other")], lambda _: rankings)
    ways = {way: found.figures[WORDS][way].mrr for way in WAYS}
    assert ways == {"exact": 1.0, "meaning": 0.5, "fused": 0.5, "reranked": 1.0}
    assert found.figures["other"]["exact"] == Figures(0, 0, 0)
    assert [each.page for each in found.missed] == ["z"]
    assert "| words (1) | fused | 0.000 | 1.000 | 0.500 |" in found.to_markdown()


def test_what_fell_is_named_and_a_hair_is_not() -> None:
    def of(mrr: float) -> Score:
        return Score({WORDS: 1}, {WORDS: dict.fromkeys(WAYS, Figures(0.5, 0.9, mrr))}, ())

    assert fallen(of(0.80).to_json(), of(0.90).to_json()) == ["words: mrr fell from 0.900 to 0.800"]
    assert fallen(of(0.895).to_json(), of(0.90).to_json()) == []
    assert fallen(of(0.95).to_json(), of(0.90).to_json()) == []
    assert fallen({}, of(0.90).to_json()) == []


@pytest.mark.parametrize("line", ["no json", "[]", '{"question": "a"}'])
def test_a_broken_question_file_names_the_line(line: str) -> None:
    good = b'{"question": "a", "page": "b.md"}\n'
    with pytest.raises(UserError) as refused:
        read_questions(good + line.encode(), "q.jsonl")
    assert str(refused.value).startswith("q.jsonl:2: ")
    assert refused.value.remedy


def test_a_file_without_questions_is_refused() -> None:
    with pytest.raises(UserError):
        read_questions(b"\n\n", "q.jsonl")
