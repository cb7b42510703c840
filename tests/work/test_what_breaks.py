"""What goes wrong around the main job costs no lesson, no second call, and no other repository."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.demo.stage import Clock, Stage, stage
from bot.distill.model import Distilled, Distiller, Lesson, Remark
from bot.inbox import Status
from bot.sandbox.pull_request import Inline
from bot.settings import Settings
from tests.work.conftest import START
from tests.work.estate import Estate, make_estate
from tests.work.test_installation import parked

ONE = ["chore(lessons): 1 appended from #1"]


class Counting:
    """A distiller that every call costs something."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, settings: Settings, repository: int) -> Distiller:
        return self

    def distill(self, remarks: tuple[Remark, ...], *, limit: int, characters: int) -> Distilled:
        self.calls += 1
        return Distilled((Lesson("Close every database session in a `finally` block."),))


@pytest.fixture
def estate(playing: Stage) -> Estate:
    return make_estate(playing)


def test_what_was_distilled_is_written_later_without_a_second_call(tmp_path: Path) -> None:
    counting = Counting()
    with stage(tmp_path, Clock(START - datetime.now(UTC)), using=counting) as playing:
        estate = make_estate(playing)
        playing.github.git.busy = 3
        estate.review()
        playing.settle()
        while playing.github.git.busy or not estate.subjects():
            playing.clock.move(timedelta(minutes=10))
            estate.settle()
        assert counting.calls == 1
        assert estate.subjects() == ONE
        playing.github.assert_no_surprises()


def test_a_delivery_that_is_played_again_after_its_guid_was_forgotten_writes_nothing(
    playing: Stage, estate: Estate
) -> None:
    pull = estate.shop.open_pull_request("ben", {"src/db.py": "a = 2\n"})
    pull.review("ada", "changes_requested", "", [Inline("src/db.py", "Never call `eval()`.", 1)])
    recorded = playing.forge.take_deliveries()
    playing.send(recorded)
    estate.settle()
    text = estate.file()
    playing.clock.move(timedelta(days=120))
    playing.server.prune()
    guids = {each.guid for each in playing.server.inbox.newest(1000)}
    assert not guids & {each.guid for each in recorded}

    playing.send(recorded)
    estate.settle()

    assert estate.subjects() == ONE
    assert estate.file() == text


def test_a_key_that_is_missing_parks_its_repository_with_the_reason_and_no_other(
    playing: Stage, estate: Estate
) -> None:
    asking = make_estate(playing, settings="commit_every: 0\ndistiller: claude\n")
    asking.review()
    estate.review()
    playing.post()
    estate.settle()
    assert estate.subjects() == ONE
    assert asking.subjects() == []
    reasons = parked(asking)
    assert reasons
    assert all("ANTHROPIC_API_KEY" in str(reason) for reason in reasons)

    asking.shop.commit("ada", {".github/lessonkeeper.yml": "commit_every: 0\n"})
    asking.settle()
    assert asking.subjects() == ONE


@pytest.mark.parametrize("deleted", [False, True], ids=["there", "deleted"])
def test_a_review_of_a_fork_is_kept_in_the_repository_that_it_is_proposed_to(
    playing: Stage, estate: Estate, deleted: bool
) -> None:
    pull = estate.shop.open_pull_request("guest", {"src/db.py": "a = 3\n"}, fork=True)
    if deleted:
        pull.fork = 0
    text = "Close the database session of `src/db.py` in a `finally` block, on every path."
    pull.review("ada", "changes_requested", "", [Inline("src/db.py", text, 1)])
    estate.settle()

    assert estate.subjects() == ONE
    assert "`finally`" in estate.file()


def test_a_redelivery_of_what_was_done_is_no_second_run(playing: Stage, estate: Estate) -> None:
    estate.review()
    waiting = playing.forge.take_deliveries()
    playing.send(waiting)
    estate.settle()
    hears = playing.server.inbox.counts()[Status.DONE]
    playing.send(waiting)
    estate.settle()
    assert playing.server.inbox.counts()[Status.DONE] == hears
    assert estate.subjects() == ONE
