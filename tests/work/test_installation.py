"""Where the App may work changes under its feet: nothing is lost, nothing is written elsewhere."""

from __future__ import annotations

import json
import logging
from datetime import timedelta

import pytest

from bot.demo.stage import Stage
from bot.inbox import Status
from bot.sandbox.forge import GRANTED
from tests.work.estate import Estate, make_estate, make_repository

ONE = ["chore(lessons): 1 appended from #1"]


@pytest.fixture
def estate(playing: Stage) -> Estate:
    return make_estate(playing)


def asked(estate: Estate) -> int:
    """How many tokens were asked for this installation."""
    path = f"/app/installations/{estate.installation.id}/access_tokens"
    return estate.stage.github.count("POST", path)


def parked(estate: Estate) -> list[str | None]:
    rows = estate.stage.server.inbox.newest(1000, Status.PARKED)
    return [row.reason for row in rows if row.repository == estate.shop.id]


def store_rows(estate: Estate) -> list[dict[str, object]]:
    """The `store` rows of the events on the default branch."""
    tip = estate.shop.tip()
    paths = [p for p in estate.shop.bare.paths(tip) if p.startswith(".agent-corp/events/")]
    lines = [line for path in paths for line in estate.file(path).splitlines()]
    return [row for row in map(json.loads, lines) if row["type"] == "store"]


# --- installations -----------------------------------------------------------------------------


def test_work_of_a_suspended_installation_waits_and_others_go_on(
    playing: Stage, estate: Estate
) -> None:
    other = make_estate(playing)
    estate.review()
    other.review()
    playing.forge.suspend(estate.installation)
    estate.settle()
    assert estate.subjects() == []
    assert any("suspended" in str(reason) for reason in parked(estate))
    assert other.subjects() == ONE

    playing.forge.unsuspend(estate.installation)
    estate.settle()
    assert estate.subjects() == ONE
    assert parked(estate) == []


def test_what_waited_for_a_write_when_it_was_suspended_is_written_afterwards(
    playing: Stage,
) -> None:
    estate = make_estate(playing, settings="commit_every: 15m\n")
    estate.review("session")
    estate.settle()
    estate.review("lock")
    estate.settle()  # waits for its quarter of an hour
    playing.forge.suspend(estate.installation)
    estate.settle()
    playing.clock.move(timedelta(hours=1))
    estate.settle()
    assert estate.subjects() == ONE

    playing.forge.unsuspend(estate.installation)
    estate.settle()
    assert estate.subjects() == [*ONE, "chore(lessons): 1 appended from #2"]


@pytest.mark.parametrize("told", [True, False])
def test_an_installation_that_is_gone_is_swept_no_more(
    playing: Stage, estate: Estate, told: bool, caplog: pytest.LogCaptureFixture
) -> None:
    estate.review()
    estate.settle()
    installation = estate.installation
    playing.forge.uninstall(installation)
    if told:
        estate.settle()
    else:
        playing.forge.take_deliveries()
    path = f"/app/installations/{installation.id}/access_tokens"
    with caplog.at_level(logging.INFO, "bot.work.presence"):
        for _ in range(2):
            before = playing.github.count("POST", path)
            playing.server.housekeeping()
            estate.settle()
    assert playing.github.count("POST", path) == before
    dropped = [r for r in caplog.messages if f"{estate.shop.id}: its work is dropped" in r]
    assert len(dropped) == (0 if told else 1)


def test_what_is_parked_when_the_app_goes_is_not_kept(playing: Stage, estate: Estate) -> None:
    estate.review()
    playing.forge.suspend(estate.installation)
    estate.settle()
    assert parked(estate) != []
    playing.forge.uninstall(estate.installation)
    estate.settle()
    assert parked(estate) == []
    rows = playing.server.inbox.newest(1000, Status.DONE)
    assert "the App is not installed there any more" in {row.reason for row in rows}


def test_suspended_and_unsuspended_in_the_wrong_order_it_works(
    playing: Stage, estate: Estate
) -> None:
    playing.forge.suspend(estate.installation)
    playing.forge.unsuspend(estate.installation)
    playing.send(reversed(playing.forge.take_deliveries()))
    estate.review()
    estate.settle()
    assert estate.subjects() == ONE


def test_a_permission_that_was_not_granted_holds_the_work_until_it_is(
    playing: Stage, estate: Estate
) -> None:
    playing.forge.grant(estate.installation, {"metadata": "read", "contents": "write"})
    estate.settle()
    estate.review()
    estate.settle()
    assert estate.subjects() == []
    assert any("Grant the App the permission" in str(reason) for reason in parked(estate))

    playing.forge.grant(estate.installation, GRANTED)
    estate.settle()
    assert estate.subjects() == ONE


def test_a_start_sees_what_nobody_told(playing: Stage) -> None:
    gone, suspended, new = (make_estate(playing) for _ in range(3))
    for each in (gone, suspended):
        each.review()
        each.settle()
    new.stage.server.memory.drop(new.shop.id)
    playing.forge.uninstall(gone.installation)
    playing.forge.suspend(suspended.installation)
    playing.forge.take_deliveries()
    path = f"/app/installations/{suspended.installation.id}"
    playing.github.fail_next("GET", path, 500, times=4)  # with every try again
    playing.server.presence.reconcile()
    here = {known.id for known in playing.server.memory.here()}
    assert (gone.shop.id in here, new.shop.id in here) == (False, True)
    playing.server.presence.reconcile()
    here = {known.id for known in playing.server.memory.here()}
    assert suspended.shop.id not in here


# --- repositories ------------------------------------------------------------------------------


def test_work_of_an_archived_repository_is_dropped_with_one_line(
    playing: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    estate = make_estate(playing, settings="commit_every: 15m\n")
    estate.review("session")
    estate.settle()
    estate.review("lock")
    estate.settle()
    estate.shop.archive()
    playing.forge.take_deliveries()  # nobody tells
    playing.clock.move(timedelta(minutes=20))
    with caplog.at_level(logging.INFO, "bot.work.presence"):
        estate.settle()
        playing.server.housekeeping()
        estate.settle()
    dropped = [r for r in caplog.messages if f"{estate.shop.id}: its work is dropped" in r]
    assert len(dropped) == 1
    assert estate.subjects() == ONE

    estate.shop.unarchive()
    estate.settle()
    playing.clock.move(timedelta(minutes=20))
    estate.review("cursor")
    estate.settle()
    assert estate.subjects() == [*ONE, "chore(lessons): 1 appended from #3"]


def test_one_store_goes_on_under_a_new_name(playing: Stage, estate: Estate) -> None:
    estate.review("session")
    estate.settle()
    estate.shop.rename(f"{estate.owner}/store")
    estate.review("lock")
    estate.settle()
    assert estate.subjects() == [*ONE, "chore(lessons): 1 appended from #2"]
    assert len(store_rows(estate)) == 1


def test_a_late_event_under_the_old_name_finds_it_by_its_id(playing: Stage, estate: Estate) -> None:
    estate.review("session")
    late = playing.forge.take_deliveries()
    estate.shop.rename(f"{estate.owner}/store")
    playing.forge.take_deliveries()
    newcomer = make_repository(playing, f"{estate.owner}/shop")  # takes the name that became free
    before = newcomer.tip()
    playing.send(late)
    estate.settle()
    assert estate.subjects() == ONE
    assert newcomer.tip() == before


def test_a_repository_made_anew_under_the_same_name_has_a_store_of_its_own(
    playing: Stage, estate: Estate
) -> None:
    estate.review("session")
    estate.settle()
    old = estate.shop
    playing.forge.delete(old)
    playing.forge.take_deliveries()  # nobody tells
    estate.shop = make_repository(playing, f"{estate.owner}/shop")
    estate.review("lock")
    playing.server.housekeeping()
    estate.settle()
    assert estate.subjects() == ONE
    assert [row["repo"] for row in store_rows(estate)] == [estate.shop.id]
    assert "session" not in estate.file()
    known = playing.server.memory.known(old.id)
    assert known is not None
    assert not known.here


def test_a_transferred_repository_keeps_its_store_where_the_app_is(
    playing: Stage, estate: Estate
) -> None:
    other = make_estate(playing)
    estate.shop = make_repository(playing, f"{estate.owner}/depot")
    estate.review("session")
    estate.settle()
    estate.shop.transfer(other.owner, other.installation)
    playing.forge.take_deliveries()  # nobody tells
    estate.review("lock")  # the first that the new owner's installation hears of it
    estate.settle()
    assert estate.subjects() == [*ONE, "chore(lessons): 1 appended from #2"]
    assert len(store_rows(estate)) == 1


def test_nothing_is_written_to_the_leftover_of_a_renamed_default_branch(
    playing: Stage, estate: Estate
) -> None:
    estate.review("session")
    estate.settle()
    estate.shop.make_default("trunk")
    estate.review("lock")
    estate.settle()
    assert estate.subjects("trunk") == [*ONE, "chore(lessons): 1 appended from #2"]
    assert estate.subjects("main") == ONE


def test_a_repository_that_was_made_private_goes_on(playing: Stage, estate: Estate) -> None:
    estate.shop.hide()
    estate.review()
    estate.settle()
    assert estate.subjects() == ONE


def test_a_repository_taken_out_and_let_in_again_goes_on(playing: Stage, estate: Estate) -> None:
    installation = estate.installation
    estate.review("session")
    estate.settle()
    playing.forge.remove(estate.shop)
    estate.settle()
    assert estate.shop.id not in {known.id for known in playing.server.memory.here()}
    playing.forge.add(estate.shop, installation)
    estate.review("lock")
    estate.settle()
    assert estate.subjects() == [*ONE, "chore(lessons): 1 appended from #2"]


# --- what breaks on the way --------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [45, -45])
def test_a_clock_that_is_off_by_some_seconds_is_borne(
    playing: Stage, estate: Estate, seconds: int
) -> None:
    playing.github.access.ahead = timedelta(seconds=seconds)
    try:
        estate.review()
        estate.settle()
    finally:
        playing.github.access.ahead = timedelta()
    assert estate.subjects() == ONE


def test_a_token_that_dies_on_the_way_is_minted_anew(playing: Stage, estate: Estate) -> None:
    estate.review("session")
    estate.settle()
    playing.github.access.revoke_all()
    estate.review("lock")
    estate.settle()
    assert estate.subjects() == [*ONE, "chore(lessons): 1 appended from #2"]


@pytest.mark.parametrize(
    ("headers", "pause"), [({"Retry-After": "300"}, 300), ({}, 60)], ids=["said", "not said"]
)
def test_a_secondary_limit_is_waited_for_and_the_work_done(
    playing: Stage, estate: Estate, headers: dict[str, str], pause: int
) -> None:
    number = estate.review()
    path = f"/repos/{estate.shop.full_name}/pulls/{number}/reviews"
    limit = "You have exceeded a secondary rate limit."
    playing.github.fail_next("GET", path, 403, message=limit, headers=headers)
    before = playing.clock()
    estate.settle()
    assert playing.clock() - before >= timedelta(seconds=pause)
    assert estate.subjects() == ONE


def test_a_plain_refusal_is_not_tried_again(playing: Stage, estate: Estate) -> None:
    number = estate.review()
    path = f"/repos/{estate.shop.full_name}/pulls/{number}/reviews"
    playing.github.fail_next("GET", path, 403, message="Must have admin rights", times=3)
    estate.settle()
    count = playing.github.count("GET", path)
    estate.settle()
    assert playing.github.count("GET", path) == count
    assert parked(estate) != []
    for _ in range(count, 3):  # the rest of the failures that were ordered
        estate.stage.server.inbox.unpark(playing.clock())
        estate.settle()
