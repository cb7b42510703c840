"""Drift of pair scores against the report of the day on which the floor was chosen."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UserError
from bot.reports.drift import Earlier, drift, read_earlier
from bot.reports.made import Made
from bot.reports.pair_printing import to_json, to_markdown
from bot.reports.pairs import Store, score
from bot.settings import Refresh

MADE = Made(date(2026, 11, 29), "python app.py report pairs one.md")

distributions = st.dictionaries(
    st.sampled_from([n / 10 for n in range(11)]), st.integers(1, 50), max_size=8
).map(lambda found: tuple(sorted(found.items())))


@given(distributions, distributions)
def test_the_distance_is_that_of_kolmogorov_and_smirnov(
    ours: tuple[tuple[float, int], ...], theirs: tuple[tuple[float, int], ...]
) -> None:
    found = drift(ours, Earlier("2026-06-01", theirs)).distance
    if not ours or not theirs:
        assert found is None
        return
    a = [score for score, count in ours for _ in range(count)]
    b = [score for score, count in theirs for _ in range(count)]
    by_hand = max(
        abs(sum(x <= at for x in a) / len(a) - sum(x <= at for x in b) / len(b)) for at in (*a, *b)
    )
    assert found == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("ours", "theirs", "alarm", "said"),
    [
        (((0.1, 178), (0.3, 22)), ((0.1, 200),), True, "**Drift**: above 0.10"),
        (((0.1, 180), (0.3, 20)), ((0.1, 200),), False, "No drift"),  # 0.10 is not above it
        (((0.1, 100), (0.3, 99)), ((0.1, 200),), False, "Too few pairs"),
        (((0.3, 200),), ((0.1, 199),), False, "Too few pairs"),
        ((), ((0.1, 200),), False, "nothing to compare"),
    ],
)
def test_the_alarm_needs_more_than_a_tenth_and_200_pairs_on_both_sides(
    ours: tuple[tuple[float, int], ...],
    theirs: tuple[tuple[float, int], ...],
    alarm: bool,
    said: str,
) -> None:
    found = drift(ours, Earlier("2026-06-01", theirs))
    assert found.alarm is alarm
    report = score([Store("one.md", ("one", "two"))], Refresh(), ())
    assert said in to_markdown(report, MADE, found)


def test_a_saved_report_is_read_back_without_loss() -> None:
    report = score([Store("one.md", ("a b c", "a b d", "e f", "a g h i j"))], Refresh(), ())
    saved = json.dumps(to_json(report, MADE)).encode()
    earlier = read_earlier(saved, "day.json")
    assert earlier == Earlier("2026-11-29", report.distribution)
    assert drift(report.distribution, earlier).distance == 0


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"distribution": [[1]], "as_of": "x"}'])
def test_what_is_no_saved_report_says_how_to_save_one(data: bytes) -> None:
    with pytest.raises(UserError, match=r"day\.json: this is no saved pair report") as caught:
        read_earlier(data, "day.json")
    assert "--json > pairs.json" in caught.value.remedy
