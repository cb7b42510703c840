"""What people read who decide, to the letter."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.channels.questions import Answer, Decision, Kind, Question, Record
from bot.facts import Account
from bot.lessons.lesson import Lesson
from bot.lessons.orders import Retire, Undo
from bot.lessons.store import Change, Edit
from bot.talk import check_run, decided, in_a_comment, order_done, reviews_explained

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
OFFER = Question(
    id="0123456789ab",
    kind=Kind.OFFERED,
    number=12,
    pull=12,
    source="review:7@0123456789ab",
    by=Account(1, "ada"),
    at=NOON,
    lesson=Lesson("Never merge as @alice said in #3."),
)
HELD = replace(OFFER, id="1123456789ab", kind=Kind.HELD, by=Account(5, "rabbit[bot]"))
BARE = replace(
    OFFER,
    id="2123456789ab",
    kind=Kind.QUARANTINED,
    lesson=None,
    why="An order.",
    excerpt="Obey <b>",
)
CONFLICT = replace(
    OFFER,
    id="3123456789ab",
    kind=Kind.CONFLICT,
    by=None,
    lesson=None,
    a=("a" * 8, "Do."),
    b=("b" * 8, "Do not."),
)
KEPT = Decision(Answer.KEEP, "cleo", NOON, commit="c" * 40, bullet="3f9a2c1d")


def test_one_offer_has_the_button_that_people_know() -> None:
    run = check_run(12, [Record(OFFER)])
    assert run.external_id == "pull:12"
    assert run.title == "1 finding waits for a person"
    assert [(a.label, a.identifier) for a in run.actions] == [
        ("Keep as lesson", "keep:0123456789ab"),
        ("Discard", "discard:0123456789ab"),
    ]
    assert run.text == (
        "### Undecided\n\n"
        "1. From @\u200bada, offered as a lesson:\n"
        "   > Never merge as @\u200balice said in #\u200b3.\n\n"
        "   `/lessons keep 0123456789ab`, `/lessons discard 0123456789ab`"
    )


def test_several_are_numbered_and_the_buttons_act_on_the_first() -> None:
    records = [Record(HELD), Record(BARE), Record(CONFLICT), Record(OFFER, KEPT)]
    run = check_run(12, records)
    assert run.title == "3 findings wait for a person"
    assert [a.label for a in run.actions] == ["Keep 1 of 3", "Discard 1 of 3"]
    assert "2. From @\u200bada, quarantined:\n   An order. It says: “Obey <\u200bb>”" in run.text
    assert "3. Two lessons that contradict each other:" in run.text
    assert run.text.endswith(
        "### Decided\n\n- Kept by @\u200bcleo, in cccccccccccc as `3f9a2c1d`: "
        "Never merge as @\u200balice said in #\u200b3."
    )


def test_what_cannot_be_kept_has_no_button_for_it() -> None:
    assert [a.label for a in check_run(12, [Record(BARE)]).actions] == ["Discard"]


def test_a_conflict_has_three_buttons() -> None:
    run = check_run(12, [Record(CONFLICT), Record(OFFER)])
    assert [a.label for a in run.actions] == ["Keep A 1 of 2", "Keep B 1 of 2", "Same 1 of 2"]


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (KEPT, "Kept by @\u200bcleo, in cccccccccccc as `3f9a2c1d`: "),
        (replace(KEPT, commit=None), "Kept by @\u200bcleo, being written: "),
        (replace(KEPT, commit=None, outcome="not written yet: a"), "Kept by @\u200bcleo, not w"),
        (Decision(Answer.DISCARD, "cleo", NOON), "Discarded by @\u200bcleo: "),
    ],
)
def test_a_decision_says_what_came_of_it(decision: Decision, words: str) -> None:
    assert decided(Record(OFFER, decision)).startswith(words)


def test_titles_once_everything_is_decided() -> None:
    assert check_run(1, [Record(OFFER, KEPT)]).title == "1 lesson kept"
    waits = replace(KEPT, commit=None)
    assert check_run(1, [Record(OFFER, waits)]).title == "A decision is being written"
    refused = replace(waits, outcome="nothing was written: founder notes fill the store")
    assert check_run(1, [Record(OFFER, refused)]).title == "Nothing was written"
    gone = Decision(Answer.DISCARD, "cleo", NOON)
    assert check_run(1, [Record(OFFER, gone)]).title == "Nothing waits for a person"
    assert check_run(1, []).actions == ()


def test_without_check_runs_a_comment_says_the_same_and_how() -> None:
    body = in_a_comment(check_run(12, [Record(OFFER)]))
    assert body.startswith("**1 finding waits for a person.** People with write access decide")
    assert "`/lessons keep 0123456789ab`" in body


@settings(max_examples=20)
@given(st.integers(1, 200), st.sampled_from([OFFER, CONFLICT, BARE]))
def test_labels_keep_githubs_limits_however_many_wait(count: int, first: Question) -> None:
    records = [Record(first)] + [Record(OFFER)] * (count - 1)
    assert check_run(1, records).actions  # Action refuses what GitHub would


def test_an_order_says_what_it_came_to() -> None:
    retire = Retire("3f9a2c1d", 1, NOON)
    struck = Edit({}, {}, told=(Change("struck", "3f9a2c1d", "Never deploy."),))
    assert order_done(retire, struck, "c" * 40) == "Struck through in cccccccccccc: Never deploy."
    nothing = Edit({}, {})
    assert "nothing changed" in order_done(retire, nothing, None)
    assert "nothing changed" in order_done(Undo(NOON, pr=3), nothing, None)


def test_what_reviews_came_to_pings_nobody() -> None:
    text = reviews_explained([("ada", "asks for changes", ["appended: see @alice in #3"])])
    assert "@ada" not in text
    assert "@alice" not in text
    assert "#3" not in text
