"""Months of writes and the share of duplicates, for a store and for a fleet."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.lessons import event_files
from bot.lessons.history import History
from bot.lessons.rows import WriteRow
from bot.reports.trends import Counts, Month, fleet, trend


def write(at: str, active: int, **counts: int) -> WriteRow:
    when = datetime.fromisoformat(at).replace(tzinfo=UTC)
    return WriteRow(at=when, counts=counts, prs=(1,), active=active)


def store(*writes: WriteRow) -> History:
    return History.read(event_files.add({}, writes))


def test_months_follow_each_other_without_a_gap_and_keep_their_size() -> None:
    found = trend(
        store(
            write("2025-11-03", 2, appended=2),
            write("2025-11-30", 2, refreshed=1),
            write("2026-02-01", 0, overridden=1, stale=1, promoted=1),
        )
    )
    assert found.months == (
        Month("2025-11", Counts(2, 1, 0), 2),
        Month("2025-12", Counts(), 2),
        Month("2026-01", Counts(), 2),
        Month("2026-02", Counts(0, 0, 2), 0),
    )
    assert found.total == Counts(2, 1, 2)
    assert found.total.duplicate_share == pytest.approx(1 / 3)
    assert found.active == 0


def test_where_nothing_was_written_there_is_no_share() -> None:
    assert trend(store()).total.duplicate_share is None
    assert trend(store(write("2026-01-01", 0, expired=1))).total.duplicate_share is None


def test_every_way_to_retire_counts_and_nothing_else_does() -> None:
    counts = dict.fromkeys(
        ("overridden", "stale", "expired", "undone", "promoted", "demoted", "evicted"), 1
    )
    assert trend(store(write("2026-01-01", 0, **counts))).total == Counts(0, 0, 4)


def test_a_fleet_adds_up_month_by_month_and_a_silent_store_keeps_its_size() -> None:
    one = trend(store(write("2026-01-10", 3, appended=3)))
    two = trend(store(write("2026-03-10", 5, appended=1, refreshed=4)))
    found = fleet([one, trend(store()), two])
    assert found.months == (
        Month("2026-01", Counts(3), 3),
        Month("2026-02", Counts(), 3),
        Month("2026-03", Counts(1, 4), 8),
    )
    assert fleet([]).months == ()


days = st.dates(date(2024, 1, 1), date(2026, 12, 31)).map(str)
counts = st.integers(0, 9)
stores = st.lists(
    st.builds(lambda day, n, m: write(day, n, appended=n, refreshed=m), days, counts, counts),
    max_size=6,
).map(lambda found: store(*found))


@given(st.lists(stores, max_size=4))
def test_a_fleet_counts_what_its_stores_count(histories: list[History]) -> None:
    trends = [trend(history) for history in histories]
    found = fleet(trends)
    assert found.total == sum((each.total for each in trends), Counts())
    assert found.active == sum(each.active for each in trends)
    names = [month.month for month in found.months]
    assert names == sorted(set(names))
