"""The generated year is what it says, and its replay counts what it says."""

from __future__ import annotations

from collections import Counter

from bot.bench.year import EVERY, ONE_OFFS, PER_KIND, generate, replay, table, verdicts
from bot.lessons.similarity import decide
from bot.settings import Refresh


def test_a_year_has_its_pitfalls_and_pull_requests_and_is_the_same_every_time() -> None:
    pitfalls, events = generate(3)
    kinds = Counter(each.kind for each in pitfalls)
    assert kinds == {**dict.fromkeys(EVERY, PER_KIND), "once": ONE_OFFS}
    assert 550 <= len(events) <= 1000
    assert all(len(event.findings) <= 2 for event in events)
    assert any(event.over for event in events)
    assert any(event.deletes for event in events)
    assert generate(3) == (pitfalls, events)


def test_wordings_drift_within_the_rules_reach_and_beyond_it() -> None:
    pitfalls, _ = generate(3)
    for each in pitfalls[:10]:
        assert all(decide(text, each.near[0], Refresh()).same for text in each.near[1:])
        assert not any(decide(text, each.near[0], Refresh()).same for text in each.far)


def test_a_replay_counts_windows_and_loses_nothing() -> None:
    year = replay(3, last=80)
    assert year.ours.windows == year.blind.windows == year.chosen.windows
    assert year.chosen.duplicates == 0
    assert year.lost == 0
    assert year.counts["appended"] > 0
    assert year.counts["refreshed"] > 0
    assert len(table(year)) == 2
    assert len(verdicts(year)) == 6
