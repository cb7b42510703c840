"""Each alarm is caused by its facts alone, and silent when all is well."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.channels.alarms import (
    BEHIND,
    LATE,
    OLD_PROPOSAL,
    Alarm,
    Name,
    Serving,
    Watched,
    is_blind,
    of_repository,
    of_server,
    sharing,
)
from bot.settings import Carried

NOW = datetime(2026, 11, 5, 12, tzinfo=UTC)
FIRST, SECOND = "a" * 40, "b" * 40
MINUTE = timedelta(minutes=1)
WELL = Watched(
    pages=3,
    indexed=3,
    commit=SECOND,
    committed_at=NOW - timedelta(days=1),
    indexed_at=SECOND,
    carried={"AGENTS.md": b"Be brief.\n" * 20},
    budget=Carried(),
    stores=(".agent-corp/lessons.md",),
    pull=7,
    pending=2,
    pending_since=NOW - timedelta(days=3),
)


def rings(**changes: object) -> list[Alarm]:
    return [*of_repository(replace(WELL, **changes), NOW)]  # type: ignore[arg-type]


def test_all_is_well() -> None:
    assert rings() == []
    assert of_server(Serving(waiting_since=NOW - MINUTE), NOW) == ()
    assert not is_blind(WELL)


@pytest.mark.parametrize("indexed", [0, None])
def test_an_empty_index(indexed: int | None) -> None:
    (alarm,) = rings(indexed=indexed, indexed_at="")
    assert alarm.name is Name.INDEX_EMPTY
    assert alarm.reason == "3 pages stand on the branch, and search finds none of them"
    assert is_blind(replace(WELL, indexed=indexed))
    assert rings(pages=0, indexed=indexed, indexed_at="") == []


def test_a_rebuild_that_failed() -> None:
    (alarm,) = rings(failed="the disk is full")
    assert alarm.name is Name.REBUILD_FAILED
    assert "the disk is full" in alarm.reason


def test_documents_newer_than_the_index_with_the_lag() -> None:
    at = NOW - BEHIND - MINUTE
    (alarm,) = rings(indexed_at=FIRST, committed_at=at)
    assert alarm.name is Name.INDEX_BEHIND
    assert alarm.reason == "the branch is 11 minutes newer than what search finds"
    assert rings(indexed_at=FIRST, committed_at=NOW - BEHIND) == []
    assert rings(indexed_at=SECOND, committed_at=at) == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x\n" * 200, "near its budget"),
        (b"x\n" * 201, "over its budget"),
        (b"x" * 25_000, "near its budget"),
        (b"x" * 30_000, "over its budget"),
    ],
)
def test_carried_weight_is_told_of_before_the_budget_is_spent(data: bytes, said: str) -> None:
    (alarm,) = rings(carried={"AGENTS.md": b"", "CLAUDE.md": data})
    assert (alarm.name, alarm.about) == (Name.CARRIED_WEIGHT, "CLAUDE.md")
    assert said in alarm.reason
    assert rings(carried={"CLAUDE.md": b"x\n" * 150}) == []


def test_a_second_lessons_file() -> None:
    (alarm,) = rings(stores=(".agent-corp/lessons.md", "web/.agent-corp/lessons.md"))
    assert (alarm.name, alarm.about) == (Name.SPLIT_STORE, "web/.agent-corp/lessons.md")


def test_bullets_that_wait_for_more_than_14_days() -> None:
    (alarm,) = rings(pending_since=NOW - OLD_PROPOSAL - MINUTE)
    assert alarm.reason == "2 bullets wait in #7 for 14 days"
    assert rings(pending_since=NOW - OLD_PROPOSAL) == []
    assert rings(pending_since=NOW - OLD_PROPOSAL - MINUTE, pending=0) == []


def test_stores_of_one_owner_that_share_ids() -> None:
    found = sharing(
        {
            "acme/a": frozenset({"1", "2"}),
            "acme/b": frozenset({"2"}),
            "acme/c": frozenset({"3"}),
            "acme/d": frozenset(),
        }
    )
    assert found == {"acme/a": ("acme/b",), "acme/b": ("acme/a",), "acme/c": (), "acme/d": ()}
    (alarm,) = rings(sharing=("acme/b",))
    assert alarm.reason == "its store has ids of acme/b: one was copied from the other"


@pytest.mark.parametrize(
    ("serving", "name"),
    [
        (Serving(exact="it is gone"), Name.EXACT_FAILING),
        (Serving(meaning="there is no model"), Name.MEANING_FAILING),
        (Serving(failed=2), Name.DELIVERIES_FAILED),
        (Serving(waiting_since=NOW - LATE - MINUTE), Name.DELIVERIES_WAIT),
    ],
)
def test_what_is_wrong_with_the_server(serving: Serving, name: Name) -> None:
    (alarm,) = of_server(serving, NOW)
    assert alarm.name is name
    assert alarm.remedy
