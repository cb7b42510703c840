"""Old evidence in one write comes to what many small writes would have come to, less the noise."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.lessons.bullet import Verdict
from bot.lessons.history import History
from bot.lessons.retirement import Invalidation
from bot.lessons.rows import EvictedRow, RetiredRow, SignalRow
from bot.lessons.store import Edit, Evidence, Snapshot, write
from bot.settings import Settings, Store
from tests.lessons.test_store import (
    NOON,
    OTHERS,
    PENDING,
    TODAY,
    after,
    evidence,
    run,
    store,
    texts,
    trailers,
)


def learn(
    snapshot: Snapshot, *found: Evidence, settings: Settings | None = None
) -> tuple[Snapshot, Edit]:
    edit = write(snapshot, found, settings or Settings(), TODAY, past=True)
    return after(snapshot, edit), edit


def about(number: int, **more: object) -> Evidence:
    """One of many lessons that have nothing in common."""
    text = f"Never keep handle{number} of `src/module{number}.py` open while worker{number} waits."
    return evidence(text, pr=100 + number, **more)  # type: ignore[arg-type]


def test_a_lesson_kept_alive_by_its_refreshes_is_one_bullet() -> None:
    found = [evidence(pr=n, day=60 * n - 180) for n in range(1, 4)]  # each within 90 days
    now, edit = learn(store(), *found)
    assert texts(now) == [PENDING]
    assert edit.counts == {"appended": 1, "refreshed": 2}
    assert trailers(now) == ["(#3, 2026-11-01, changes_requested)"]


def test_what_expired_is_on_record_and_not_in_the_file() -> None:
    now, edit = learn(store(), evidence(day=-90), evidence(OTHERS[0], pr=42))
    assert texts(now) == [OTHERS[0]]
    assert edit.counts == {"appended": 1}
    assert [row.flag for row in edit.rows if isinstance(row, RetiredRow)] == ["expired"]
    assert sum(isinstance(row, SignalRow) for row in edit.rows) == 2
    assert [change.text for change in edit.told] == [OTHERS[0]]


def test_what_was_merged_over_is_on_record_and_not_in_the_file() -> None:
    over = Invalidation("merged_over", NOON + timedelta(days=1), 41, by=7)
    now, edit = learn(store(), evidence(invalid=over), evidence(OTHERS[0], pr=42))
    assert texts(now) == [OTHERS[0]]
    assert edit.counts == {"appended": 1}
    assert [row.flag for row in edit.rows if isinstance(row, RetiredRow)] == ["overridden"]


def test_a_second_time_changes_nothing() -> None:
    found = [evidence(day=-90), evidence(OTHERS[0], pr=42)]
    now, _ = learn(store(), *found)
    assert learn(now, *found)[1].changes == {}


def test_the_newest_fill_the_cap_and_the_others_are_on_record() -> None:
    few = replace(Settings(), store=Store(cap=3))
    now, edit = learn(store(), *(about(n, day=n) for n in range(5)), settings=few)
    assert [text.split()[2] for text in texts(now)] == ["handle2", "handle3", "handle4"]
    assert edit.counts == {"appended": 3}
    assert sum(isinstance(row, EvictedRow) for row in edit.rows) == 2


def test_old_evidence_displaces_no_newer_bullet() -> None:
    few = replace(Settings(), store=Store(cap=2))
    stands, _ = run(store(), about(1, day=10), about(2, day=11))
    now, edit = learn(stands, about(3, day=0), settings=few)
    assert texts(now) == texts(stands)
    assert edit.counts == {}


def test_an_older_signal_moves_no_date_back() -> None:
    stands, _ = run(store(), evidence(day=10))
    now, edit = learn(stands, evidence(pr=3, day=0))
    assert trailers(now) == trailers(stands)
    assert edit.counts == {}
    assert len(History.read(now.events).signals) == 2


def test_a_founder_note_of_the_past_keeps_its_wall() -> None:
    note = evidence(pr=5, day=1, channel=Verdict.FOUNDER_NOTE)
    now, _ = learn(store(), evidence(), note)
    assert texts(now) == [PENDING, PENDING]
