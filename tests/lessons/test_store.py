"""Append, refresh, trim, and what makes them safe to repeat and to reorder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import UserError
from bot.lessons import event_files
from bot.lessons.bullet import Flag, Verdict
from bot.lessons.document import Document
from bot.lessons.history import History
from bot.lessons.lesson import Lesson
from bot.lessons.orders import Order, Retire, Settle, Undo
from bot.lessons.retirement import Invalidation
from bot.lessons.store import LESSONS, Edit, Evidence, Present, Snapshot, sweep, write
from bot.lessons.tree import Fate
from bot.settings import Settings, Store
from tests.fakes.tree import FakeTree

TODAY = date(2026, 11, 29)
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)

PENDING = (
    "Never approve a PR while any CI check (build, lint) is still pending: "
    "wait for all jobs to conclude before verdict."
)
PENDING_AGAIN = (
    "Never request approval or treat a PR as mergeable while any CI check (deploy, docs) is still "
    "pending: local green runs are not a substitute."
)
OTHERS = (
    "Pin every GitHub Action to a full commit hash in the release workflow files.",
    "Close the database session in a finally block of each background worker loop.",
    "Escape user supplied names before they reach the invoice email template engine.",
)


def evidence(
    sentence: str = PENDING, pr: int = 41, day: int = 0, number: int | None = None, **more: object
) -> Evidence:
    number = pr * 100 + day if number is None else number
    base = Evidence(
        source=f"review:{number}@0123456789ab",
        pr=pr,
        head="a" * 40,
        channel=Verdict.CHANGES_REQUESTED,
        state="changes_requested",
        by=7,
        at=NOON + timedelta(days=day),
        lesson=Lesson(sentence),
    )
    return replace(base, **more)  # type: ignore[arg-type]


def store(
    lessons: str | bytes | None = None,
    events: Mapping[str, bytes] | None = None,
    tree: FakeTree | None = None,
) -> Snapshot:
    data = lessons.encode() if isinstance(lessons, str) else lessons
    return Snapshot(data, events or {}, tree or FakeTree(), repository=11)


def after(snapshot: Snapshot, edit: Edit) -> Snapshot:
    """The store once the edit is committed."""
    events = dict(snapshot.events)
    lessons = snapshot.lessons
    for path, data in edit.changes.items():
        assert data is not None
        if path == LESSONS:
            lessons = data
        elif path.startswith(event_files.FOLDER):
            events[path] = data
    return replace(snapshot, lessons=lessons, events=events, attributes=True)


def run(snapshot: Snapshot, *found: Evidence, today: date = TODAY) -> tuple[Snapshot, Edit]:
    edit = write(snapshot, found, Settings(), today)
    return after(snapshot, edit), edit


def texts(snapshot: Snapshot, today: date = TODAY) -> list[str]:
    return [b.text for b in Document.parse(snapshot.lessons or b"", today).bullets]


def trailers(snapshot: Snapshot) -> list[str]:
    return [str(b.trailer) for b in Document.parse(snapshot.lessons or b"", TODAY).bullets]


# --- append and refresh ------------------------------------------------------------------------


def test_the_published_pair_is_refreshed_in_an_otherwise_empty_store() -> None:
    first, edit = run(store(), evidence(PENDING, pr=41))
    assert edit.counts == {"appended": 1}
    second, edit = run(first, evidence(PENDING_AGAIN, pr=57, day=3))
    assert edit.counts == {"refreshed": 1}
    assert texts(second) == [PENDING]
    assert trailers(second) == ["(#57, 2026-11-04, changes_requested)"]
    before, now = (first.lessons or b"").decode(), (second.lessons or b"").decode()
    assert now == before.replace("(#41, 2026-11-01,", "(#57, 2026-11-04,")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Run `npm run shots` for art-gated pull requests before asking for a review.",
            "Never retry `npm run shots` in the task container: its browser download is blocked.",
        ),
        (
            "Measure every painted overlay anchor before you approve the layout of a page.",
            "Re-measure one specific anchor set after repainting the overlay in the same page.",
        ),
        ("new one", "new two"),
    ],
)
def test_two_lessons_stay_two(one: str, other: str) -> None:
    first, _ = run(store(), evidence(one))
    second, edit = run(first, evidence(other, pr=42))
    assert edit.counts == {"appended": 1}
    assert texts(second) == [one, other]


def test_near_copies_in_one_call_land_on_one_bullet() -> None:
    _, edit = run(store(), evidence(PENDING, pr=41), evidence(PENDING_AGAIN, pr=42, day=1))
    assert edit.counts == {"appended": 1, "refreshed": 1}


def test_the_same_pull_request_and_date_writes_nothing_at_all() -> None:
    first, _ = run(store(), evidence(PENDING, pr=41, number=1))
    second, edit = run(first, evidence(PENDING_AGAIN, pr=41, number=2))
    assert edit.changes == {}
    assert edit.repeats == 1
    assert second == replace(first)


def test_an_older_signal_moves_no_date_backwards() -> None:
    first, _ = run(store(), evidence(PENDING, pr=41, day=5))
    second, edit = run(first, evidence(PENDING_AGAIN, pr=40, day=1))
    assert edit.counts == {}
    assert not edit.readable
    assert second.lessons == first.lessons
    assert len(History.read(second.events).signals) == 2


def test_a_retired_bullet_is_never_refreshed_but_earned_again() -> None:
    trailer = "(#1, 2026-10-01, changes_requested; stale 2026-10-02: a.py)"
    text = f"- {PENDING} {trailer} <!-- 11112222 -->\n"
    second, edit = run(store(text), evidence(PENDING, pr=9))
    assert edit.counts == {"appended": 1}
    assert (second.lessons or b"").startswith(text.encode())
    ids = [b.id for b in Document.parse(second.lessons or b"", TODAY).bullets]
    assert len(set(ids)) == 2


def test_nothing_crosses_the_founder_wall() -> None:
    first, _ = run(store(), evidence(PENDING))
    second, edit = run(first, evidence(PENDING, pr=42, channel=Verdict.FOUNDER_NOTE))
    assert edit.counts == {"appended": 1}
    third, edit = run(second, evidence(PENDING_AGAIN, pr=43, channel=Verdict.FOUNDER_NOTE))
    assert edit.counts == {"refreshed": 1}
    assert [t.rsplit(" ")[-1] for t in trailers(third)] == ["changes_requested)", "founder_note)"]


def test_the_findings_of_one_source_are_kept_one_by_one_and_each_once() -> None:
    def note(sentence: str) -> Evidence:
        return evidence(sentence, number=7, channel=Verdict.FOUNDER_NOTE)

    state, _ = run(store(), note(OTHERS[0]))
    state, edit = run(state, note(OTHERS[1]))
    assert edit.counts == {"appended": 1}
    _, edit = run(state, note(OTHERS[0]), note(OTHERS[1]))
    assert edit.changes == {}


def test_what_a_person_kept_of_a_held_review_is_not_learned_again_when_it_is_released() -> None:
    state, _ = run(store(), evidence(OTHERS[0], number=7, channel=Verdict.FOUNDER_NOTE))
    state, edit = run(state, evidence(OTHERS[0], number=7), evidence(OTHERS[1], number=7))
    assert edit.counts == {"appended": 1}
    assert texts(state) == [OTHERS[0], OTHERS[1]]


def test_ci_fixes_of_different_jobs_never_merge() -> None:
    fix = evidence(PENDING, channel=Verdict.CI_FIX, job="build")
    first, _ = run(store(), fix)
    _, edit = run(first, replace(fix, source="check:9", pr=50, job="lint"))
    assert edit.counts == {"appended": 1}
    _, edit = run(first, replace(fix, source="check:9", pr=50))
    assert edit.counts == {"refreshed": 1}


def test_a_file_that_a_person_deleted_begins_anew_with_what_comes() -> None:
    before, _ = run(store(), evidence(PENDING, pr=41))
    after_it, edit = run(replace(before, lessons=None), evidence(OTHERS[0], pr=42, day=1))
    assert edit.counts == {"appended": 1}
    assert texts(after_it) == [OTHERS[0]]


def test_a_hand_written_bullet_is_never_touched() -> None:
    text = f"- {PENDING}\n"
    second, edit = run(store(text), evidence(PENDING_AGAIN))
    assert edit.counts == {"appended": 1}
    assert (second.lessons or b"").decode().startswith(text)


def test_opposites_are_both_kept_and_named_as_a_conflict() -> None:
    one = "Always run the database migration before the deploy of the web application."
    other = "Always run the database migration after the deploy of the web application."
    first, _ = run(store(), evidence(one))
    second, edit = run(first, evidence(other, pr=42))
    assert edit.counts == {"appended": 1}
    (conflict,) = History.read(second.events).open_conflicts
    assert conflict.why == "before_after"
    (told,) = edit.conflicts
    assert (told.text_a, told.text_b, told.pr) == (one, other, 42)
    _, edit = run(second)
    assert edit.conflicts == (told,)  # as long as nobody decides


# --- repeats, order, validity ------------------------------------------------------------------


def test_a_source_is_applied_once_whatever_is_replayed() -> None:
    found = [evidence(text, pr=41 + n) for n, text in enumerate(OTHERS)]
    first, _ = run(store(), *found)
    for each in (*found, *reversed(found)):
        _, edit = run(first, each)
        assert edit.changes == {}


@given(st.permutations(range(6)), st.lists(st.integers(0, 5), max_size=4))
@settings(max_examples=60)
def test_any_order_and_repetition_of_one_pull_requests_evidence_gives_the_same_file(
    order: Sequence[int], repeats: Sequence[int]
) -> None:
    over = Invalidation("merged_over", NOON + timedelta(days=9), 41, by=3)
    found = [
        evidence(PENDING, number=1),
        evidence(PENDING_AGAIN, number=2, day=2),
        evidence(OTHERS[0], number=3, invalid=over),
        evidence(OTHERS[1], number=4),
        evidence(OTHERS[1], number=5, day=4, invalid=over),
        evidence(OTHERS[2], number=6, day=1),
    ]
    calm, _ = run(store(), *found)
    state = store()
    for _each in (*order, *repeats):
        # A delivery makes the bot read everything its pull request says now.
        state, _ = run(state, *(found[n] for n in order))
    assert state.lessons == calm.lessons
    assert len(texts(state)) == 4


def test_merged_over_before_or_after_the_write_gives_one_file() -> None:
    over = Invalidation("merged_over", NOON + timedelta(days=2), 41, by=3)
    told = replace(evidence(), invalid=over)
    at_once, edit = run(store(), told)
    assert edit.counts == {"appended": 1, "overridden": 1}
    first, _ = run(store(), evidence())
    later, edit = run(first, told)
    assert edit.counts == {"overridden": 1}
    assert later.lessons == at_once.lessons
    assert trailers(later) == ["(#41, 2026-11-01, changes_requested; overridden 2026-11-03: #41)"]


def test_a_bullet_earned_twice_survives_one_invalid_signal_and_shows_the_other() -> None:
    first, _ = run(store(), evidence(PENDING, pr=41))
    second, _ = run(first, evidence(PENDING_AGAIN, pr=57, day=3))
    over = Invalidation("dismissed", NOON + timedelta(days=4), 57)
    third, edit = run(second, evidence(PENDING_AGAIN, pr=57, day=3, invalid=over))
    assert "overridden" not in edit.counts
    assert third.lessons == first.lessons


def test_founder_notes_are_never_overridden() -> None:
    over = Invalidation("merged_over", NOON, 41)
    state, edit = run(store(), evidence(channel=Verdict.FOUNDER_NOTE, invalid=over))
    assert edit.counts == {"appended": 1}
    assert Document.parse(state.lessons or b"", TODAY).bullets[0].active


def test_where_events_are_missing_the_trailer_is_the_one_signal() -> None:
    text = f"- {PENDING} (#12, 2026-10-20, changes_requested) <!-- 11112222 -->\n"
    second, _ = run(store(text), evidence(PENDING_AGAIN, pr=57, day=3))
    over = Invalidation("dismissed", NOON + timedelta(days=4), 57)
    third, _ = run(second, evidence(PENDING_AGAIN, pr=57, day=3, invalid=over))
    assert (third.lessons or b"").decode() == text


def test_an_edit_replaces_the_old_bullet_of_the_same_review() -> None:
    first, _ = run(store(), evidence(OTHERS[0], number=5))
    now = replace(evidence(OTHERS[1], number=5), source="review:5@ba9876543210")
    present = Present(41, 5, now.source, NOON + timedelta(days=1))
    edit = write(first, [now], Settings(), TODAY, present=[present])
    second = after(first, edit)
    assert edit.counts == {"appended": 1, "overridden": 1}
    assert trailers(second) == [
        "(#41, 2026-11-01, changes_requested; overridden 2026-11-02: #41)",
        "(#41, 2026-11-01, changes_requested)",
    ]
    edit = write(second, [now], Settings(), TODAY, present=[present])
    assert edit.changes == {}


def test_an_edit_that_leaves_the_finding_changes_nothing() -> None:
    first, _ = run(store(), evidence(OTHERS[0], number=5))
    now = replace(evidence(OTHERS[0], number=5), source="review:5@ba9876543210")
    present = Present(41, 5, now.source, NOON + timedelta(days=1))
    edit = write(first, [now], Settings(), TODAY, present=[present])
    assert edit.changes == {}


# --- weak evidence -----------------------------------------------------------------------------


def test_weak_evidence_waits_for_a_second_pull_request() -> None:
    weak = evidence(PENDING, strong=False, state="commented")
    state, edit = run(store(), weak)
    assert edit.changes == {}
    state, edit = run(store(), replace(weak, matured=True))
    assert edit.counts == {}
    assert not edit.readable
    assert texts(state) == []
    _, edit = run(state, replace(weak, matured=True))
    assert edit.changes == {}
    second = evidence(PENDING_AGAIN, pr=60, day=20, strong=False, matured=True, state="commented")
    state, edit = run(state, second)
    assert edit.counts == {"appended": 1}
    assert texts(state) == [PENDING]
    assert trailers(state) == ["(#60, 2026-11-21, changes_requested)"]
    assert len(History.read(state.events).signals) == 2
    _, edit = run(state, second, replace(weak, matured=True))
    assert edit.changes == {}


def test_weak_evidence_of_two_pull_requests_meets_in_one_write_as_well() -> None:
    first = evidence(PENDING, strong=False, matured=True)
    second = evidence(PENDING_AGAIN, pr=60, day=20, strong=False, matured=True)
    third = evidence(PENDING, pr=70, day=21, strong=False, matured=True)
    state, edit = run(store(), second, first)
    assert edit.counts == {"appended": 1}
    assert texts(state) == [PENDING]
    assert trailers(state) == ["(#60, 2026-11-21, changes_requested)"]
    assert len(History.read(state.events).signals) == 2
    _, edit = run(store(), third, second, first)
    assert edit.counts == {"appended": 1, "refreshed": 1}


def test_weak_evidence_too_far_apart_does_not_count() -> None:
    old = evidence(PENDING, day=-120, strong=False, matured=True)
    state, _ = run(store(), old)
    _, edit = run(state, evidence(PENDING_AGAIN, pr=60, strong=False, matured=True))
    assert edit.counts == {}


def test_weak_evidence_refreshes_a_bullet_of_another_pull_request() -> None:
    state, _ = run(store(), evidence(PENDING))
    _, edit = run(state, evidence(PENDING_AGAIN, pr=60, day=2, strong=False, matured=True))
    assert edit.counts == {"refreshed": 1}


# --- the cap -----------------------------------------------------------------------------------

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnprst"]


def sentence(number: int) -> str:
    return (
        "Check "
        + " ".join(WORDS[(number * 8 + n) % len(WORDS)] + str(number) for n in range(8))
        + "."
    )


def full(count: int = 40, refreshed: Sequence[int] = ()) -> Snapshot:
    state = store()
    found = [evidence(sentence(n), pr=100 + n, day=-(n % 28)) for n in range(count)]
    state, _ = run(state, *found)
    if refreshed:
        state, _ = run(state, *(evidence(sentence(n), pr=300 + n, day=27) for n in refreshed))
    return state


def test_a_bullet_just_refreshed_is_the_last_to_go() -> None:
    state = full(refreshed=[12])
    oldest = texts(state)
    for extra in range(40, 79):
        state, edit = run(state, evidence(sentence(extra), pr=200 + extra, day=26))
        assert edit.counts == {"appended": 1, "evicted": 1}
    assert sentence(12) in texts(state)
    assert len(texts(state)) == 40
    assert len(set(oldest) & set(texts(state))) == 1


def test_a_refresh_that_was_merged_over_keeps_no_bullet() -> None:
    state = full()
    again = evidence(sentence(27), pr=327, day=20)
    over = replace(again, invalid=Invalidation("merged_over", again.at, 327))
    state, _ = run(state, again)
    state, _ = run(state, over, evidence(sentence(40), pr=440, day=26))
    assert sentence(27) not in texts(state)
    assert len(texts(state)) == 40


def test_retired_bullets_leave_first_and_hand_written_ones_never() -> None:
    state = full(39)
    retired = "- Gone. (#1, 2026-10-01, ci_fix; stale 2026-10-05: x.py) <!-- 99990000 -->\n"
    by_hand = "".join(f"- A person's line {n}.\n" for n in range(20))
    state = replace(state, lessons=(state.lessons or b"") + (retired + by_hand).encode())
    state, edit = run(state, evidence(sentence(77), pr=777))
    assert edit.counts == {"appended": 1, "evicted": 1}
    assert "Gone." not in texts(state)
    assert (state.lessons or b"").decode().endswith(by_hand)


def test_founder_notes_leave_last_and_when_they_fill_the_store_nothing_is_appended() -> None:
    notes = [
        evidence(sentence(n), pr=100 + n, day=-(n % 28), channel=Verdict.FOUNDER_NOTE)
        for n in range(40)
    ]
    state, _ = run(store(), *notes)
    _, edit = run(state, evidence(sentence(77), pr=777))
    assert edit.changes == {}
    assert edit.landed[0].reason == "founder notes fill the store"


def test_more_than_the_cap_at_once_leaves_the_newest_and_names_the_others() -> None:
    found = [evidence(sentence(n), pr=100 + n, day=-(n % 28)) for n in range(45)]
    state, edit = run(store(), *found)
    assert edit.counts == {"appended": 45, "evicted": 5}
    assert len(texts(state)) == 40
    _, edit = run(state, *found)
    assert edit.changes == {}


def test_a_file_over_the_cap_is_trimmed_and_says_so() -> None:
    lines = "".join(
        f"- {sentence(n)} (#{n + 1}, 2026-10-01, changes_requested)\n" for n in range(55)
    )
    state, edit = run(store(lines), evidence(sentence(70), pr=700))
    assert edit.counts == {"appended": 1, "evicted": 16}
    assert len(texts(state)) == 40
    assert len([c for c in edit.told if c.did == "evicted"]) == 16


@given(
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(1, 30), st.integers(0, 27), st.booleans()),
        min_size=1,
        max_size=30,
    )
)
@settings(max_examples=30)
def test_the_cap_holds_and_no_line_of_a_person_is_lost(
    found: list[tuple[int, int, int, bool]],
) -> None:
    theirs = (
        "# Ours\n\nProse.\n\n- By hand.\n* Starred.\n\n```\n- code (#1, 2026-01-01, ci_fix)\n```\n"
    )
    state = store(theirs)
    few = replace(Settings(), store=Store(cap=5))
    for number, pr, day, founder in found:
        channel = Verdict.FOUNDER_NOTE if founder else Verdict.CHANGES_REQUESTED
        each = evidence(
            sentence(number), pr=pr, day=day, number=number * 1000 + pr, channel=channel
        )
        state = after(state, write(state, [each], few, TODAY))
        document = Document.parse(state.lessons or b"", TODAY)
        assert len(document.ours) <= 5
        kept = document.edit({}, [i for i, b in enumerate(document.bullets) if b.ours], ())
        assert kept.decode() == theirs


# --- orders ------------------------------------------------------------------------------------


def obey(state: Snapshot, *orders: Order) -> tuple[Snapshot, Edit]:
    edit = write(state, (), Settings(), TODAY, orders=orders)
    return after(state, edit), edit


def test_retiring_strikes_the_line_through_once() -> None:
    state, _ = run(store(), evidence(OTHERS[0]), evidence(OTHERS[1], pr=42))
    (first, _) = Document.parse(state.lessons or b"", TODAY).bullets
    order = Retire(first.id or "", by=7, at=NOON)
    struck, edit = obey(state, order)
    before = (state.lessons or b"").decode()
    assert (struck.lessons or b"").decode() == before.replace(OTHERS[0], f"~~{OTHERS[0]}~~")
    assert edit.counts == {}
    assert obey(struck, order)[1].changes == {}
    _, edit = run(struck, evidence(OTHERS[0], pr=43, day=1))
    assert edit.counts == {"appended": 1}


def test_undo_takes_back_a_pull_request_and_leaves_what_others_earned() -> None:
    state, _ = run(store(), evidence(PENDING, pr=41), evidence(OTHERS[0], pr=57, day=1))
    state, _ = run(state, evidence(PENDING_AGAIN, pr=57, day=3))
    undone, edit = obey(state, Undo(NOON + timedelta(days=4), pr=57))
    assert edit.counts == {"undone": 1}
    assert trailers(undone) == [
        "(#41, 2026-11-01, changes_requested)",
        "(#57, 2026-11-02, changes_requested; overridden 2026-11-05: undone)",
    ]
    _, edit = run(undone, evidence(PENDING_AGAIN, pr=57, day=3))
    assert edit.changes == {}


def test_undo_of_an_account_reaches_its_founder_notes() -> None:
    state, _ = run(store(), evidence(channel=Verdict.FOUNDER_NOTE, by=9), evidence(OTHERS[0], pr=5))
    _, edit = obey(state, Undo(NOON + timedelta(days=4), account=9))
    assert edit.counts == {"undone": 1}


def test_an_order_to_undo_that_is_replayed_later_leaves_what_came_after_it() -> None:
    order = Undo(NOON + timedelta(days=1), pr=57)
    state, _ = run(store(), evidence(OTHERS[0], pr=57, day=3))
    _, edit = obey(state, order)
    assert edit.changes == {}


@pytest.mark.parametrize(("kept", "left"), [("a", 0), ("b", 1), ("same", 0)])
def test_a_decided_conflict_leaves_one_side(kept: str, left: int) -> None:
    one = "Always run the database migration before the deploy of the web application."
    other = "Always run the database migration after the deploy of the web application."
    state, _ = run(store(), evidence(one), evidence(other, pr=42))
    (open_one,) = History.read(state.events).open_conflicts
    decided, edit = obey(state, Settle(open_one.a, open_one.b, kept, by=7, at=NOON))
    assert edit.conflicts == ()
    active = [b.text for b in Document.parse(decided.lessons or b"", TODAY).bullets if b.active]
    assert active == [(one, other)[left]]
    assert History.read(decided.events).open_conflicts == ()


# --- the sweep ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("today", "flag"), [(date(2027, 1, 29), None), (date(2027, 1, 30), "x")])
def test_a_bullet_expires_on_the_ninetieth_day(today: date, flag: str | None) -> None:
    state, _ = run(store(), evidence())
    edit = sweep(state, Settings(), today)
    assert edit.counts == ({"expired": 1} if flag else {})
    if flag:
        swept = after(state, edit)
        bullet = Document.parse(swept.lessons or b"", today).bullets[0]
        assert bullet.trailer is not None
        assert str(bullet.trailer.retirement) == "expired 2027-01-30"
        assert sweep(swept, Settings(), today).changes == {}


NAMES_FILE = "Bump MIN_TESTS in `scripts/run-tests.sh` whenever you add or remove a test case."


def test_a_bullet_goes_stale_when_its_file_was_seen_and_is_gone() -> None:
    tree = FakeTree(frozenset({"scripts/run-tests.sh"}))
    state, _ = run(store(tree=tree), evidence(NAMES_FILE))
    gone = FakeTree(fates={"scripts/run-tests.sh": Fate(date(2026, 11, 9))})
    edit = sweep(replace(state, tree=gone), Settings(), TODAY)
    assert edit.counts == {"stale": 1}
    assert b"; stale 2026-11-09: scripts/run-tests.sh) <!--" in (edit.changes[LESSONS] or b"")


def test_a_file_that_was_never_seen_makes_nothing_stale() -> None:
    state, _ = run(store(), evidence(NAMES_FILE))
    gone = FakeTree(fates={"scripts/run-tests.sh": Fate(date(2026, 11, 9))})
    assert sweep(replace(state, tree=gone), Settings(), TODAY).changes == {}


def test_a_moved_file_is_followed_and_keeps_the_id() -> None:
    tree = FakeTree(frozenset({"scripts/run-tests.sh"}))
    state, _ = run(store(tree=tree), evidence(NAMES_FILE))
    moved = FakeTree(
        frozenset({"tools/run-tests.sh"}),
        {"scripts/run-tests.sh": Fate(date(2026, 11, 9), moved_to="tools/run-tests.sh")},
    )
    edit = sweep(replace(state, tree=moved), Settings(), TODAY)
    assert edit.counts == {}
    assert edit.readable
    swept = after(replace(state, tree=moved), edit)
    (before,) = Document.parse(state.lessons or b"", TODAY).bullets
    (bullet,) = Document.parse(swept.lessons or b"", TODAY).bullets
    assert bullet.text == NAMES_FILE.replace("scripts/", "tools/")
    assert bullet.id == before.id
    assert sweep(swept, Settings(), TODAY).changes == {}


@pytest.mark.parametrize(
    ("tree", "why"),
    [
        (FakeTree(frozenset({"scripts/Run-Tests.sh"})), "only its letter case changed"),
        (FakeTree(), "nobody knows who deleted it"),
        (FakeTree(fates={"scripts/run-tests.sh": Fate(TODAY, doubt=True)}), "in doubt"),
    ],
)
def test_in_doubt_nothing_is_stale(tree: FakeTree, why: str) -> None:
    seen = FakeTree(frozenset({"scripts/run-tests.sh"}))
    state, _ = run(store(tree=seen), evidence(NAMES_FILE))
    assert sweep(replace(state, tree=tree), Settings(), TODAY).counts == {}, why


def test_a_file_that_comes_back_earns_a_new_bullet() -> None:
    tree = FakeTree(frozenset({"scripts/run-tests.sh"}))
    state, _ = run(store(tree=tree), evidence(NAMES_FILE))
    gone = FakeTree(fates={"scripts/run-tests.sh": Fate(date(2026, 11, 9))})
    state = after(state, sweep(replace(state, tree=gone), Settings(), TODAY))
    assert sweep(replace(state, tree=tree), Settings(), TODAY).changes == {}
    _, edit = run(replace(state, tree=tree), evidence(NAMES_FILE, pr=90, day=20))
    assert edit.counts == {"appended": 1}


# --- identity ----------------------------------------------------------------------------------


def test_a_lost_id_comment_is_restored_from_the_events() -> None:
    state, _ = run(store(), evidence(OTHERS[0]), evidence(OTHERS[1], pr=50))
    bare = (state.lessons or b"").decode()
    for bullet in Document.parse(state.lessons or b"", TODAY).bullets:
        bare = bare.replace(f" <!-- {bullet.id} -->", "")
    reworded = bare.replace("Close the database session", "Always close the session")
    again, _ = run(replace(state, lessons=reworded.encode()), evidence(OTHERS[2], pr=60))
    ids = [b.id for b in Document.parse(state.lessons or b"", TODAY).bullets]
    assert [b.id for b in Document.parse(again.lessons or b"", TODAY).bullets][:2] == ids


def test_lines_with_one_id_are_folded_newer_first_and_a_flag_over_none() -> None:
    line = "- Text {n}. (#{n}, 2026-10-0{n}, ci_fix{flag}) <!-- 11112222 -->\n"
    text = (
        line.format(n=1, flag="")
        + line.format(n=3, flag="")
        + line.format(n=2, flag="; expired 2026-10-09")
    )
    state, _ = run(store(text), evidence(OTHERS[0]))
    assert texts(state) == ["Text 2.", OTHERS[0]]


def test_a_copied_store_keeps_its_bullets_and_forgets_foreign_signals() -> None:
    state, _ = run(store(), evidence(PENDING, pr=41))
    copied = replace(state, repository=99, created_at=NOON + timedelta(days=10))
    second, edit = run(copied, evidence(PENDING_AGAIN, pr=3, day=12))
    assert edit.counts == {"refreshed": 1}
    mine = History.read(second.events, 99)
    assert [s.row.source for s in mine.signals if s.row.pr == 3]
    assert not [s for s in mine.signals if s.row.source.startswith("review:41")]


def test_a_bullet_that_would_fall_into_an_open_fence_is_refused() -> None:
    with pytest.raises(UserError, match="would not be read"):
        run(store("# T\n\n```\nopen fence\n"), evidence())


def test_rows_rebuild_the_same_whatever_the_order_of_the_files() -> None:
    state, _ = run(store(), evidence(PENDING), evidence(OTHERS[0], pr=50, day=-40))
    (first, second) = sorted(state.events)
    lines = state.events[first] + state.events[second]
    mixed = b"<<<<<<< HEAD\n" + b"\n".join(reversed(lines.split(b"\n"))) + b"\n" + lines
    assert History.read({first: mixed}) == History.read(state.events)


def test_retired_flags_are_words_of_the_table() -> None:
    assert {f.value for f in Flag} == {"overridden", "stale", "expired"}
