"""The queue: each job once, at once, in a thread that ends with it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bot.errors import Fault
from bot.jobs import Job, Kind, Threads
from bot.niceness import NICENESS
from tests.queues import PATIENCE, wait_until


def job(number: int, kind: Kind = Kind.WRITE) -> Job:
    return Job(kind, "11", number, f"d-{number}")


@pytest.mark.parametrize("kind", Kind)
def test_what_is_given_begins_at_once_and_leaves_no_thread(kind: Kind) -> None:
    ran: list[str] = []
    all_there = threading.Barrier(4)

    def run(each: Job) -> None:
        all_there.wait(PATIENCE)
        ran.append(each.id)

    queue = Threads()
    queue.start(run)
    before = threading.active_count()
    for number in range(1, 5):
        queue.enqueue(job(number, kind))
    queue.stop(PATIENCE)
    assert sorted(ran) == ["d-1/1", "d-2/1", "d-3/1", "d-4/1"]
    wait_until(lambda: threading.active_count() == before)


def test_work_that_raises_ends_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    def run(each: Job) -> None:
        raise Fault("the database is away")

    queue = Threads()
    queue.start(run)
    queue.enqueue(job(1))
    queue.stop(PATIENCE)
    assert "what d-1/1 came to could not be recorded" in caplog.text


def test_a_kernel_without_threads_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    queue = Threads()
    with pytest.raises(Fault, match="d-1/1 could not be begun"):
        queue.enqueue(job(1))
    queue.stop(PATIENCE)


ENDLESS = """
import threading
from bot.jobs import Job, Kind, Threads
begun = threading.Event()
queue = Threads()
queue.start(lambda job: (begun.set(), threading.Event().wait()))
queue.enqueue(Job(Kind.WRITE, "11", 1, "d-1"))
begun.wait()
queue.stop(grace=0)
"""


def test_work_without_end_does_not_keep_the_process_from_ending() -> None:
    root = Path(__file__).parents[1]
    subprocess.run([sys.executable, "-c", ENDLESS], check=True, timeout=PATIENCE, cwd=root)


@pytest.mark.skipif(sys.platform != "linux", reason="threads share a niceness")
def test_jobs_and_what_they_run_give_way_to_who_asks() -> None:
    found: list[int] = []

    def run(each: Job) -> None:
        script = "import os; print(os.nice(0))"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
        found.extend([os.nice(0), int(done.stdout)])

    queue, ours = Threads(), os.nice(0)
    queue.start(run)
    queue.enqueue(job(1))
    queue.stop(PATIENCE)
    assert found == [max(ours, NICENESS)] * 2
    assert os.nice(0) == ours
