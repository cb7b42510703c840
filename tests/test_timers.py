"""Timers go round until they are stopped, whatever one of their runs comes to."""

from __future__ import annotations

import threading

import pytest

from bot.timers import Timers


def test_a_timer_goes_on_after_a_run_that_failed(caplog: pytest.LogCaptureFixture) -> None:
    runs: list[int] = []
    third = threading.Event()

    def work() -> None:
        runs.append(len(runs))
        if len(runs) == 1:
            raise RuntimeError("the first run fails")
        if len(runs) == 3:
            third.set()

    timers = Timers()
    timers.schedule("sweep", 0.001, work)
    assert third.wait(10)
    timers.stop()
    assert "timer sweep failed" in caplog.text


def test_a_stopped_timer_does_not_run_again() -> None:
    ran = threading.Event()
    timers = Timers()
    timers.schedule("sweep", 3600, ran.set)
    timers.stop()
    assert not ran.is_set()
    assert "timer-sweep" not in {thread.name for thread in threading.enumerate()}
