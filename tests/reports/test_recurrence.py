"""What came up again after its lesson was first shown, told without claiming a cause."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from bot.lessons import event_files
from bot.lessons.history import History
from bot.lessons.rows import AdherenceRow, InvalidRow, Row, ShownRow, SignalRow
from bot.reports.recurrence import CAVEAT, Recurrences, Seen, recurrences

START = datetime(2026, 6, 1, tzinfo=UTC)
LESSON, OTHER, HEIR = "aaaaaaaa", "bbbbbbbb", "cccccccc"


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def signal(on: int, pr: int, bullet: str = LESSON, succeeds: str | None = None) -> SignalRow:
    return SignalRow(
        at=day(on),
        source=f"review:{pr}@{on:012x}",
        pr=pr,
        head="f" * 40,
        channel="changes_requested",
        state="changes_requested",
        by=7,
        strength=0.7,
        sentence=f"Close the session, as {bullet} says.",
        bullet=bullet,
        did="appended",
        succeeds=succeeds,
    )


def shown(on: int, pr: int, *bullets: str) -> ShownRow:
    return ShownRow(at=day(on), pr=pr, reader="agent", bullets=bullets or (LESSON,))


def observed(
    found: Sequence[Row], committed: dict[str, datetime] | None = None, today: int = 100
) -> Recurrences:
    return recurrences(History.read(event_files.add({}, found)), committed or {}, day(today))


def test_signals_are_counted_up_to_the_moment_it_was_first_shown_and_since() -> None:
    (found,) = observed(
        [signal(0, 1), signal(4, 2), shown(10, 9), signal(20, 3), signal(30, 4), shown(40, 9)]
    ).shown
    assert (found.lesson, found.first_shown) == (LESSON, day(10))
    assert (found.before, found.after) == (2, 2)
    assert (found.days_before, found.days_after) == (10, 90)
    assert found.seen is Seen.RECURRED


def test_the_committed_block_shows_too_and_whichever_came_first_counts() -> None:
    evidence = [signal(0, 1), shown(10, 9)]
    assert observed(evidence, {LESSON: day(5)}).shown[0].first_shown == day(5)
    assert observed(evidence, {LESSON: day(15)}).shown[0].first_shown == day(10)


@pytest.mark.parametrize(
    ("today", "seen"), [(10, Seen.TOO_EARLY), (39, Seen.TOO_EARLY), (40, Seen.NOT_AGAIN)]
)
def test_thirty_days_of_silence_are_needed_to_say_not_seen_again(today: int, seen: Seen) -> None:
    assert observed([signal(0, 1), shown(10, 9)], today=today).shown[0].seen is seen


def test_a_recurrence_counts_as_despite_only_in_a_pull_request_served_before() -> None:
    (found,) = observed(
        [
            signal(0, 1),
            shown(10, 2),
            shown(12, 3),
            shown(50, 4),
            signal(20, 2),  # was served it, and repeats it
            signal(21, 9),  # was not served it
            signal(30, 4),  # was served it later
        ]
    ).shown
    assert (found.after, found.served, found.despite) == (3, 3, 1)


def test_what_an_override_made_invalid_counts_nowhere() -> None:
    gone = signal(20, 2)
    why = InvalidRow(at=day(25), signal=gone.id, why="merged_over", pr=2)
    (found,) = observed([signal(0, 1), shown(10, 9), gone, why]).shown
    assert (found.before, found.after) == (1, 0)


def test_a_lesson_that_succeeds_another_is_the_same_lesson() -> None:
    (found,) = observed(
        [signal(0, 1), shown(10, 9), signal(20, 2, HEIR, succeeds=LESSON), shown(30, 9, HEIR)]
    ).shown
    assert (found.lesson, found.before, found.after) == (LESSON, 1, 1)


def test_verdicts_on_a_standing_lesson_stand_beside_it() -> None:
    verdicts = [
        AdherenceRow(at=day(20), bullet=LESSON, pr=2, verdict="followed"),
        AdherenceRow(at=day(21), bullet=LESSON, pr=3, verdict="violated"),
        AdherenceRow(at=day(22), bullet=LESSON, pr=3, verdict="followed"),  # the first counts
    ]
    (found,) = observed([signal(0, 1), shown(10, 9), *verdicts]).shown
    assert (found.followed, found.violated) == (1, 1)


def test_lessons_that_nobody_was_shown_are_there_to_compare() -> None:
    found = observed([signal(0, 1), signal(5, 2), signal(0, 1, OTHER)])
    assert found.shown == ()
    assert (found.unshown.lessons, found.unshown.recurred) == (2, 1)


def test_the_caveat_claims_no_cause() -> None:
    assert "regression to the mean" in CAVEAT
    assert "did not help" in CAVEAT
