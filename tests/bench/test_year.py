"""The generated year is what it says, and its replay counts what it says."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from bot.bench.stream import DAYS, EVERY, ONE_OFFS, PER_KIND, START, Pair, generate
from bot.bench.year import COLUMNS, Watch, replay, table, verdicts
from bot.channels.questions import Answer
from bot.lessons.guard import Apart
from bot.lessons.similarity import decide
from bot.settings import Refresh

STREAM = generate(3)


def test_a_year_has_its_pitfalls_and_pull_requests_and_is_the_same_every_time() -> None:
    kinds = Counter(each.kind for each in STREAM.pitfalls)
    assert kinds == {**dict.fromkeys(EVERY, PER_KIND), "once": ONE_OFFS}
    assert [each.number for each in STREAM.pitfalls] == list(range(len(STREAM.pitfalls)))
    assert 550 <= len(STREAM.events) <= 1000
    assert all(len(event.findings) <= 2 for event in STREAM.events)
    assert any(event.over for event in STREAM.events)
    assert any(event.deletes for event in STREAM.events)
    assert generate(3) == STREAM


@pytest.mark.parametrize(("kind", "every"), EVERY.items())
def test_a_recurring_pitfall_is_said_as_often_as_its_kind(kind: str, every: int) -> None:
    for each in STREAM.pitfalls:
        if each.kind == kind:
            days = said_on(each.number)
            assert len(days) >= DAYS // every
            gaps = [after - before for before, after in itertools.pairwise(days)]
            assert all(abs(gap - every) <= 2 for gap in gaps)


def said_on(number: int) -> list[int]:
    return [
        (event.at - START).days
        for event in STREAM.events
        if any(number == finding for finding, _ in event.findings)
    ]


def test_wordings_drift_within_the_rules_reach_and_beyond_it() -> None:
    for each in STREAM.pitfalls[:10]:
        assert all(decide(text, each.near[0], Refresh()).same for text in each.near[1:])
        assert not any(decide(text, each.near[0], Refresh()).same for text in each.far)


def test_a_pair_is_kept_apart_for_its_reason_and_opposites_wait_for_a_person() -> None:
    assert Counter(pair.apart for pair in STREAM.pairs) == {
        Apart.NUMBERS: 3, Apart.IDENTIFIERS: 3, Apart.NEGATION: 3, Apart.BEFORE_AFTER: 3,
    }  # fmt: skip
    for pair in STREAM.pairs:
        assert decide(*pair.sides, Refresh()).apart is pair.apart
        assert said_on(pair.first.number) == [pair.days[0]]
        assert said_on(pair.second.number) == [pair.days[1]]
    answers = Counter(pair.answered[1] for pair in STREAM.pairs if pair.answered)
    assert answers == {Answer.A: 2, Answer.B: 2}


OPPOSITES = next(pair for pair in STREAM.pairs if pair.apart is Apart.NEGATION)
TWO_LESSONS = next(pair for pair in STREAM.pairs if pair.apart is Apart.NUMBERS)
OLDER, NEWER = 0, 1


@pytest.mark.parametrize(
    ("pair", "shown", "answer", "right"),
    [
        (TWO_LESSONS, {OLDER, NEWER}, None, True),
        (TWO_LESSONS, {NEWER}, None, False),
        (TWO_LESSONS, set(), None, False),
        (OPPOSITES, {NEWER}, None, True),
        (OPPOSITES, {OLDER}, None, False),
        (OPPOSITES, {OLDER, NEWER}, None, False),
        (OPPOSITES, {OLDER}, Answer.A, True),
        (OPPOSITES, {NEWER}, Answer.A, False),
        (OPPOSITES, {NEWER}, Answer.B, True),
    ],
)
def test_what_a_block_for_the_file_of_a_pair_must_show(
    pair: Pair, shown: set[int], answer: Answer | None, right: bool
) -> None:
    watch = Watch(answers={pair.first.number: answer} if answer else {})
    watch.see(pair, {pair.sides[at] for at in shown}, pair.sides, touched=True)
    assert (watch.looks, watch.wrong) == (1, not right)
    assert watch.met == {pair.first.number}


def test_the_cap_of_another_block_may_cut_the_older_side_and_never_the_newer() -> None:
    watch = Watch()
    watch.see(TWO_LESSONS, (), TWO_LESSONS.sides, touched=False)
    assert watch.looks == 0
    watch.see(TWO_LESSONS, TWO_LESSONS.sides[NEWER:], TWO_LESSONS.sides, touched=False)
    assert (watch.looks, watch.wrong) == (1, 0)
    watch.see(TWO_LESSONS, TWO_LESSONS.sides[:NEWER], TWO_LESSONS.sides, touched=False)
    assert (watch.looks, watch.wrong) == (2, 1)


def test_a_replay_counts_windows_and_loses_nothing() -> None:
    year = replay(3, last=80)
    tallies = (year.blind, year.level, year.ours, year.chosen)
    assert len({each.windows for each in tallies}) == 1
    assert year.ours.windows > 0
    assert year.chosen.duplicates == 0
    assert year.lost == 0
    assert year.watch.looks > 0
    assert year.watch.wrong == 0
    assert year.counts["appended"] > 0
    assert year.counts["refreshed"] > 0
    assert [len(row) for row in table(year)] == [len(COLUMNS)] * 2
    assert len(verdicts(year)) == 7
