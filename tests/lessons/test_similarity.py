"""Append or refresh: the tokens, the scores, the guard, and what the rule makes of real pairs."""

from __future__ import annotations

import csv
import itertools
import json
import math
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.bench.opposites import opposites, pairs_in_a_frame
from bot.lessons.guard import Apart, guard, is_conflict
from bot.lessons.reading import reading, stem
from bot.lessons.similarity import blend, compare, decide, jaccard, tokens
from bot.lessons.words import NEGATIONS, STOP_WORDS
from bot.settings import Refresh

FIELD = Path(__file__).parents[1] / "field"
RULE = Refresh()

_APPROVED = (
    "Never approve a PR while any CI check (unit, integration) is still pending: "
    "wait for all jobs to conclude before verdict."
)
_REQUESTED = (
    "Never request approval or treat a PR as mergeable while any CI check (lint, types) is "
    "still pending: local green runs are not a substitute."
)
PENDING_CI = (_APPROVED, _REQUESTED)


def findings() -> list[dict[str, str]]:
    with (FIELD / "findings-pairs.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, dialect="excel-tab"))


def lessons() -> list[str]:
    lines = (FIELD / "reviews-gold.jsonl").read_text(encoding="utf-8").splitlines()
    return [lesson for line in lines for lesson in json.loads(line)["lessons"]]


# Tokens


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_on_ascii_the_tokens_are_the_runs_of_letters_and_digits(text: str) -> None:
    assert tokens(text) == set(re.findall("[a-z0-9]+", text.lower()))


@given(st.text())
def test_any_text_can_be_compared_with_itself_and_with_another(text: str) -> None:
    assert all(any(c.isalnum() for c in token) for token in tokens(text))
    assert jaccard(text, text) == (1.0 if tokens(text) else 0.0)
    assert 0 <= blend(text, "Wait for every job.") <= 1
    assert guard(text, text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MIN_TEST_CASES", {"min", "test", "cases"}),
        ("Coffee. coffee", {"coffee"}),
        ("Größenänderung der Prüfübersicht", {"grössenänderung", "der", "prüfübersicht"}),
        ("Cafe\u0301", {"café"}),
        ("ﬁle №２", {"file", "no2"}),
        ("\u202edrop\u202c pa\u200bss", {"drop", "pass"}),
        ("运行所有测试", {"运行", "行所", "所有", "有测", "测试"}),
        ("用Python写", {"用", "python", "写"}),
        ("テスト前に", {"テス", "スト", "ト前", "前に"}),
        ("हिन्दी में", {"हिन्दी", "में"}),
        ("⚠️ ---", set()),
    ],
)
def test_tokens(text: str, expected: set[str]) -> None:
    assert tokens(text) == expected


def test_a_look_alike_letter_stays_another_letter() -> None:
    assert tokens("p\u0430ss") != tokens("pass")


def test_two_empty_sets_are_not_similar() -> None:
    assert jaccard("", "…") == 0
    assert blend("", "…") == 0


# Scores


def test_the_published_similarities() -> None:
    a, b = PENDING_CI
    assert jaccard(a, b) == 10 / 35
    assert jaccard("new one", "new two") == 1 / 3


def test_the_published_word_pairs_tell_that_the_fixture_is_the_published_text() -> None:
    a, b = (set(itertools.pairwise(re.findall("[a-z0-9]+", t.lower()))) for t in PENDING_CI)
    assert (len(a & b), len(a | b)) == (6, 38)


def test_blend_by_hand() -> None:
    # Terms {retri, upload} of {retri, upload, job}: overlap 1. 4-grams of " retry ", " uploads "
    # and " retry ", " the ", " upload ", " job ": 10 and 13, of them 8 in both.
    assert blend("Retry uploads", "Retry the upload job") == pytest.approx(
        (1 + 8 / (10 * 13) ** 0.5) / 2
    )
    # Words of two letters count as they are, each twice on one side: 1 + ln 2.
    repeated = 2 * (1 + math.log(2)) ** 2
    assert blend("go to go to", "go to") == pytest.approx(
        (1 + 2 * (1 + math.log(2)) / (repeated * 2) ** 0.5) / 2
    )


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("MIN_TEST_CASES", {"min_test_cases", "min", "test", "case"}),
        ("minTestCases", {"mintestcases", "min", "test", "case"}),
        ("scripts/run-tests.sh", {"scripts/run-tests.sh", "script", "run", "test", "sh"}),
        ("HTTPServer for the PRs", {"httpserver", "http", "server", "prs"}),
        ("well-known, i.e. its", {"well", "known"}),
    ],
)
def test_identifiers_count_whole_and_in_parts(text: str, terms: set[str]) -> None:
    assert reading(text).terms == terms


def test_texts_are_read_alike_in_many_threads() -> None:
    words = sorted({word for pair in findings()[:100] for word in tokens(pair["a"])})
    alone = [stem.__wrapped__(word) for word in words]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # seconds: threads meet inside of every stem
    try:
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda _: list(map(stem.__wrapped__, words)), range(4)))
    finally:
        sys.setswitchinterval(interval)
    assert together == [alone] * 4


def test_the_word_lists_are_the_published_ones() -> None:
    text = (FIELD / "stopwords.txt").read_text(encoding="utf-8")
    stop, negations = (set(part.split()) for part in re.split(r"(?m)^#.*\n", text)[1:])
    assert stop == STOP_WORDS
    assert negations <= NEGATIONS


# The rule


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (*PENDING_CI, True),
        (
            "Run `npm run shots` for art-gated pull requests before you ask for a review.",
            "Never retry `npm run shots` inside the task container: its download is blocked there.",
            False,
        ),
        (
            "Measure every painted overlay anchor before you commit the picture.",
            "Re-measure one specific anchor set after repainting, not the whole picture.",
            False,
        ),
        ("new one", "new two", False),
        (  # stop words must not carry the score
            "A test that skips is not a test that passes.",
            "A test that a comment can satisfy is a test of the comment.",
            False,
        ),
        (  # reworded below the floor
            "State machine is `!Send` — can't move across tokio tasks.",
            "cggmp24's `StateMachine` is `!Send` — cannot cross tokio task boundaries",
            True,
        ),
        (  # punctuation glued to words
            "Drink the coffee, before it is cold, in the kitchen.",
            "Drink the coffee before it is cold in the kitchen",
            True,
        ),
    ],
)
def test_published_and_field_pairs(a: str, b: str, same: bool) -> None:
    assert decide(a, b, RULE).same is same
    assert decide(b, a, RULE) == decide(a, b, RULE)


def test_the_floor_is_inclusive() -> None:
    a, b = "a b c d e f g h i j", "a b c d w x y z u v"  # 4 of 16
    scores_nothing_else = Refresh(floor=0.25, confirm=0, reword_floor=None)
    assert decide(a, b, scores_nothing_else).same
    assert not decide(a, b, Refresh(floor=0.2501, confirm=0, reword_floor=None)).same


def test_the_floor_must_be_confirmed() -> None:
    a, b = "you and i will do it with them now", "you and i will do it with us later on"
    scores = decide(a, b, RULE)
    assert scores.similarity >= RULE.floor
    assert decide(a, b, Refresh(confirm=scores.blend, reword_floor=None)).same
    assert not decide(a, b, Refresh(confirm=scores.blend + 0.001, reword_floor=None)).same


def test_without_a_reword_floor_the_confirmed_floor_stands_alone() -> None:
    a = "State machine is `!Send` — can't move across tokio tasks."
    b = "cggmp24's `StateMachine` is `!Send` — cannot cross tokio task boundaries"
    assert not decide(a, b, Refresh(reword_floor=None)).same


def test_texts_of_less_than_eight_tokens_are_never_the_same() -> None:
    text = "Wait for every job of the run"
    assert not decide(text, text, RULE).same
    assert decide(f"{text} today", f"{text} today", RULE).same


def test_a_pair_that_the_scores_tell_apart_has_no_reason() -> None:
    comparison = decide("Never retry the upload.", "Pin the version of the formatter.", RULE)
    assert (comparison.same, comparison.apart) == (False, None)


# The guard


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        (
            "Run the database migration before the deploy of the web service.",
            "Run the database migration after the deploy of the web service.",
            Apart.BEFORE_AFTER,
        ),
        (
            "Vor dem Deploy muss die Migration auf der Datenbank laufen.",
            "Nach dem Deploy muss die Migration auf der Datenbank laufen.",
            Apart.BEFORE_AFTER,
        ),
        (
            "提交前必须在本地运行所有测试并检查日志。",
            "提交后必须在本地运行所有测试并检查日志。",
            Apart.BEFORE_AFTER,
        ),
        (
            "Use the shared client in tests of the receiver.",
            "Never use the shared client in tests of the receiver.",
            Apart.NEGATION,
        ),
        (
            "The installer does use tabs in the files it writes.",
            "The installer doesn’t use tabs in the files it writes.",
            Apart.NEGATION,
        ),
        (
            "Die Tests dürfen auf der Datenbank der Anwendung laufen.",
            "Die Tests dürfen nicht auf der Datenbank der Anwendung laufen.",
            Apart.NEGATION,
        ),
        (
            "不要在主分支上直接提交代码,必须先创建分支。",
            "要在主分支上直接提交代码,必须先创建分支。",
            Apart.NEGATION,
        ),
        (
            "Enable the cache of the runner for jobs on main.",
            "Disable the cache of the runner for jobs on main.",
            Apart.NEGATION,
        ),
        (
            "Handlers of this module are safe to call in threads.",
            "Handlers of this module are unsafe to call in threads.",
            Apart.NEGATION,
        ),
        (
            "Wait 60 s for the index before you search in it.",
            "Wait 8 s for the index before you search in it.",
            Apart.NUMBERS,
        ),
        (
            "Wait 60 s for the index before you search in it.",
            "Wait 60 ms for the index before you search in it.",
            Apart.NUMBERS,
        ),
        (
            "Retry the upload twice and give up on the third failure.",
            "Retry the upload four times and give up on the third failure.",
            Apart.NUMBERS,
        ),
        (
            "Read at most 1,000 rows of the table in one go.",
            "Read at most 1,000,000 rows of the table in one go.",
            Apart.NUMBERS,
        ),
        (
            "Call `load_profile` in the handler and check what it returns.",
            "Call `save_account` in the handler and check what it returns.",
            Apart.IDENTIFIERS,
        ),
        (
            "Call load_profile in the handler and check what it returns.",
            "Call load_profiles in the handler and check what it returns.",
            Apart.IDENTIFIERS,
        ),
        (
            'detect_os() in the installer returns "wsl" when it runs there.',
            'detect_os() in the installer returns "linux" when it runs there.',
            Apart.IDENTIFIERS,
        ),
        (
            "Fail the job when coverage >= 80 in the report of the run.",
            "Fail the job when coverage <= 80 in the report of the run.",
            Apart.IDENTIFIERS,
        ),
        (
            "Send a GET to the endpoint of the store and check the answer.",
            "Send a POST to the endpoint of the store and check the answer.",
            Apart.IDENTIFIERS,
        ),
        (
            "Let retry() handle what the endpoint of the store refuses.",
            "Let abort() handle what the endpoint of the store refuses.",
            Apart.IDENTIFIERS,
        ),
        (
            "Pass --force to the cleaner when it runs on main.",
            "Pass --dry-run to the cleaner when it runs on main.",
            Apart.IDENTIFIERS,
        ),
        (
            "Use `a` and not `b` for new rows in the store.",
            "Use `b` and not `a` for new rows in the store.",
            Apart.ORDER,
        ),
        (
            "Indent new files with tabs instead of spaces in this repository.",
            "Indent all new files with spaces instead of tabs in this repository.",
            Apart.ORDER,
        ),
        (
            "The client validates what the server of the shop sends.",
            "The server validates what a client of the shop sends.",
            Apart.ORDER,
        ),
        (
            "Copy the settings from the old store to the new one.",
            "Copy the settings from the new store to the old one.",
            Apart.ORDER,
        ),
    ],
)
def test_opposites_and_other_lessons_are_kept_apart(a: str, b: str, reason: Apart) -> None:
    for comparison in (decide(a, b, RULE), decide(b, a, RULE)):
        assert comparison.apart is reason
        assert not comparison.same


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (
            "Before the deploy of the service, run the database migration.",
            "Run the database migration before the deploy of the service.",
        ),
        (
            "When a job is red, read the log of its first step.",
            "Read the log of its first step when a job is red.",
        ),
        (
            "Wait 60 s for the search index before you read it.",
            "Wait 60 seconds for the search index before you read it.",
        ),
        (
            "Call `load_profile` in the handler and check what it returns.",
            "Always call load_profile in the handler and check what that returns.",
        ),
        (
            "The handler must not retry the upload of a file.",
            "The handler mustn't retry the upload of a file.",
        ),
    ],
)
def test_what_only_looks_different_is_the_same(a: str, b: str) -> None:
    assert decide(a, b, RULE).same


_WORDS = [
    "never",
    "before",
    "use",
    "`a`",
    "b_c",
    "cache",
    "lock",
    "60",
    "two",
    "s",
    "to",
    ",",
    "on",
]
_SENTENCES = st.lists(st.sampled_from(_WORDS), max_size=12).map(" ".join)


@given(_SENTENCES, _SENTENCES)
def test_the_guard_does_not_ask_which_text_is_new(a: str, b: str) -> None:
    assert guard(a, b) is guard(b, a)


DECIMAL = "Use `Decimal` for prices in `src/price.py`, floats lose cents."


@pytest.mark.parametrize(
    "other",
    [
        "Use `pathlib` in `src/price.py` for paths.",
        "Use `logging` in `src/price.py` for messages.",
        "Use `Path` for file names in `src/price.py`.",
        "Use `int` for quantities in `src/price.py`.",
    ],
)
def test_a_shared_path_makes_no_twins_of_two_lessons_about_one_file(other: str) -> None:
    scores = compare(reading(DECIMAL), reading(other), RULE)
    assert scores.similarity >= RULE.floor
    assert scores.blend >= RULE.confirm
    assert scores.apart is Apart.IDENTIFIERS


def test_the_same_lesson_in_other_words_about_one_file_is_a_twin() -> None:
    again = "Take `Decimal` for every price in `src/price.py`, because floats lose cents."
    assert compare(reading(DECIMAL), reading(again), RULE).same


def test_texts_that_differ_in_more_are_no_business_of_the_guard() -> None:
    assert guard("Never retry the upload of a file.", "Pin the formatter before 3 May.") is None


def test_negation_time_and_order_are_conflicts_numbers_and_identifiers_two_lessons() -> None:
    assert {reason for reason in Apart if is_conflict(reason)} == {
        Apart.NEGATION,
        Apart.BEFORE_AFTER,
        Apart.ORDER,
    }


def test_no_opposite_of_a_real_text_is_merged() -> None:
    texts = sorted({pair["a"] for pair in findings()})[::4] + lessons()
    made = [
        (kind, a, b)
        for text in texts
        for kind, a, b in [
            *((kind, text, opposite) for kind, opposite in opposites(text)),
            *pairs_in_a_frame(text),
        ]
    ]
    assert len({kind for kind, *_ in made}) > 15
    merged = [pair for pair in made if decide(pair[2], pair[1], RULE).same]
    assert merged == []


# Labelled pairs


def test_the_rule_on_the_labelled_findings() -> None:
    pairs = findings()
    same = [pair["label"] == "same" for pair in pairs]
    compared = [compare(reading(p["a"]), reading(p["b"]), RULE) for p in pairs]

    floor = [c.similarity >= RULE.floor for c in compared]
    right = sum(f and s for f, s in zip(floor, same, strict=True))
    assert round(right / sum(floor), 3) == 0.905
    assert round(right / sum(same), 3) == 0.423

    right = sum(c.same and s for c, s in zip(compared, same, strict=True))
    assert right / sum(c.same for c in compared) >= 0.90
    assert right / sum(same) >= 0.47
