"""What never arrived is taken from GitHub's list, once, however it comes besides."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.demo.stage import Clock, Stage, stage, until
from bot.errors import Fault, UserError
from bot.forge.deliveries import LISTED_FOR, Deliveries
from bot.forge.errors import RateLimited, Unauthorized
from bot.inbox import Status
from bot.work.following import Following, Pace
from bot.work.recovery import Recovery, Step
from tests.work.conftest import START
from tests.work.estate import Estate, make_estate

LIST = "/app/hook/deliveries"
ONE = ["chore(lessons): 1 appended from #1"]


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Stage]:
    """A stage of one test: the list is that of the whole App."""
    with stage(tmp_path, Clock(START - datetime.now(UTC))) as made:
        yield made
    made.github.assert_no_surprises()


@pytest.fixture
def estate(alone: Stage) -> Estate:
    return make_estate(alone)


def recovery(alone: Stage, *, everything: bool = False) -> Recovery:
    forge = alone.forge
    deliveries = Deliveries(forge.app_id, forge.private_key, base_url=alone.github.url)
    return alone.server.recovery(deliveries, forge.app_id, everything=everything)


def read(found: Recovery) -> int:
    """One whole reading; how many deliveries it brought."""
    taken, more = 0, True
    while more:
        step = found.step()
        taken, more = taken + step.taken, step.more
    return taken


def fetched(alone: Stage) -> int:
    return alone.github.count("GET", f"{LIST}/*")


def test_what_did_not_arrive_is_heard_and_what_did_is_not_fetched(
    alone: Stage, estate: Estate
) -> None:
    estate.review()
    lost = alone.forge.lose_deliveries()
    assert read(recovery(alone)) == len(lost)
    assert fetched(alone) == len(lost)
    estate.settle()
    assert estate.subjects() == ONE


def test_it_is_taken_once_however_often_it_is_listed_and_posted(
    alone: Stage, estate: Estate
) -> None:
    estate.review()
    lost = alone.forge.lose_deliveries()
    read(recovery(alone))
    alone.send(lost)  # GitHub delivers again after all
    assert read(recovery(alone)) == 0
    estate.settle()
    assert estate.subjects() == ONE


def test_an_error_of_the_receiver_counts_as_missed_as_well(alone: Stage, estate: Estate) -> None:
    estate.review()
    for delivery in alone.forge.take_deliveries():
        alone.forge.attempts.record(delivery, 502)
    read(recovery(alone))
    estate.settle()
    assert estate.subjects() == ONE


def test_without_a_receiver_everything_is_taken(alone: Stage, estate: Estate) -> None:
    estate.review()
    for delivery in alone.forge.take_deliveries():
        alone.forge.attempts.record(delivery, 200)  # by somebody who only looks on
    assert read(recovery(alone)) == 0
    alone.clock.move(timedelta(minutes=1))
    assert read(recovery(alone, everything=True)) > 0
    estate.settle()
    assert estate.subjects() == ONE


def test_the_list_is_read_page_by_page_and_the_place_is_remembered(
    alone: Stage, estate: Estate
) -> None:
    estate.review()
    lost = alone.forge.lose_deliveries()
    alone.github.limit_pages(2)
    pages = -(-len(alone.forge.attempts.all) // 2)
    steps = [recovery(alone).step() for _ in range(pages)]  # each time after a restart
    assert [step.more for step in steps] == [True] * (pages - 1) + [False]
    assert sum(step.taken for step in steps) == len(lost)
    alone.clock.move(timedelta(minutes=30))
    estate.review("lock")
    assert recovery(alone).step().more  # the page is full of new ones
    estate.settle()


def test_what_is_older_than_the_last_reading_is_not_looked_at(alone: Stage, estate: Estate) -> None:
    estate.shop.commit("ben", {"src/db.py": "b\n"})
    alone.forge.lose_deliveries()
    read(recovery(alone))
    before = fetched(alone)
    alone.clock.move(timedelta(hours=1))
    assert read(recovery(alone)) == 0
    assert fetched(alone) == before


def test_what_nobody_wants_is_fetched_once(alone: Stage, estate: Estate) -> None:
    pull = estate.shop.open_pull_request("ben", {"src/db.py": "b\n"})
    pull.enqueue("ben")
    (_, enqueued) = alone.forge.lose_deliveries()
    assert enqueued.payload["action"] == "enqueued"
    found = recovery(alone)
    read(found)
    assert alone.server.inbox.find(enqueued.guid) is None
    before = fetched(alone)
    read(found)
    assert fetched(alone) == before


def test_github_gives_back_no_more_than_three_days(alone: Stage, estate: Estate) -> None:
    estate.review()
    alone.forge.lose_deliveries()
    alone.clock.move(LISTED_FOR + timedelta(minutes=1))
    assert read(recovery(alone)) == 0


def test_failed_work_gets_another_chance_at_a_start(alone: Stage, estate: Estate) -> None:
    number = estate.review()
    path = f"/repos/{estate.shop.full_name}/pulls/{number}/reviews"
    alone.github.fail_next("GET", path, 418)  # nothing that a retry would help
    estate.settle()
    assert alone.server.inbox.counts()[Status.FAILED] == 1
    now = alone.clock()
    assert alone.server.inbox.retry_failed(now, since=now - LISTED_FOR) == 1
    estate.settle()
    assert alone.server.inbox.counts()[Status.FAILED] == 0
    assert estate.subjects() == ONE


@pytest.mark.parametrize("seconds", [45, -45])
def test_a_clock_that_is_off_by_some_seconds_is_borne(alone: Stage, seconds: int) -> None:
    alone.github.access.ahead = timedelta(seconds=seconds)
    recovery(alone).step()


def test_a_clock_that_is_off_by_minutes_is_named(alone: Stage) -> None:
    alone.github.access.ahead = timedelta(minutes=-7)
    with pytest.raises(Unauthorized, match="check the clock"):
        recovery(alone).step()


# --- the pace ----------------------------------------------------------------------------------

PACE = Pace(quickest=2.0, slowest=60.0)


def test_it_goes_on_quickly_while_there_is_something_and_slows_down_after() -> None:
    assert PACE.after(60.0, Step(taken=1, more=False)) == 2.0
    assert PACE.after(60.0, Step(taken=0, more=True)) == 2.0
    waits = [2.0]
    for _ in range(6):
        waits.append(PACE.after(waits[-1], Step(taken=0, more=False)))
    assert waits == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]


def test_a_limit_is_waited_for_as_long_as_github_says() -> None:
    assert PACE.refused(2.0, RateLimited("limit", retry_after=900.0)) == 900.0
    assert PACE.refused(2.0, Fault("down")) == 4.0
    assert PACE.refused(50.0, UserError("refused")) == 60.0


def test_what_fails_is_tried_again(alone: Stage, estate: Estate) -> None:
    estate.review()
    alone.forge.lose_deliveries()
    alone.github.fail_next("GET", LIST, 503, times=4)  # with every try of one reading
    following = Following((), recovery(alone).step, Pace(quickest=0.01, slowest=0.1))
    following.start()
    try:
        until(lambda: estate.subjects() == ONE)
    finally:
        following.stop()
