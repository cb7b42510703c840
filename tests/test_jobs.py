"""The real queue: one job per id, begun at once, and forgotten when it ended."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from bot.jobs import DbosQueue, InlineQueue, Job, Kind, Queue, State
from tests.queues import PATIENCE, wait_until

_tests = count(1)


class Scene:
    """The one queue of this module; each test has its own jobs, and says what running them does."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.test = 0
        self.run: Callable[[Job], None] = lambda job: None

    def job(self, number: int, kind: Kind = Kind.WRITE, key: str = "11", attempt: int = 1) -> Job:
        return Job(kind, key, number, f"test-{self.test}-{number}", attempt)

    def wait_for(self, *jobs: Job) -> None:
        wait_until(lambda: all(self.queue.state(job) is State.ENDED for job in jobs))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    queue = DbosQueue(f"sqlite:///{tmp_path_factory.mktemp('queue') / 'bot.sqlite'}", "test-1")
    scene = Scene(queue)
    queue.start(lambda job: scene.run(job))
    yield scene
    queue.stop(grace=0)


@pytest.fixture
def scene(shared: Scene) -> Scene:
    shared.test = next(_tests)
    shared.run = lambda job: None
    return shared


def test_an_id_runs_once_and_a_new_attempt_again(scene: Scene) -> None:
    ran: list[int] = []
    scene.run = lambda job: ran.append(job.attempt)
    first, second = scene.job(1), scene.job(1, attempt=2)
    for _ in range(3):
        scene.queue.enqueue(first)
    scene.wait_for(first)
    scene.queue.enqueue(first)
    scene.queue.enqueue(second)
    scene.wait_for(second)
    assert scene.queue.state(scene.job(2)) is State.ABSENT
    assert ran == [1, 2]


@pytest.mark.parametrize("kind", Kind)
def test_what_is_there_begins_at_once_whatever_else_runs(scene: Scene, kind: Kind) -> None:
    all_there = threading.Barrier(4)

    def run(job: Job) -> None:
        all_there.wait(PATIENCE)

    scene.run = run
    jobs = [scene.job(number, kind) for number in range(1, 5)]
    for job in jobs:
        scene.queue.enqueue(job)
    scene.wait_for(*jobs)
    assert not all_there.broken


def test_an_ended_job_is_forgotten_after_its_time_and_a_waiting_one_never(scene: Scene) -> None:
    go_on = threading.Event()

    def run(job: Job) -> None:
        if job.number == 2:
            go_on.wait(PATIENCE)

    scene.run = run
    ended, waiting = scene.job(1, key="11"), scene.job(2, key="12")
    scene.queue.enqueue(ended)
    scene.queue.enqueue(waiting)
    scene.wait_for(ended)
    scene.queue.collect(datetime.now(UTC) - timedelta(days=1))
    assert scene.queue.state(ended) is State.ENDED
    scene.queue.collect(datetime.now(UTC) + timedelta(days=1))
    assert scene.queue.state(ended) is State.ABSENT
    assert scene.queue.state(waiting) is State.WAITING
    go_on.set()
    scene.wait_for(waiting)


def test_work_that_raises_ends_all_the_same(scene: Scene) -> None:
    def run(job: Job) -> None:
        raise RuntimeError("the handover broke")

    scene.run = run
    scene.queue.enqueue(scene.job(1))
    scene.wait_for(scene.job(1))


JOB = Job(Kind.WRITE, "11", 1, "d-1")


def test_the_inline_queue_keeps_the_same_promises() -> None:
    ran: list[str] = []
    queue = InlineQueue()
    queue.start(lambda job: ran.append(job.id))
    for _ in range(2):
        queue.enqueue(JOB)
    assert queue.state(JOB) is State.WAITING
    assert queue.drain() == 1
    assert queue.state(JOB) is State.ENDED
    queue.enqueue(JOB)
    assert queue.drain() == 0
    queue.collect(datetime.now(UTC))
    assert queue.state(JOB) is State.ABSENT
    assert ran == ["d-1/1"]
