"""What waits for the notes, on each kind of database."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import update

from bot.work.note_wants import (
    KEEP,
    DeleteNote,
    LookAtAll,
    LookAtJob,
    LookAtSubjects,
    NoteWants,
    RetireSubject,
    note_wants,
)
from tests.stores import NOW, stores

MINUTE = timedelta(minutes=1)
EACH = (
    LookAtAll(),
    LookAtSubjects(),
    LookAtJob(12),
    RetireSubject("src/queue", "ada", 12, 345),
    DeleteNote(".agent-corp/notes/größe.md", 9),
)


def test_what_is_wanted_comes_back_in_order_and_asks_for_a_write(database_url: str) -> None:
    with stores(database_url) as made:
        wants = NoteWants(made.engine, made.writer)
        for want in EACH:
            wants.add(11, want, NOW)
        assert tuple(due.want for due in wants.due(11, NOW)) == EACH
        assert wants.due(12, NOW) == ()
        assert wants.due(11, NOW - MINUTE) == ()
        assert made.writes.next_due() == NOW


def test_what_came_meanwhile_is_not_done_with_the_rest(database_url: str) -> None:
    with stores(database_url) as made:
        wants = NoteWants(made.engine, made.writer)
        wants.add(11, LookAtJob(12), NOW)
        seen = [due.id for due in wants.due(11, NOW)]
        wants.add(11, LookAtJob(12), NOW)
        wants.done(seen)
        assert [due.want for due in wants.due(11, NOW)] == [LookAtJob(12)]


def test_what_failed_waits_its_time_and_is_forgotten_after_a_month(database_url: str) -> None:
    with stores(database_url) as made:
        wants = NoteWants(made.engine, made.writer)
        wants.add(11, LookAtAll(), NOW)
        wants.later(11, [due.id for due in wants.due(11, NOW)], NOW + MINUTE)
        assert wants.due(11, NOW) == ()
        assert [due.attempt for due in wants.due(11, NOW + MINUTE)] == [1]
        wants.prune(NOW + KEEP)
        assert len(wants.due(11, NOW + KEEP)) == 1
        wants.prune(NOW + KEEP + 2 * MINUTE)
        assert wants.due(11, NOW + KEEP) == ()


def test_what_another_version_left_holds_nothing_back(database_url: str) -> None:
    with stores(database_url) as made:
        wants = NoteWants(made.engine, made.writer)
        for want in (LookAtAll(), LookAtJob(12)):
            wants.add(11, want, NOW)
        odd = update(note_wants).where(note_wants.c.kind == "LookAtAll").values(kind="LookAtMoon")
        made.writer.do(lambda c: c.execute(odd).rowcount)
        assert [due.want for due in wants.due(11, NOW)] == [LookAtJob(12)]
