"""The published numbers: what makes a lesson stand, and what lets it fall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.lessons.history import Signal
from bot.lessons.merit import FOLLOWED, VIOLATED, falls, merit, weight
from bot.lessons.rows import AdherenceRow, SignalRow
from bot.settings import Standing

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
RULE = Standing()


def signal(pr: int, strength: float, days: float = 0, number: int = 0) -> Signal:
    row = SignalRow(
        at=NOW - timedelta(days=days),
        source=f"review:{pr}{number}@0123456789ab",
        pr=pr,
        head="",
        channel="ci_fix",
        state="",
        by=1,
        strength=strength,
        sentence="Run the linter.",
        bullet="11112222",
        did="refreshed",
    )
    return Signal(row.id, row)


@pytest.mark.parametrize(
    ("signals", "stands"),
    [
        ([signal(1, 0.6), signal(2, 0.6), signal(3, 0.6)], False),  # weigh 1.8
        (
            [signal(1, 0.6), signal(1, 0.6, number=1), signal(2, 0.6), signal(2, 0.6, number=1)],
            True,
        ),
        ([signal(1, 0.7, number=n) for n in range(3)], False),  # one pull request
        ([signal(1, 0.7), signal(1, 0.7, number=1), signal(2, 0.7)], True),
        ([signal(n, 1.0, days=200) for n in range(1, 9)], False),
        ([signal(1, 1.0), signal(2, 1.0)], False),  # two signals
    ],
)
def test_three_signals_two_pull_requests_and_weight_2_are_all_needed(
    signals: Sequence[Signal], stands: bool
) -> None:
    assert (merit(signals, (), NOW, RULE).short is None) is stands


@pytest.mark.parametrize(("every", "stands"), [(17, True), (19, False)])
def test_more_often_than_every_18_days(every: int, stands: bool) -> None:
    signals = [signal(n + 1, 0.7, days=n * every) for n in range(40)]
    assert (merit(signals, (), NOW, RULE).short is None) is stands


def test_three_fresh_ci_fix_signals_weigh_1_8() -> None:
    assert weight([signal(pr, 0.6) for pr in (1, 2, 3)], (), NOW, RULE) == pytest.approx(1.8)


def test_reinforcements_decay_alike_and_count_at_most_1_together() -> None:
    assert weight((), [NOW], NOW, RULE) == pytest.approx(0.3)
    assert weight((), [NOW - timedelta(days=30)], NOW, RULE) == pytest.approx(0.15)
    assert weight((), [NOW] * 9, NOW, RULE) == pytest.approx(1.0)


def verdict(pr: int, word: str, days: float = 1) -> AdherenceRow:
    return AdherenceRow(at=NOW + timedelta(days=days), bullet="11112222", pr=pr, verdict=word)


@pytest.mark.parametrize(
    ("verdicts", "fall"),
    [
        ([verdict(1, VIOLATED)], False),
        ([verdict(1, VIOLATED), verdict(2, VIOLATED)], True),
        ([verdict(1, VIOLATED), verdict(1, VIOLATED, 2)], False),  # one verdict a pull request
        ([verdict(n, VIOLATED) for n in (1, 2)] + [verdict(n, FOLLOWED) for n in (3, 4)], True),
        ([verdict(n, VIOLATED) for n in (1, 2)] + [verdict(n, FOLLOWED) for n in (3, 4, 5)], False),
        ([verdict(n, VIOLATED) for n in (1, 2, 3)] + [verdict(n, FOLLOWED) for n in (4, 5)], True),
        ([verdict(1, VIOLATED, -2), verdict(2, VIOLATED)], False),  # one before the promotion
        ([verdict(1, FOLLOWED), verdict(1, VIOLATED, 2), verdict(2, VIOLATED)], False),
    ],
)
def test_two_violations_that_its_reinforcements_do_not_outnumber_demote(
    verdicts: Sequence[AdherenceRow], fall: bool
) -> None:
    assert falls(verdicts, NOW, RULE) is fall


def test_what_was_brought_from_another_store_is_of_no_pull_request_here() -> None:
    brought = replace(signal(0, 1.0), row=replace(signal(0, 1.0).row, cites="acme/other#7"))
    here = [signal(1, 1.0), signal(1, 1.0, number=1)]
    assert merit([*here, brought], [], NOW, RULE).short == "1 of 2 pull requests"
