"""The retention report: policies within a budget, thresholds, and which of two caps cuts."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.lessons.block import Cut, build, bullets_of
from bot.lessons.document import Document
from bot.lessons.history import History
from bot.reports import sample
from bot.reports.caps import report_caps
from bot.reports.retention import (
    Curve,
    Lesson,
    Policy,
    Scores,
    corpus,
    ranked,
    report_retention,
    within,
)
from bot.settings import Caps, Settings
from tests.reports.conftest import Caller

TODAY = date(2026, 2, 1)
SAMPLE = corpus(sample.files(), TODAY)
SECTIONS = tuple(zip((name for name, _ in sample.files()), sample.CAPS, strict=True))


def lessons(*texts: str) -> tuple[Lesson, ...]:
    return tuple(Lesson("one.md", text) for text in texts)


def first(policy: Policy, *texts: str) -> list[str]:
    """The texts, newest first, as a policy would keep them."""
    scores = Scores(lessons(*texts))
    return [texts[place] for place in ranked(policy, scores, 0.5, 0.3)]


NEW, TWIN, OLD_TWIN, OTHER = (
    "alpha beta gamma delta epsilon eta",
    "red blue gold black white pink",
    "red blue gold black white gray",
    "kappa lambda",
)


def test_each_policy_keeps_first_what_it_is_named_after() -> None:
    texts = (NEW, TWIN, OTHER, OLD_TWIN)
    assert first(Policy.RECENCY, *texts) == [*texts]
    assert first(Policy.FREQUENCY, *texts) == [TWIN, OLD_TWIN, NEW, OTHER]
    assert first(Policy.DEDUPLICATION, *texts) == [NEW, TWIN, OTHER]
    assert first(Policy.SHORTEST, *texts) == [OTHER, TWIN, OLD_TWIN, NEW]


def test_a_cover_takes_what_answers_most_for_its_length_and_nothing_for_nothing() -> None:
    # Either twin answers the queries of both: "red gold white" is half of the other.
    assert first(Policy.COVER, NEW, TWIN, OTHER, OLD_TWIN) == [OTHER, TWIN, NEW]


def test_opposites_are_no_near_duplicates() -> None:
    wait = "Wait for every job of the pull request before a verdict."
    never = "Never wait for every job of the pull request before a verdict."
    assert first(Policy.DEDUPLICATION, wait, never) == [wait, never]


def test_a_query_is_every_other_word_as_the_words_follow_each_other() -> None:
    # Of "a b c d e" the query is "a c e", 3 of its 5 words; that of "b d" is "b", 1 of them.
    scores = Scores(lessons("a b c d e", "b d"))
    assert scores.answered(0, 0.3) == {0}
    assert scores.answered(0, 0.2) == {0, 1}


def test_what_does_not_fit_is_passed_over() -> None:
    assert within([0, 1, 2], [5, 9, 4], 10) == [0, 2]
    assert within([0, 1, 2], [5, 9, 4], 4) == [2]


def test_the_areas_are_trapezoids_between_tenths() -> None:
    rising = Curve(Policy.RECENCY, tuple(step / 10 for step in range(1, 11)), (1,) * 10)
    assert rising.area == pytest.approx(0.495)  # (1² − 0.1²) / 2
    assert rising.short_area == pytest.approx(0.24)  # (0.7² − 0.1²) / 2
    full = replace(rising, recall=(1.0,) * 10)
    assert full.area == pytest.approx(0.9)
    assert full.short_area == pytest.approx(0.6)


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1).map(" ".join), max_size=12))
def test_the_whole_budget_keeps_all_and_answers_what_can_be_answered(
    texts: list[str],
) -> None:
    found = report_retention(lessons(*texts))
    for curve in found.curves:
        assert all(0 <= recall <= 1 for recall in curve.recall)
        assert curve.kept[-1] <= len(texts)
    if texts:
        by_policy = {curve.policy: curve for curve in found.curves}
        assert by_policy[Policy.RECENCY].kept[-1] == len(texts)
        for policy in (Policy.RECENCY, Policy.FREQUENCY, Policy.SHORTEST):
            assert by_policy[policy].recall[-1] == by_policy[Policy.COVER].recall[-1]


def test_the_sweeps_hold_one_threshold_and_move_the_other() -> None:
    found = report_retention(SAMPLE)
    assert [each.threshold for each in found.by_cluster] == [0.3, 0.4, 0.5, 0.6, 0.7]
    assert [each.threshold for each in found.by_query] == [0.2, 0.3, 0.4, 0.5]
    assert found.by_cluster[2].curves == found.curves == found.by_query[1].curves
    recency = [each.curves[0].area for each in found.by_query]
    assert all(looser >= stricter for looser, stricter in pairwise(recency))
    kept = [each.curves[2].kept[-1] for each in found.by_cluster]
    assert all(looser <= stricter for looser, stricter in pairwise(kept))  # fewer near duplicates


# Caps


GENERATED = sample.caps_of_all(sample.CAPS, TODAY)


def test_every_generated_corpus_has_the_published_size() -> None:
    assert len(SAMPLE) == 45
    assert sum(lesson.length for lesson in SAMPLE) == 1594
    assert {
        (
            sum(each.lessons for each in found.sections),
            sum(each.characters for each in found.sections),
        )
        for found in GENERATED
    } == {(45, 1594)}


def test_whatever_the_seed_both_caps_keep_18_and_characters_alone_keep_all() -> None:
    recalls = []
    for found in GENERATED:
        now = found.grown[0]
        assert (now.both.kept, now.both.cuts) == (18, (Cut.ITEMS, Cut.ITEMS))
        assert now.items_alone == now.both
        assert (now.characters_alone.kept, now.characters_alone.recall) == (45, 1.0)
        assert now.characters_alone.cuts == (Cut.NONE, Cut.NONE)
        recalls.append(now.both.recall)
    assert min(recalls) <= 0.58 <= max(recalls), "what was published is no exception"


def test_whatever_the_seed_the_other_cap_cuts_where_lessons_are_four_times_as_long() -> None:
    for found in GENERATED:
        *_, long, longest = found.grown
        for grown in (long, longest):
            assert grown.both.cuts == (Cut.CHARS, Cut.CHARS)
            assert grown.both == grown.characters_alone
            assert grown.both.kept < grown.items_alone.kept == 18
            assert grown.both.recall < grown.items_alone.recall


def test_where_items_grow_longer_the_other_cap_cuts_from_the_named_length_on() -> None:
    found = report_caps(SAMPLE, SECTIONS)
    assert [section.flips_at for section in found.sections] == [75, pytest.approx(116.67, abs=0.01)]
    for grown in found.grown:
        for place, section in enumerate(found.sections):
            mean = section.characters / section.lessons * grown.factor
            expected = Cut.CHARS if mean > section.flips_at else Cut.ITEMS
            assert grown.both.cuts[place] is expected
    longest = found.grown[-1]
    assert longest.both == longest.characters_alone
    assert longest.both.kept < longest.items_alone.kept == 18


@pytest.mark.parametrize("caps", [Caps(12, 900), Caps(12, 300), Caps(40, 500), Caps(40, 2000)])
def test_the_caps_cut_as_those_of_a_block_do(caps: Caps) -> None:
    (name, data), _ = sample.files()
    document = Document.parse(data, TODAY)
    settings = Settings()
    items = bullets_of(document, History.read({}), settings.store.expire, TODAY)
    block = build([], [], items, replace(settings.block, bullets=caps, cluster=1.0)).sections[-1]
    found = report_caps(corpus([(name, data)], TODAY), [(name, caps)]).grown[0].both
    assert (found.kept, found.cuts) == (len(block.items), (block.cut,))


# The command


def test_the_command_measures_files_within_the_caps_of_each(caller: Caller) -> None:
    for name, data in sample.files():
        caller.write(name, data.decode())
    call = ("retention", "generated-1.md", "generated-2.md", "--caps", "12,900", "6,700")
    answer = caller.report(*call, "--plot", "curve.svg", "--json")
    generated = caller.report("retention", "--generated", "--json")
    assert answer.status == 0
    assert answer.json["policies"] == generated.json["policies"]
    assert answer.json["caps"] == generated.json["caps"]
    assert answer.json["caps"]["grown"][0]["both"]["kept"] == 18
    assert "no future needs" in answer.json["limits"]
    drawn = (caller.place / "curve.svg").read_text(encoding="utf-8")
    assert "deduplication, area 0." in drawn
    page = caller.report("retention", "--generated").out
    assert "no future needs" in page
    assert "Of 25 generated corpora of this size" in page
    recall = "0.51 (0.44 to 0.60)"
    assert f"| × 1 | 35 | 18 | {recall} | items, items | 18 | {recall} | 45 | 1.00 |" in page
    now = generated.json["generated"][0]
    assert (now["corpora"], now["factor"], now["both"]["kept"]) == (25, 1.0, [18, 18, 18])
    assert "Again: `python app.py report retention --generated`" in page


def test_a_file_without_lessons_has_nothing_to_keep(caller: Caller) -> None:
    answer = caller.report("retention", caller.write("none.md", "# Lessons\n"), "--json")
    assert answer.status == 0
    assert answer.json["policies"][0]["recall"] == [0.0] * 10


@pytest.mark.parametrize(
    "call",
    [
        (),
        ("none.md",),
        ("one.md", "--generated"),
        ("one.md", "--caps", "12,900", "6,700"),
        ("one.md", "--caps", "12"),
        ("one.md", "--caps", "0,700"),
        ("one.md", "--plot", "a.gif"),
    ],
)
def test_wrong_calls(caller: Caller, call: tuple[str, ...]) -> None:
    caller.write("one.md", f"- {NEW}\n")
    answer = caller.report("retention", *call)
    assert (answer.status, answer.out) == (2, "")
