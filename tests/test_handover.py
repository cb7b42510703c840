"""The handover: work exists until it has ended, and each way of ending is told apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import Fault, UserError
from bot.handover import ATTEMPTS, LONGEST_PAUSE, POLL, STRANDED, Handover, pause
from bot.inbox import Status
from bot.jobs import InlineQueue, Job, Kind, State
from bot.metrics import Metrics
from tests.stores import NOW, Stores, delivery, stores

SECOND = timedelta(seconds=1)


class Scene:
    """A handover on a clock that a test moves, with work that does what the test says."""

    def __init__(self, kept: Stores) -> None:
        self.inbox, self.writes, self.bell = kept.inbox, kept.writes, kept.bell
        self.queue, self.metrics = InlineQueue(), Metrics()
        self.now = NOW
        self.ran: list[tuple[Kind, str]] = []
        self.do: Callable[[], None] = lambda: None
        self.handover = Handover(
            {Kind.HEAR: kept.inbox, Kind.WRITE: kept.writes},
            self.queue,
            {Kind.HEAR: self.run, Kind.WRITE: self.run},
            self.metrics,
            kept.bell,
            now=lambda: self.now,
        )
        self.queue.start(self.handover.work)

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
    handover = Handover({Kind.HEAR: scene.inbox}, queue, handlers, scene.metrics, scene.bell)
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


class Orphans(InlineQueue):
    """A queue in which a dead process had begun all that waits."""

    def abandon(self, executor: str) -> list[Job]:
        return [self._waiting.popleft() for _ in range(len(self._waiting))]


def test_work_whose_process_dies_is_tried_as_often_as_any_other(sqlite_url: str) -> None:
    with stores(sqlite_url) as kept:
        scene, queue = Scene(kept), Orphans()
        handover = Handover(
            {Kind.HEAR: kept.inbox}, queue, {}, scene.metrics, kept.bell, lambda: scene.now
        )
        scene.inbox.store(delivery("d-1"))
        taken_over = 0
        for n in range(ATTEMPTS + 3):
            scene.now = NOW + n * 2 * LONGEST_PAUSE
            handover.sweep(scene.now)
            taken_over += handover.take_over("killed")
        assert taken_over == ATTEMPTS
        reason = "the process that worked on it died"
        assert scene.status("d-1") == (Status.FAILED, ATTEMPTS, reason)


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


def test_handed_work_that_the_queue_lost_is_handed_over_again(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    scene.inbox.claim(NOW, 10)  # and here the process died
    scene.turn()
    assert scene.ran == []
    scene.now = NOW + STRANDED
    scene.handover.rescue(scene.now)
    scene.turn()
    assert scene.status("d-1") == (Status.DONE, 2, None)


def test_work_that_waits_in_the_queue_is_left_alone(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    scene.handover.sweep(NOW)
    scene.now = NOW + STRANDED
    scene.handover.rescue(scene.now)
    assert scene.inbox.stranded(scene.now, 10) == []
    assert scene.queue.drain() == 1


@pytest.mark.parametrize(
    ("state", "status"),
    [
        (State.ENDED, (Status.RECEIVED, 2, "the work ended without an answer")),
        (State.KILLED, (Status.RECEIVED, 2, "its process died of it, or beside it")),
    ],
)
def test_work_that_ended_unrecorded_does_not_wait_for_ever(
    scene: Scene, state: State, status: tuple[Status, int, str]
) -> None:
    class EndedQueue(InlineQueue):
        def state(self, job: Job) -> State:
            return state

    scene.inbox.store(delivery("d-1"))
    scene.inbox.claim(NOW, 10)
    handover = Handover({Kind.HEAR: scene.inbox}, EndedQueue(), {}, scene.metrics, scene.bell)
    handover.rescue(NOW + STRANDED)
    assert scene.status("d-1") == status


def test_a_try_that_the_queue_repeats_after_it_was_recorded_does_nothing(scene: Scene) -> None:
    scene.inbox.store(delivery("d-1"))
    (job,) = scene.inbox.claim(NOW, 10)
    scene.handover.work(job)
    scene.handover.work(job)
    assert len(scene.ran) == 1


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


def test_only_what_runs_is_given_time_at_a_stop(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    grace: list[float] = []
    monkeypatch.setattr(scene.queue, "stop", grace.append)
    scene.handover.stop(20)
    scene.inbox.store(delivery("a"))
    scene.handover.sweep(scene.now)
    scene.handover.stop(20)
    assert grace == [0, 20]
