"""The record of what waits for a person, on each kind of database."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from bot.channels.questions import Answer, Decision, Kind, Question, kept
from bot.facts import Account
from bot.lessons.lesson import Lesson
from bot.work.codec import Wanted
from bot.work.memory import Memory
from bot.work.notices import CHECK_RUN, Notices
from bot.work.questions import Questions
from tests.stores import NOW, Stores, stores

SHOP = 11
ADA = Account(1, "ada")
OFFER = Question(
    id="0123456789ab",
    kind=Kind.OFFERED,
    number=12,
    pull=12,
    source="review:7@0123456789ab",
    by=ADA,
    at=NOW,
    lesson=Lesson("Never deploy on a Friday.", comment=3),
    path="src/a.py",
)
OTHER = replace(OFFER, id="1123456789ab", source="review:8@0123456789ab")
CONFLICT = replace(OFFER, id="2123456789ab", source="conflict:a:b", a=("a", "A."), b=("b", "B."))
KEEP = Decision(Answer.KEEP, "ada", NOW)


@dataclass(frozen=True, slots=True)
class Rooms:
    stores: Stores
    memory: Memory
    notices: Notices
    questions: Questions

    def ask(self, *asked: Question) -> None:
        self.questions.ask(SHOP, 12, "review:", asked, NOW)

    def decide(self, decision: Decision = KEEP) -> bool:
        wanted = Wanted(evidence=kept(OFFER, ADA, NOW))
        return self.questions.decide(SHOP, OFFER, None, decision, wanted, NOW)

    def undecided(self) -> list[str]:
        return [r.question.id for r in self.questions.of(SHOP, 12) if r.decision is None]


@pytest.fixture
def rooms(database_url: str) -> Iterator[Rooms]:
    with stores(database_url) as made:
        memory = Memory(made.engine, made.writer)
        notices = Notices(made.engine, made.writer)
        yield Rooms(made, memory, notices, Questions(made.engine, made.writer, memory, notices))


def test_a_question_comes_back_as_it_was_asked(rooms: Rooms) -> None:
    rooms.ask(OFFER)
    found = rooms.questions.get(SHOP, OFFER.id)
    assert found is not None
    assert (found.question, found.decision) == (OFFER, None)
    assert rooms.questions.get(SHOP + 1, OFFER.id) is None
    rooms.questions.add(SHOP, CONFLICT, NOW)
    again = rooms.questions.get(SHOP, CONFLICT.id)
    assert again is not None
    assert again.question == CONFLICT


def test_asking_again_changes_and_says_nothing_and_what_is_no_longer_asked_goes(
    rooms: Rooms,
) -> None:
    rooms.questions.add(SHOP, CONFLICT, NOW)
    rooms.ask(OFFER, OTHER)
    (notice,) = rooms.notices.due(SHOP)
    rooms.notices.said(SHOP, notice)
    rooms.ask(OFFER, OTHER)
    assert rooms.notices.due(SHOP) == ()
    rooms.ask(OTHER)
    assert rooms.undecided() == [OTHER.id, CONFLICT.id]  # others ask about the conflict
    assert [each.key for each in rooms.notices.due(SHOP)] == [CHECK_RUN]
    assert rooms.questions.numbers(SHOP, "conflict:") == {12}


def test_of_many_who_decide_at_once_one_does_and_one_write_waits(rooms: Rooms) -> None:
    rooms.ask(OFFER)
    answers = [KEEP, Decision(Answer.DISCARD, "ben", NOW)] * 10
    with ThreadPoolExecutor(8) as threads:
        first = list(threads.map(rooms.decide, answers))
    assert first.count(True) == 1
    found = rooms.questions.get(SHOP, OFFER.id)
    assert found is not None
    assert found.decision == answers[first.index(True)]
    (waiting,) = rooms.memory.waiting(SHOP)
    assert (waiting.subject, waiting.write_at) == (f"note:{OFFER.id}", NOW)


def test_a_decided_question_stays_decided_when_it_is_asked_again(rooms: Rooms) -> None:
    rooms.ask(OFFER)
    rooms.decide()
    rooms.ask(OFFER)
    rooms.ask()
    assert rooms.undecided() == []
    assert not rooms.decide(Decision(Answer.DISCARD, "ben", NOW))


def test_a_note_is_kept_once_with_its_write(rooms: Rooms) -> None:
    wanted = Wanted(evidence=kept(OFFER, ADA, NOW))
    assert rooms.questions.keep(SHOP, OFFER, 5, KEEP, wanted, NOW)
    assert not rooms.questions.keep(SHOP, OFFER, 5, KEEP, wanted, NOW)
    assert [each.version for each in rooms.memory.waiting(SHOP)] == [1]


def test_what_was_told_of_a_commit_is_not_told_otherwise_later(rooms: Rooms) -> None:
    rooms.ask(OFFER)
    rooms.decide()
    rooms.questions.came_to(SHOP, OFFER, NOW, commit="c" * 40, bullet="3f9a2c1d")
    rooms.questions.came_to(SHOP, OFFER, NOW, outcome="applied before")
    found = rooms.questions.get(SHOP, OFFER.id)
    assert found is not None
    assert found.decision == replace(KEEP, commit="c" * 40, bullet="3f9a2c1d")


def test_a_question_is_forgotten_after_fourteen_days(rooms: Rooms) -> None:
    rooms.ask(OFFER)
    rooms.questions.prune(NOW + timedelta(days=13))
    assert rooms.undecided() == [OFFER.id]
    rooms.questions.prune(NOW + timedelta(days=14))
    assert rooms.undecided() == []


def test_the_same_words_are_said_once_and_other_words_again(rooms: Rooms) -> None:
    for _ in range(2):
        rooms.notices.say(SHOP, 12, "reply:5", "Kept.", NOW)
    (notice,) = rooms.notices.due(SHOP)
    assert (notice.version, notice.said) == (1, False)
    rooms.notices.said(SHOP, notice)
    rooms.notices.say(SHOP, 12, "reply:5", "Kept.", NOW)
    assert rooms.notices.due(SHOP) == ()
    rooms.notices.say(SHOP, 12, "reply:5", "Kept in c.", NOW)
    (notice,) = rooms.notices.due(SHOP)
    assert (notice.body, notice.said) == ("Kept in c.", True)


def test_what_changed_while_it_was_said_is_said_again(rooms: Rooms) -> None:
    rooms.ask(OFFER)
    (notice,) = rooms.notices.due(SHOP)
    rooms.decide()
    rooms.notices.said(SHOP, notice)
    assert len(rooms.notices.due(SHOP)) == 1


def test_a_check_run_is_drawn_again_only_where_there_is_one(rooms: Rooms) -> None:
    rooms.notices.redraw(SHOP, 12, NOW)
    assert rooms.notices.due(SHOP) == ()
    assert rooms.stores.writes.next_due() is None
    rooms.ask(OFFER)
    (notice,) = rooms.notices.due(SHOP)
    rooms.notices.said(SHOP, notice)
    rooms.notices.redraw(SHOP, 12, NOW)
    assert len(rooms.notices.due(SHOP)) == 1


def test_an_early_write_stays_early_whatever_is_wanted_later(rooms: Rooms) -> None:
    early, late = NOW + timedelta(minutes=1), NOW + timedelta(minutes=9)
    for at in (late, early, late):
        rooms.memory.want(SHOP, "pr:12", Wanted(), NOW, at)
    (waiting,) = rooms.memory.waiting(SHOP)
    assert waiting.write_at == early
