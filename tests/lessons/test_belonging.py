"""Whose store it is, whatever wrote to it first."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.lessons.belonging import recorded
from bot.lessons.history import History
from bot.lessons.rows import NoteRow, StoreRow
from bot.lessons.store import Snapshot
from tests.lessons.test_store import NOON, evidence, run, store

AT = NOON + timedelta(days=20)
NOTE = NoteRow(AT, ".agent-corp/notes/a.md", "captured")
BULLET = "- Wait for every job. (#41, 2026-11-01, changes_requested) <!-- 00000001 -->\n"


def told(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, events={**snapshot.events, **recorded(snapshot, [NOTE])})


@pytest.mark.parametrize(("lessons", "origin"), [(None, "new"), (BULLET, "adopted")])
def test_a_note_that_comes_first_says_whose_store_it_is(lessons: str | None, origin: str) -> None:
    state = told(store(lessons))
    assert History.read(state.events).stores == (StoreRow(AT, 11, origin),)
    later, _ = run(state, evidence())
    assert len(History.read(later.events).stores) == 1
    assert told(later) == later, "a row is written once"


def test_a_note_in_a_copy_ends_what_counts_of_the_store_it_was_copied_from() -> None:
    first, _ = run(store(), evidence())
    copied = told(replace(first, repository=99, created_at=AT - timedelta(days=1)))
    own = History.read(copied.events, 99)
    assert [type(each.row) for each in own.recorded] == [StoreRow, NoteRow]
    assert own.signals == ()
