"""The real queue over restarts and crashes, and what it refuses to open."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from bot.errors import UserError
from bot.jobs import RECOVERIES, DbosQueue, Job, Kind, Queue, State, queue_url
from tests.queues import PATIENCE, wait_until


@contextmanager
def started(url: str, run: Callable[[Job], None]) -> Iterator[Queue]:
    queue = DbosQueue(url, "test-1")
    queue.start(run)
    try:
        yield queue
    finally:
        queue.stop(grace=0)


def job(number: int) -> Job:
    return Job(Kind.WRITE, "11", number, f"d-{number}")


@pytest.fixture
def data(sqlite_url: str) -> str:
    Path(make_url(sqlite_url).database or "").parent.mkdir()
    return sqlite_url


def test_nothing_in_the_queue_is_a_pickle_and_a_queue_that_holds_one_is_not_opened(
    data: str,
) -> None:
    with started(data, lambda job: None) as queue:
        queue.enqueue(job(1))
        wait_until(lambda: queue.state(job(1)) is State.ENDED)
    with closing(sqlite3.connect(str(queue_url(data).database))) as connection:
        kinds = connection.execute("SELECT DISTINCT serialization FROM workflow_status").fetchall()
        assert kinds == [("portable_json",)]
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        connection.execute("UPDATE workflow_status SET serialization = 'py_pickle'")
        connection.commit()
    with pytest.raises(UserError, match="pickled rows"):
        DbosQueue(data, "test-1").start(lambda job: None)


def test_what_an_earlier_release_left_in_a_queue_of_dbos_is_handed_over_anew(data: str) -> None:
    with started(data, lambda job: None) as queue:
        queue.enqueue(job(1))
        wait_until(lambda: queue.state(job(1)) is State.ENDED)
        with closing(sqlite3.connect(str(queue_url(data).database))) as connection:
            connection.execute(
                "UPDATE workflow_status SET status = 'ENQUEUED', queue_name = 'write'"
            )
            connection.commit()
        assert queue.state(job(1)) is State.ABSENT


def test_what_is_taken_up_again_is_not_handed_over_as_well(data: str) -> None:
    began, ends = threading.Event(), threading.Event()
    states: list[State] = []

    def hold(job: Job) -> None:
        began.set()
        ends.wait(PATIENCE)

    with started(data, hold) as queue:
        queue.enqueue(job(1))
        began.wait(PATIENCE)
    with started(data, lambda job: None) as queue:

        def has_ended() -> bool:
            states.append(queue.state(job(1)))
            return states[-1] is State.ENDED

        wait_until(has_ended)
    ends.set()
    assert State.ABSENT not in states


def test_what_a_process_began_under_another_version_is_handed_over_anew(
    data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    began = threading.Event()
    ends = threading.Event()

    def hold(job: Job) -> None:
        began.set()
        ends.wait(PATIENCE)

    with started(data, hold) as queue:
        queue.enqueue(job(1))
        began.wait(PATIENCE)
        assert queue.state(job(1)) is State.WAITING
    monkeypatch.setattr("bot.jobs.APPLICATION_VERSION", "another")
    with started(data, lambda job: ran.append(job.id)) as queue:
        assert queue.state(job(1)) is State.ABSENT
        queue.enqueue(replace(job(1), attempt=2))
        wait_until(lambda: bool(ran))
        ends.set()
    assert ran == ["d-1/2"]


KILLED_BY_ITS_WORK = """
import os, sys, threading
from bot.jobs import RECOVERIES, DbosQueue, Job, Kind
queue = DbosQueue(sys.argv[1], "test-1")
queue.start(lambda job: os._exit(9))
queue.enqueue(Job(Kind.WRITE, "11", 1, "d-1"))
threading.Event().wait(20)
"""


def test_work_that_kills_its_process_is_given_up_and_the_process_lives(data: str) -> None:
    for _ in range(1 + RECOVERIES):  # each start recovers it
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


def test_what_runs_when_a_process_stops_runs_again_in_the_next(postgres_url: str) -> None:
    ran: list[str] = []
    begun, go_on = threading.Event(), threading.Event()

    def hold(job: Job) -> None:
        begun.set()
        go_on.wait(PATIENCE)

    with started(postgres_url, hold) as queue:
        queue.enqueue(job(1))
        assert begun.wait(PATIENCE)
    with started(postgres_url, lambda job: ran.append(job.id)) as queue:
        wait_until(lambda: queue.state(job(1)) is State.ENDED)
        go_on.set()
    assert ran == ["d-1/1"]
    engine = create_engine(queue_url(postgres_url))
    with engine.connect() as connection:
        ours = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"
        assert connection.execute(text(ours)).scalar() == 0  # the queue has a schema of its own
    engine.dispose()
