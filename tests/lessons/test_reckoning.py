"""What a pull request came to: taught, said before, shown, heeded."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from bot.lessons.bullet import Verdict
from bot.lessons.edit import Evidence, Occasion, Outcome, Reckoning, Snapshot
from bot.lessons.retirement import Invalidation
from bot.lessons.store import write
from bot.settings import Settings
from tests.lessons.test_store import (
    NOON,
    OTHERS,
    PENDING,
    PENDING_AGAIN,
    TODAY,
    evidence,
    run,
    store,
)

NAMING = "Never keep a cursor of `src/cart.py` open while another query waits for its own lock."


def reckoning(snapshot: Snapshot, *found: Evidence, **outcome: object) -> Reckoning:
    """Of the one pull request that the evidence is of."""
    pr = found[-1].pr
    shown = Outcome(pr, NOON, False, False, frozenset(), frozenset())
    outcomes = [replace(shown, **outcome)]  # type: ignore[arg-type]
    (came,) = write(snapshot, found, Settings(), TODAY, outcomes=outcomes).reckonings
    assert came.pr == pr
    return came


def identity(came: Reckoning) -> str:
    (taught,) = came.taught
    return taught.lesson


def test_a_lesson_tells_the_pull_requests_that_said_it_before() -> None:
    first, edit = run(store(), evidence(PENDING, pr=1))
    (taught,) = edit.reckonings[0].taught
    assert (taught.did, taught.before) == ("appended", ())
    second, _ = run(first, evidence(PENDING_AGAIN, pr=2, day=2))
    came = reckoning(second, evidence(PENDING, pr=3, day=4))
    (again,) = came.taught
    assert (again.lesson, again.text, again.did) == (taught.lesson, PENDING, "refreshed")
    before = (Occasion(1, date(2026, 11, 1)), Occasion(2, date(2026, 11, 3)))
    assert again.before == before


def test_it_is_the_same_when_the_evidence_was_applied_before() -> None:
    first, _ = run(store(), evidence(PENDING, pr=1))
    again = evidence(PENDING_AGAIN, pr=2, day=2)
    second, edit = run(first, again)
    assert run(second, again)[1].reckonings == edit.reckonings
    later, _ = run(second, evidence(PENDING, pr=3, day=4))
    assert run(later, again)[1].reckonings == edit.reckonings


def test_a_note_that_a_person_keeps_is_told_to_that_person_alone() -> None:
    _, edit = run(store(), evidence(PENDING, pr=1, channel=Verdict.FOUNDER_NOTE))
    assert edit.reckonings == ()


def test_what_counts_no_more_was_not_said() -> None:
    gone = Invalidation("dismissed", NOON, 1)
    first, _ = run(store(), evidence(PENDING, pr=1, invalid=gone), evidence(PENDING, pr=2, day=1))
    (taught,) = reckoning(first, evidence(PENDING_AGAIN, pr=3, day=2)).taught
    assert [each.pr for each in taught.before] == [2]


def test_a_shown_lesson_is_heeded_repeated_or_neither() -> None:
    kept, edit = run(
        store(), evidence(PENDING, pr=1), evidence(NAMING, pr=2, day=1),
        evidence(OTHERS[0], pr=3, day=1),
    )  # fmt: skip
    pending, cursor, pin = (identity(came) for came in edit.reckonings)
    came = reckoning(
        kept,
        evidence(PENDING_AGAIN, pr=9, day=3),
        shown=frozenset({pending, cursor, pin, "00000000"}),
        paths=frozenset({"src/cart.py"}),
    )
    assert came.shown == {pending: PENDING, cursor: NAMING, pin: OTHERS[0]}
    assert (came.repeated, came.heeded) == (frozenset({pending}), frozenset({cursor}))


def test_weak_evidence_repeats_a_lesson_before_it_counts() -> None:
    kept, edit = run(store(), evidence(NAMING, pr=2))
    shown = identity(edit.reckonings[0])
    found = evidence(NAMING, pr=9, day=3, strong=False)
    paths = frozenset({"src/cart.py"})
    came = reckoning(kept, found, shown=frozenset({shown}), paths=paths)
    assert came.taught == ()
    assert (came.repeated, came.heeded) == (frozenset({shown}), frozenset())
    quoting = replace(found, recall="quotes it")
    came = reckoning(kept, quoting, shown=frozenset({shown}), paths=paths)
    assert (came.repeated, came.heeded) == (frozenset(), frozenset({shown}))


def test_a_pull_request_was_not_shown_what_it_brought_itself() -> None:
    first, edit = run(store(), evidence(PENDING, pr=1))
    mine = frozenset({identity(edit.reckonings[0])})
    assert reckoning(first, evidence(PENDING, pr=1), shown=mine).shown == {}
