"""Write requests: many become one, the earliest counts, and a fault loses none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.jobs import Job, Kind
from bot.writes import GATHER, Writes, request_write
from tests.stores import NOW, Stores, delivery, stores

SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def kept(database_url: str) -> Iterator[Stores]:
    with stores(database_url) as opened:
        yield opened


def claim_one(kept: Stores, after: timedelta = timedelta(0)) -> Job:
    (job,) = kept.writes.claim("here", NOW + after, 10)
    return job


def test_requests_of_one_repository_become_one_job(kept: Stores) -> None:
    for _ in range(5):
        kept.writes.request(11, NOW)
    kept.writes.request(12, NOW)
    jobs = kept.writes.claim("here", NOW, 10)
    assert sorted(job.key for job in jobs) == ["11", "12"]
    assert {job.kind for job in jobs} == {Kind.WRITE}
    assert kept.writes.claim("here", NOW, 10) == []


@pytest.mark.parametrize(("first", "second"), [(15, 0), (0, 15)])
def test_the_earlier_request_counts(kept: Stores, first: int, second: int) -> None:
    kept.writes.request(11, NOW + first * MINUTE)
    kept.writes.request(11, NOW + second * MINUTE)
    assert kept.writes.next_due() == NOW
    claim_one(kept)


def test_a_request_waits_for_its_time(kept: Stores) -> None:
    kept.writes.request(11, NOW + 15 * MINUTE)
    assert kept.writes.claim("here", NOW, 10) == []
    claim_one(kept, 15 * MINUTE)


def test_what_waits_longest_goes_first(kept: Stores) -> None:
    for repository, minutes in ((11, 2), (12, 1), (13, 3)):
        kept.writes.request(repository, NOW + minutes * MINUTE)
    claimed = [kept.writes.claim("here", NOW + 3 * MINUTE, 1) for _ in range(3)]
    assert [job.key for (job,) in claimed] == ["12", "11", "13"]


def test_a_request_made_while_a_write_runs_is_served_after_it(kept: Stores) -> None:
    kept.writes.request(11, NOW)
    running = claim_one(kept)
    kept.writes.request(11, NOW)
    assert kept.writes.next_due() is None
    assert kept.writes.claim("here", NOW, 10) == []
    kept.bell.clear()
    kept.writes.done(running, NOW)
    assert kept.bell.is_set()
    assert claim_one(kept).id != running.id


def test_after_a_fault_the_repository_is_left_alone_until_its_time(kept: Stores) -> None:
    kept.writes.request(11, NOW)
    first = claim_one(kept)
    kept.writes.again(first, NOW + MINUTE, "GitHub asked for a pause")
    kept.writes.request(11, NOW)  # a press must not break the pause that was asked for
    assert kept.writes.claim("here", NOW, 10) == []
    assert kept.writes.next_due() == NOW + MINUTE
    second = claim_one(kept, MINUTE)
    assert second.attempt == first.attempt + 1
    assert kept.writes.reasons() == {11: "GitHub asked for a pause"}
    kept.writes.done(second, NOW + MINUTE)
    assert kept.writes.reasons() == {}


@pytest.mark.parametrize("ending", ["failed", "parked"])
def test_a_write_that_ended_badly_says_why_and_holds_no_later_one_back(
    kept: Stores, ending: str
) -> None:
    kept.writes.request(11, NOW)
    getattr(kept.writes, ending)(claim_one(kept), NOW, "branch protection refuses us")
    assert kept.writes.reasons() == {11: "branch protection refuses us"}
    assert kept.writes.next_due() is None
    kept.writes.request(11, NOW)
    assert claim_one(kept).attempt == 1


def test_who_writes_is_known_until_it_ends(kept: Stores) -> None:
    kept.writes.request(11, NOW)
    job = claim_one(kept)
    assert kept.writes.handed("here", NOW) == [job]
    assert kept.writes.handed("elsewhere") == kept.writes.handed(None) == []
    kept.writes.again(replace(job, deaths=1), NOW, "the process died")
    assert kept.writes.handed("here") == []
    again = claim_one(kept)
    assert (again.deaths, again.tries) == (1, 1)
    kept.writes.done(again, NOW)
    kept.writes.request(11, NOW)
    assert claim_one(kept).deaths == 0


def test_a_request_lives_and_dies_with_the_transaction_that_made_it(kept: Stores) -> None:
    with kept.engine.begin() as connection:
        request_write(connection, 11, NOW)
        connection.rollback()
    assert kept.writes.next_due() is None
    with kept.engine.begin() as connection:
        request_write(connection, 11, NOW)
    assert kept.writes.next_due() == NOW


def test_an_older_write_cannot_end_a_newer_one(kept: Stores) -> None:
    kept.writes.request(11, NOW)
    old = claim_one(kept)
    kept.writes.done(old, NOW)
    kept.writes.request(11, NOW)
    new = claim_one(kept)
    kept.writes.done(old, NOW)
    assert old not in kept.writes.handed("here")
    assert new in kept.writes.handed("here")


@pytest.fixture
def gathering(kept: Stores) -> Writes:
    return Writes(kept.engine, kept.writer, kept.bell, kept.inbox.is_heard)


def test_a_write_waits_until_what_arrived_with_it_is_heard(kept: Stores, gathering: Writes) -> None:
    kept.inbox.store(delivery("first"))
    kept.inbox.store(delivery("second"))
    kept.inbox.store(delivery("settles", NOW + MINUTE))
    kept.inbox.store(delivery("elsewhere", repository=12))
    gathering.request(11, NOW)
    for heard in kept.inbox.claim("here", NOW, 2):
        assert gathering.claim("here", NOW, 10) == []
        kept.inbox.done(heard, NOW)
    assert [job.key for job in gathering.claim("here", NOW, 10)] == ["11"]


def test_a_write_does_not_wait_long_for_what_takes_its_time(
    kept: Stores, gathering: Writes
) -> None:
    kept.inbox.store(delivery("slow"))
    kept.inbox.claim("here", NOW, 1)
    gathering.request(11, NOW)
    assert gathering.claim("here", NOW + GATHER - SECOND, 10) == []
    assert [job.key for job in gathering.claim("here", NOW + GATHER, 10)] == ["11"]
