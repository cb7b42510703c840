"""The real queue: one job per id, writes of a repository one by one, the rest at once."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from bot.errors import UserError
from bot.jobs import RECOVERIES, DbosQueue, InlineQueue, Job, Kind, Queue, State, queue_url

PATIENCE = 20.0


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.005)


@contextmanager
def started(url: str, run: Callable[[Job], None]) -> Iterator[Queue]:
    queue = DbosQueue(url, "test-1")
    queue.start(run)
    try:
        yield queue
    finally:
        queue.stop(grace=0)


def job(number: int, kind: Kind = Kind.WRITE, key: str = "11", attempt: int = 1) -> Job:
    return Job(kind, key, number, f"d-{number}", attempt)


@pytest.fixture
def data(sqlite_url: str) -> str:
    Path(sqlite_url.removeprefix("sqlite:///")).parent.mkdir()
    return sqlite_url


def test_an_id_runs_once_and_a_new_attempt_again(data: str) -> None:
    ran: list[str] = []
    with started(data, lambda job: ran.append(job.id)) as queue:
        for _ in range(3):
            queue.enqueue(job(1))
        wait_until(lambda: queue.state(job(1)) is State.ENDED)
        queue.enqueue(job(1))
        queue.enqueue(job(1, attempt=2))
        wait_until(lambda: queue.state(job(1, attempt=2)) is State.ENDED)
        assert queue.state(job(2)) is State.ABSENT
    assert ran == ["d-1/1", "d-1/2"]


def test_writes_of_a_repository_run_one_by_one_in_order_and_others_beside_them(
    data: str,
) -> None:
    ran: list[tuple[str, int]] = []
    running: list[str] = []
    together: list[set[str]] = []
    lock = threading.Lock()
    two_at_once = threading.Barrier(2)

    def run(job: Job) -> None:
        with lock:
            assert job.key not in running
            running.append(job.key)
            together.append(set(running))
            ran.append((job.key, job.number))
        if job.number in (10, 11):  # the first of each repository meet, or time out
            two_at_once.wait(PATIENCE)
        with lock:
            running.remove(job.key)

    with started(data, run) as queue:
        numbers = range(10, 16)  # ids sort otherwise than numbers do: d-9 comes after d-10
        for number in numbers:
            queue.enqueue(job(number, key="11" if number % 2 else "12"))
        wait_until(lambda: all(queue.state(job(n)) is State.ENDED for n in numbers))
    assert [number for key, number in ran if key == "11"] == [11, 13, 15]
    assert [number for key, number in ran if key == "12"] == [10, 12, 14]
    assert {"11", "12"} in together


def test_hearing_runs_side_by_side_even_for_one_repository(data: str) -> None:
    all_there = threading.Barrier(4)

    def run(job: Job) -> None:
        all_there.wait(PATIENCE)

    with started(data, run) as queue:
        jobs = [job(number, Kind.HEAR) for number in range(1, 5)]
        for each in jobs:
            queue.enqueue(each)
        wait_until(lambda: all(queue.state(each) is State.ENDED for each in jobs))
    assert not all_there.broken


def test_a_forgotten_job_leaves_nothing_and_a_waiting_one_is_not_forgotten(data: str) -> None:
    go_on = threading.Event()

    def run(job: Job) -> None:
        if job.number == 2:
            go_on.wait(PATIENCE)

    with started(data, run) as queue:
        queue.enqueue(job(1, key="11"))
        queue.enqueue(job(2, key="12"))
        wait_until(lambda: queue.state(job(1)) is State.ENDED)
        queue.collect(datetime.now(UTC) - timedelta(days=1))
        assert queue.state(job(1)) is State.ENDED
        queue.collect(datetime.now(UTC) + timedelta(days=1))
        assert queue.state(job(1)) is State.ABSENT
        assert queue.state(job(2)) is State.WAITING
        go_on.set()
        wait_until(lambda: queue.state(job(2)) is State.ENDED)


def test_nothing_in_the_queue_is_a_pickle(data: str) -> None:
    with started(data, lambda job: None) as queue:
        queue.enqueue(job(1))
        wait_until(lambda: queue.state(job(1)) is State.ENDED)
    with closing(sqlite3.connect(str(queue_url(data).database))) as connection:
        kinds = connection.execute("SELECT DISTINCT serialization FROM workflow_status").fetchall()
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    assert kinds == [("portable_json",)]
    assert mode == "wal"


def test_a_queue_that_holds_a_pickle_is_not_opened(data: str) -> None:
    with started(data, lambda job: None) as queue:
        queue.enqueue(job(1))
        wait_until(lambda: queue.state(job(1)) is State.ENDED)
    with closing(sqlite3.connect(str(queue_url(data).database))) as connection:
        connection.execute("UPDATE workflow_status SET serialization = 'py_pickle'")
        connection.commit()
    with pytest.raises(UserError, match="pickled rows"):
        DbosQueue(data, "test-1").start(lambda job: None)


def test_work_that_raises_ends_all_the_same(data: str) -> None:
    def run(job: Job) -> None:
        raise RuntimeError("the handover broke")

    with started(data, run) as queue:
        queue.enqueue(job(1))
        wait_until(lambda: queue.state(job(1)) is State.ENDED)


KILLED_BY_ITS_WORK = """
import os, sys, threading
from bot.jobs import RECOVERIES, DbosQueue, Job, Kind
queue = DbosQueue(sys.argv[1], "test-1")
queue.start(lambda job: os._exit(9))
queue.enqueue(Job(Kind.WRITE, "11", 1, "d-1"))
threading.Event().wait(20)
"""


def test_work_that_kills_its_process_is_given_up_and_the_process_lives(data: str) -> None:
    for _ in range(1 + RECOVERIES):  # each start recovers it, and may die in the self-test
        killed = subprocess.run(
            [sys.executable, "-c", KILLED_BY_ITS_WORK, data], check=False, timeout=60
        )
        assert killed.returncode == 9
    ran: list[str] = []
    with started(data, lambda job: ran.append(job.id)) as queue:
        wait_until(lambda: queue.state(job(1)) is State.KILLED)
        queue.enqueue(job(2))
        wait_until(lambda: queue.state(job(2)) is State.ENDED)
    assert ran == ["d-2/1"]


def test_what_waits_when_a_process_stops_runs_in_the_next(database_url: str) -> None:
    if database_url.startswith("sqlite"):
        Path(database_url.removeprefix("sqlite:///")).parent.mkdir()
    ran: list[str] = []
    went_on = threading.Event()

    def hold(job: Job) -> None:
        went_on.wait(PATIENCE)

    with started(database_url, hold) as queue:
        queue.enqueue(job(1))
        wait_until(lambda: queue.state(job(1)) is State.WAITING)
        queue.enqueue(job(2))
        went_on.set()
    with started(database_url, lambda job: ran.append(job.id)) as queue:
        wait_until(lambda: queue.state(job(2)) is State.ENDED)
    assert ran[-1] == "d-2/1"


def test_on_postgresql_the_queue_has_a_schema_of_its_own(postgres_url: str) -> None:
    with started(postgres_url, lambda job: None) as queue:
        queue.enqueue(job(1))
        wait_until(lambda: queue.state(job(1)) is State.ENDED)
    engine = create_engine(queue_url(postgres_url))
    with engine.connect() as connection:
        tables = connection.execute(
            text("SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'")
        ).scalar()
    engine.dispose()
    assert tables == 0


def test_the_inline_queue_keeps_the_same_promises() -> None:
    ran: list[str] = []
    queue = InlineQueue()
    queue.start(lambda job: ran.append(job.id))
    for _ in range(2):
        queue.enqueue(job(1))
    assert queue.state(job(1)) is State.WAITING
    assert queue.drain() == 1
    assert queue.state(job(1)) is State.ENDED
    queue.enqueue(job(1))
    assert queue.drain() == 0
    queue.collect(datetime.now(UTC))
    assert queue.state(job(1)) is State.ABSENT
    assert ran == ["d-1/1"]
