"""What is wanted of notes while GitHub does not answer: each is tried as often as the first."""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import timedelta

from bot.errors import Fault
from bot.handover import ATTEMPTS, LONGEST_PAUSE
from bot.work.lifespans import Lifespans
from bot.work.memory import Known, Memory
from bot.work.note_wants import NoteWants, RetireSubject
from bot.work.notices import Notices
from bot.work.places import Place
from bot.work.telling import reply_key
from tests.stores import NOW, Stores, stores

EARLY, LATE = (RetireSubject(each, "ada", 12, n) for n, each in enumerate(("queue", "billing")))


class Outage:
    """A look at the notes that never succeeds, on a clock that every look moves on."""

    def __init__(self, made: Stores, *, retry: bool) -> None:
        self.now, self.retry = NOW, retry
        self.wants = NoteWants(made.engine, made.writer)
        self.notices = Notices(made.engine, made.writer)
        memory = Memory(made.engine, made.writer)
        memory.meet(11, 1, "acme/shop")
        known = memory.known(11)
        assert known is not None
        self.known = known
        self.lifespans = Lifespans(
            self.wants, memory, self.notices, self.open, lambda _: None, lambda: self.now
        )

    def open(self, known: Known) -> AbstractContextManager[Place]:
        raise Fault("GitHub does not answer", retry=self.retry)

    def look(self, times: int = 1) -> None:
        for _ in range(times):
            self.lifespans.after(self.known, self.open)
            self.now += LONGEST_PAUSE + timedelta(seconds=1)

    def waits(self) -> list[object]:
        return [due.want for due in self.wants.due(11, self.now)]

    def told(self) -> list[RetireSubject]:
        return [w for w in (EARLY, LATE) if self.notices.has(11, w.number, reply_key(w.comment))]


def test_what_came_late_is_not_given_up_with_the_first(sqlite_url: str) -> None:
    with stores(sqlite_url) as made:
        outage = Outage(made, retry=True)
        outage.wants.add(11, EARLY, NOW)
        outage.look(ATTEMPTS - 1)
        outage.wants.add(11, LATE, NOW)
        assert (outage.waits(), outage.told()) == ([EARLY, LATE], [])
        outage.look()
        assert (outage.waits(), outage.told()) == ([LATE], [EARLY])


def test_who_asked_for_what_no_try_can_help_is_told(sqlite_url: str) -> None:
    with stores(sqlite_url) as made:
        outage = Outage(made, retry=False)
        outage.wants.add(11, EARLY, NOW)
        outage.look()
        assert (outage.waits(), outage.told()) == ([], [EARLY])
