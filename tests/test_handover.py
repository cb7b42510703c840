"""The handover: work exists until it has ended, and each way of ending is told apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import Fault, UserError
from bot.handover import ATTEMPTS, LONGEST_PAUSE, NAMELESS, POLL, Handover, pause
from bot.inbox import Status, inbox
from bot.jobs import DEATHS, Job, Kind
from bot.metrics import Metrics
from bot.writes import writes
from tests.queues import InlineQueue
from tests.stores import NOW, Stores, delivery, stores

SECOND = timedelta(seconds=1)


class Scene:
    """A handover on a clock that a test moves, with work that does what the test says."""

    def __init__(self, kept: Stores) -> None:
        self.inbox, self.writes, self.bell = kept.inbox, kept.writes, kept.bell
        self.engine = kept.engine
        self.metrics = Metrics()
        self.now = NOW
        self.ran: list[tuple[Kind, str]] = []
        self.do: Callable[[], None] = lambda: None
        self.handover = self.new_life()

    def new_life(self) -> Handover:
        """Of the same process: what ran in the one before is nowhere but in the ledgers."""
        self.queue = InlineQueue()
        self.handover = Handover(
            "here",
            {Kind.HEAR: self.inbox, Kind.WRITE: self.writes},
            self.queue,
            {Kind.HEAR: self.run, Kind.WRITE: self.run},
            self.metrics,
            self.bell,
            now=lambda: self.now,
        )
        self.queue.start(self.handover.work)
        return self.handover

    def leave_no_names(self) -> None:
        with self.engine.begin() as connection:
            for ledger in (inbox, writes):
                connection.execute(ledger.update().values(executor=None))

    def run(self, kind: Kind, key: str, number: int) -> None:
        self.ran.append((kind, key))
        self.do()

    def turn(self, now: datetime | None = None) -> timedelta:
        self.now = now or self.now
        wait = self.handover.sweep(self.now)
        self.queue.drain()
        return wait

    def status(self, guid: str) -> tuple[Status, int, str | None]:
        entry = self.inbox.find(guid)
        assert entry is not None
        return entry.status, entry.attempt, entry.reason

    def faults(self, kind: Kind, outcome: str) -> float | None:
        return self.metrics.registry.get_sample_value(
            "lessonkeeper_faults_total", {"kind": kind, "outcome": outcome}
        )


@pytest.fixture
def scene(sqlite_url: str) -> Iterator[Scene]:
    with stores(sqlite_url) as kept:
        yield Scene(kept)


def breaks(error: Exception) -> Callable[[], None]:
    def work() -> None:
        raise error

    return work


def test_stored_work_is_done(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    scene.writes.request(11, NOW)
    scene.turn()
    assert scene.ran == [(Kind.HEAR, "11"), (Kind.WRITE, "11")]
    assert scene.status("d-1") == (Status.DONE, 1, None)


def test_the_pump_sleeps_until_the_next_work_is_due(scene: Scene) -> None:
    assert scene.turn() == POLL
    scene.inbox.store(delivery("d-1", at=NOW + 0.3 * SECOND))
    assert scene.turn() == 0.3 * SECOND


def test_a_fault_is_tried_again_after_a_pause(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    scene.do = breaks(Fault("GitHub answered 502"))
    scene.turn()
    assert scene.status("d-1") == (Status.RECEIVED, 2, "GitHub answered 502")
    scene.do = lambda: None
    scene.turn()
    assert len(scene.ran) == 1
    scene.turn(NOW + LONGEST_PAUSE)
    assert scene.status("d-1") == (Status.DONE, 2, None)
    assert scene.faults(Kind.HEAR, "retried") == 1


def test_a_pause_that_was_asked_for_is_kept(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    scene.do = breaks(Fault("secondary rate limit", retry_after=30))
    scene.turn()
    scene.turn(NOW + 29 * SECOND)
    assert len(scene.ran) == 1
    scene.turn(NOW + 33 * SECOND)
    assert len(scene.ran) == 2


def test_the_queue_is_given_no_more_than_it_can_do_at_once(scene: Scene) -> None:
    class NarrowQueue(InlineQueue):
        def capacity(self, kind: Kind) -> int:
            return 2

    queue = NarrowQueue()
    handlers = {Kind.HEAR: scene.run}
    handover = Handover(
        "here", {Kind.HEAR: scene.inbox}, queue, handlers, scene.metrics, scene.bell
    )
    queue.start(handover.work)
    for guid in ("d-1", "d-2", "d-3"):
        scene.inbox.store(delivery(guid))
    handover.sweep(NOW)
    handover.sweep(NOW)
    assert scene.inbox.counts()[Status.HANDED] == 2
    scene.bell.clear()
    assert queue.drain() == 2
    assert scene.bell.is_set()
    handover.sweep(NOW)
    assert queue.drain() == 1


def test_a_delivery_that_waits_holds_nothing_else_back(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    scene.do = breaks(Fault("the model is down"))
    scene.turn()
    scene.do = lambda: None
    scene.inbox.store(delivery("d-2"))
    scene.turn()
    assert scene.status("d-2")[0] is Status.DONE


def test_tries_are_bounded_and_the_last_one_raises_an_alarm(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    scene.do = breaks(Fault("gone"))
    for n in range(ATTEMPTS + 3):
        scene.turn(NOW + n * 2 * LONGEST_PAUSE)
    assert len(scene.ran) == ATTEMPTS
    assert scene.status("d-1") == (Status.FAILED, ATTEMPTS, "gone")
    assert scene.faults(Kind.HEAR, "failed") == 1


def test_what_a_process_dies_of_is_tried_at_once_then_later_and_at_last_given_up(
    scene: Scene,
) -> None:
    scene.inbox.store(delivery("d-1"))
    tried = []
    while scene.status("d-1")[0] is not Status.FAILED:
        due = scene.inbox.next_due()
        assert due is not None
        tried.append(due - scene.now)
        scene.now = due
        scene.handover.sweep(scene.now)
        scene.new_life().take_over("here")
    assert len(tried) == ATTEMPTS * DEATHS
    assert [bool(pause) for pause in tried[1:]] == ([False, False, False, True] * ATTEMPTS)[:-1]
    reason = "the process that worked on it died"
    assert scene.status("d-1") == (Status.FAILED, ATTEMPTS * DEATHS, reason)


def test_deaths_beside_a_job_do_not_make_its_next_fault_wait_long(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    for _ in range(2 * DEATHS):
        scene.now += LONGEST_PAUSE
        scene.handover.sweep(scene.now)
        scene.new_life().take_over("here")
    scene.do = breaks(Fault("GitHub answered 502"))
    scene.turn(scene.now + LONGEST_PAUSE)
    due = scene.inbox.next_due()
    assert due is not None
    assert due - scene.now <= pause(3, None, jitter=0)


def test_a_write_that_a_death_ended_is_the_only_one_of_its_repository(scene: Scene) -> None:
    scene.writes.request(11, NOW)
    scene.handover.sweep(NOW)
    scene.writes.request(11, NOW)
    scene.handover.sweep(NOW)
    scene.new_life().take_over("here")
    scene.turn()
    assert scene.ran == [(Kind.WRITE, "11")]
    assert not scene.writes.running()


def test_a_fault_that_no_retry_can_help_fails_at_once(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    scene.do = breaks(Fault("the key is wrong", retry=False))
    scene.turn()
    assert scene.status("d-1") == (Status.FAILED, 1, "the key is wrong")


def test_what_a_person_can_mend_is_parked_with_its_reason(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    scene.do = breaks(UserError("No key for the model.", remedy="Set ANTHROPIC_API_KEY."))
    scene.turn()
    scene.turn(NOW + LONGEST_PAUSE)
    reason = "No key for the model. Set ANTHROPIC_API_KEY."
    assert scene.status("d-1") == (Status.PARKED, 1, reason)
    assert len(scene.ran) == 1


def test_an_error_nobody_foresaw_is_a_fault_without_its_text(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    scene.inbox.store(delivery("d-1"))
    scene.do = breaks(KeyError("whatever stood there"))
    scene.turn()
    assert scene.status("d-1") == (Status.RECEIVED, 2, "unexpected KeyError")
    assert "d-1/1 broke" in caplog.text


def test_a_write_that_broke_comes_again_without_a_new_request(scene: Scene) -> None:
    scene.writes.request(11, NOW)
    scene.do = breaks(Fault("the push timed out"))
    scene.turn()
    scene.do = lambda: None
    scene.turn(NOW + LONGEST_PAUSE)
    assert scene.ran == [(Kind.WRITE, "11")] * 2
    assert scene.writes.reasons() == {}


def test_what_could_not_be_recorded_is_tried_anew(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    scene.inbox.claim("here", NOW, 10)  # it ran, and the database was away when it ended
    scene.handover.rescue(NOW)
    assert scene.status("d-1") == (Status.RECEIVED, 2, "the work ended without an answer")


def test_what_runs_is_left_alone_here_and_in_every_process_that_lives(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    scene.handover.sweep(NOW)
    scene.inbox.store(delivery("d-2"))
    scene.inbox.claim("elsewhere", NOW, 10)
    scene.handover.rescue(NOW + NAMELESS)
    assert scene.inbox.counts()[Status.HANDED] == 2


def test_what_an_earlier_release_had_in_hand_is_taken_over_once_it_is_silent(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    scene.writes.request(11, NOW)
    scene.inbox.claim("here", NOW, 10)
    scene.writes.claim("here", NOW, 10)
    scene.leave_no_names()
    scene.handover.rescue(NOW + NAMELESS - SECOND)
    scene.turn()
    assert scene.ran == []
    scene.handover.rescue(NOW + NAMELESS)
    scene.turn(NOW + NAMELESS)
    assert scene.status("d-1") == (Status.DONE, 2, None)
    assert scene.ran == [(Kind.HEAR, "11"), (Kind.WRITE, "11")]


def test_work_that_cannot_be_begun_is_tried_anew(scene: Scene) -> None:
    class Full(InlineQueue):
        def enqueue(self, job: Job) -> None:
            raise Fault("no more threads")

    scene.inbox.store(delivery("d-1"))
    handover = Handover("here", {Kind.HEAR: scene.inbox}, Full(), {}, scene.metrics, scene.bell)
    with pytest.raises(Fault, match="no more threads"):
        handover.sweep(NOW)
    handover.rescue(NOW)
    assert scene.status("d-1")[0] is Status.RECEIVED


@given(
    attempt=st.integers(1, 1000),
    retry_after=st.none() | st.floats(0, 10**6),
    jitter=st.floats(0, 1),
)
def test_no_pause_is_shorter_than_asked_for_or_longer_than_it_must_be(
    attempt: int, retry_after: float | None, jitter: float
) -> None:
    waited = pause(attempt, retry_after, jitter)
    asked = timedelta(seconds=retry_after or 0)
    assert asked <= waited <= max(LONGEST_PAUSE, asked * 1.2)
    assert pause(attempt + 1, retry_after, jitter) >= waited


def test_the_pauses_outlast_an_outage_of_a_day() -> None:
    shortest = sum((pause(n, None, jitter=1) for n in range(1, ATTEMPTS)), timedelta(0))
    assert shortest > timedelta(days=1)
