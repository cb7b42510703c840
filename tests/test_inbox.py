"""The inbox: a GUID is claimed once, broken work may run again, nothing is kept for ever."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.errors import UserError
from bot.inbox import Receipt, Status
from bot.jobs import Job, Kind
from tests.stores import NOW, Stores, delivery, stores

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


@pytest.fixture
def kept(database_url: str) -> Iterator[Stores]:
    with stores(database_url) as opened:
        yield opened


def claim_one(kept: Stores) -> Job:
    (job,) = kept.inbox.claim("here", NOW, 10)
    return job


def test_the_same_guid_is_stored_once(kept: Stores) -> None:
    assert kept.inbox.store(delivery("d-1")) is Receipt.STORED
    assert kept.inbox.store(delivery("d-1")) is Receipt.KNOWN
    assert kept.inbox.counts()[Status.RECEIVED] == 1


def test_storing_rings_the_bell_and_a_known_guid_does_not(kept: Stores) -> None:
    kept.inbox.store(delivery("d-1"))
    assert kept.bell.is_set()
    kept.bell.clear()
    kept.inbox.store(delivery("d-1"))
    assert not kept.bell.is_set()


def test_many_are_stored_as_each_alone_in_the_order_they_came(kept: Stores) -> None:
    kept.inbox.store_all([delivery("known"), delivery("parked")])
    known, parked = kept.inbox.claim("here", NOW, 10)
    kept.inbox.done(known, NOW)
    kept.inbox.parked(parked, NOW, "no key")
    guids = ["b", "known", "a", "parked", "b"]
    receipts = kept.inbox.store_all([delivery(guid) for guid in guids])
    assert receipts == [
        Receipt.STORED,
        Receipt.KNOWN,
        Receipt.STORED,
        Receipt.AGAIN,
        Receipt.KNOWN,
    ]
    assert [job.name for job in kept.inbox.claim("here", NOW, 10)] == ["parked", "b", "a"]


CLAIMANT = """
import sys
from tests.stores import delivery, stores
with stores(sys.argv[1]) as kept:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(50):
        print(kept.inbox.store(delivery(f"d-{number}")).name)
"""


def test_of_two_processes_with_one_guid_exactly_one_claims_it(database_url: str) -> None:
    with stores(database_url):
        pass
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIMANT, database_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=60)[0].split() for process in processes]
    for one, other in zip(*answers, strict=True):
        assert sorted((one, other)) == ["KNOWN", "STORED"]


def test_work_is_handed_over_once_in_order_of_arrival(kept: Stores) -> None:
    for guid in ("d-3", "d-1", "d-2"):
        kept.inbox.store(delivery(guid))
    jobs = kept.inbox.claim("here", NOW, 2) + kept.inbox.claim("here", NOW, 10)
    assert [job.id for job in jobs] == ["d-3/1", "d-1/1", "d-2/1"]
    assert [job.number for job in jobs] == sorted(job.number for job in jobs)
    assert {(job.kind, job.key) for job in jobs} == {(Kind.HEAR, "11")}
    assert kept.inbox.claim("here", NOW, 10) == []


def test_who_has_work_in_hand_is_known_until_it_ends(kept: Stores) -> None:
    for guid, executor in (("d-1", "host-1"), ("d-2", "host-2")):
        kept.inbox.store(delivery(guid))
        kept.inbox.claim(executor, NOW, 10)
    (job,) = kept.inbox.handed("host-1")
    assert job.id == "d-1/1"
    assert kept.inbox.handed(None) == []
    kept.inbox.again(replace(job, deaths=1), NOW, "the process died")
    assert kept.inbox.handed("host-1") == []
    (second,) = kept.inbox.claim("host-2", NOW, 10)
    assert (second.id, second.deaths, second.tries) == ("d-1/2", 1, 1)
    assert [job.id for job in kept.inbox.handed("host-2", NOW)] == ["d-1/2", "d-2/1"]
    assert kept.inbox.handed("host-2", NOW - MINUTE) == []


def test_work_does_not_start_before_its_event_has_settled(kept: Stores) -> None:
    kept.inbox.store(delivery("d-1", at=NOW + MINUTE))
    assert kept.inbox.claim("here", NOW, 10) == []
    assert kept.inbox.next_due() == NOW + MINUTE
    assert len(kept.inbox.claim("here", NOW + MINUTE, 10)) == 1
    assert kept.inbox.next_due() is None


def test_what_is_done_stays_done(kept: Stores) -> None:
    kept.inbox.store(delivery("d-1"))
    job = claim_one(kept)
    assert job in kept.inbox.handed("here")
    kept.inbox.done(job, NOW)
    assert job not in kept.inbox.handed("here")
    assert kept.inbox.store(delivery("d-1")) is Receipt.KNOWN
    assert kept.inbox.claim("here", NOW, 10) == []


def test_a_try_that_broke_waits_and_comes_again_as_a_new_attempt(kept: Stores) -> None:
    kept.inbox.store(delivery("d-1"))
    first = claim_one(kept)
    kept.inbox.again(first, NOW + MINUTE, "GitHub answered 502")
    assert kept.inbox.store(delivery("d-1")) is Receipt.KNOWN
    assert kept.inbox.claim("here", NOW, 10) == []
    (second,) = kept.inbox.claim("here", NOW + MINUTE, 10)
    assert (second.id, second.number) == ("d-1/2", first.number)
    assert first not in kept.inbox.handed("here")


@pytest.mark.parametrize("ending", ["failed", "parked"])
def test_a_delivery_that_failed_runs_again_when_it_is_redelivered(
    kept: Stores, ending: str
) -> None:
    kept.inbox.store(delivery("d-2"))
    getattr(kept.inbox, ending)(claim_one(kept), NOW, "the settings file is broken")
    assert kept.inbox.store(delivery("d-2")) is Receipt.AGAIN
    assert claim_one(kept).id == "d-2/2"


def test_an_older_try_cannot_end_a_newer_one(kept: Stores) -> None:
    kept.inbox.store(delivery("d-1"))
    old = claim_one(kept)
    kept.inbox.failed(old, NOW, "lost")
    kept.inbox.replay("d-1", NOW)
    new = claim_one(kept)
    kept.inbox.done(old, NOW)
    assert new in kept.inbox.handed("here")


def test_a_replay_runs_what_was_done(kept: Stores) -> None:
    kept.inbox.store(delivery("d-1"))
    kept.inbox.done(claim_one(kept), NOW)
    kept.inbox.replay("d-1", NOW)
    assert claim_one(kept).id == "d-1/2"


def test_a_replay_that_cannot_be_says_why(kept: Stores) -> None:
    with pytest.raises(UserError, match="No delivery d-1 is stored"):
        kept.inbox.replay("d-1", NOW)
    kept.inbox.store(delivery("d-1"))
    with pytest.raises(UserError, match="still waits"):
        kept.inbox.replay("d-1", NOW)
    kept.inbox.done(claim_one(kept), NOW)
    kept.inbox.prune(NOW + 7 * DAY)
    with pytest.raises(UserError, match="erased 7 days after"):
        kept.inbox.replay("d-1", NOW + 7 * DAY)


def test_a_body_is_erased_seven_days_after_done_and_its_guid_kept_ninety(kept: Stores) -> None:
    kept.inbox.store(delivery("d-1"))
    kept.inbox.done(claim_one(kept), NOW)

    kept.inbox.prune(NOW + 7 * DAY - MINUTE)
    entry = kept.inbox.find("d-1")
    assert entry is not None
    assert entry.body == b"{}"

    kept.inbox.prune(NOW + 7 * DAY)
    entry = kept.inbox.find("d-1")
    assert entry is not None
    assert entry.body is None
    assert kept.inbox.store(delivery("d-1")) is Receipt.KNOWN

    kept.inbox.prune(NOW + 90 * DAY)
    assert kept.inbox.find("d-1") is None


def test_what_has_not_ended_is_never_pruned(kept: Stores) -> None:
    kept.inbox.store(delivery("d-1"))
    kept.inbox.store(delivery("d-2", at=NOW + 400 * DAY))
    claim_one(kept)
    kept.inbox.prune(NOW + 365 * DAY)
    counts = kept.inbox.counts()
    assert (counts[Status.HANDED], counts[Status.RECEIVED]) == (1, 1)


def test_what_failed_keeps_its_body_to_be_replayed(kept: Stores) -> None:
    kept.inbox.store(delivery("d-1"))
    kept.inbox.failed(claim_one(kept), NOW, "lost")
    kept.inbox.prune(NOW + 80 * DAY)
    kept.inbox.replay("d-1", NOW + 80 * DAY)


def test_a_pruned_number_does_not_come_back(kept: Stores) -> None:
    kept.inbox.store(delivery("d-1"))
    first = claim_one(kept)
    kept.inbox.done(first, NOW)
    kept.inbox.prune(NOW + 90 * DAY)
    kept.inbox.store(delivery("d-2"))
    assert claim_one(kept).number > first.number


def test_the_newest_rows_are_listed_with_their_reasons(kept: Stores) -> None:
    for guid in ("d-1", "d-2", "d-3"):
        kept.inbox.store(delivery(guid))
    first, *_ = kept.inbox.claim("here", NOW, 10)
    kept.inbox.parked(first, NOW, "the settings file is broken")
    assert [entry.guid for entry in kept.inbox.newest(2)] == ["d-3", "d-2"]
    (parked,) = kept.inbox.newest(10, Status.PARKED)
    assert (parked.guid, parked.reason) == ("d-1", "the settings file is broken")


def test_a_delivery_without_a_repository_is_kept_like_any_other(kept: Stores) -> None:
    kept.inbox.store(delivery("d-1", repository=None))
    entry = kept.inbox.load(claim_one(kept).number)
    assert entry is not None
    assert (entry.repository, entry.event, entry.body) == (None, "push", b"{}")
