"""Stops and crashes: nothing that was acknowledged is lost, nothing that ended runs again."""

from __future__ import annotations

import socket
import sqlite3
import sys
import threading
from contextlib import closing

import pytest
from flask import Flask
from sqlalchemy import make_url

from bot.errors import UserError
from bot.inbox import Status
from bot.letterbox import LETTERBOX
from tests.queues import PATIENCE, wait_until
from tests.webhooks.conftest import NEW, Receiving, fresh_guid, push
from webhooks.serve import serve
from webhooks.signature import sign


def heard(receiving: Receiving) -> list[str]:
    return [line for line in receiving.effects() if line.startswith("heard")]


def test_killed_right_after_the_2xx_the_work_is_done_once_after_a_restart(
    receiving: Receiving,
) -> None:
    guids = [fresh_guid() for _ in range(5)]
    for guid in guids:
        assert receiving.send(push(), guid=guid).status == 202
    receiving.kill()
    receiving.start()
    for guid in guids:
        assert receiving.send(push(), guid=guid).status == 202
    wait_until(lambda: all(status(receiving, guid) is Status.DONE for guid in guids))
    # A kill between the effect and its record repeats it: hence effects that bear it, and a bound.
    assert set(heard(receiving)) == {f"heard {number(receiving, guid)}" for guid in guids}
    assert len(heard(receiving)) <= 2 * len(guids)


def test_killed_in_the_middle_of_the_work_it_runs_once_more_and_not_after_that(
    receiving: Receiving,
) -> None:
    receiving.hold.touch()
    guid = fresh_guid()
    receiving.send(push(), guid=guid)
    wait_until(lambda: f"begin {number(receiving, guid)}" in receiving.effects())
    receiving.kill()
    receiving.hold.unlink()
    receiving.start()
    wait_until(lambda: "wrote 11" in receiving.effects())
    receiving.kill()
    receiving.start()
    begins = f"begin {number(receiving, guid)}"
    another = fresh_guid()
    receiving.send(push(), guid=another)
    wait_until(lambda: status(receiving, another) is Status.DONE)
    assert receiving.effects().count(begins) == 2
    assert receiving.effects().count(f"heard {number(receiving, guid)}") == 1


def test_sigterm_finishes_the_request_under_way_and_the_work(server: Receiving) -> None:
    body, guid = push(), fresh_guid()
    server.hold.touch()
    server.send(push(), guid="under-way")
    wait_until(lambda: f"begin {number(server, 'under-way')}" in server.effects())
    head = (
        "POST /webhooks/github HTTP/1.1\r\nHost: x\r\nX-GitHub-Event: push\r\n"
        f"X-GitHub-Delivery: {guid}\r\nX-Hub-Signature-256: {sign(body, NEW)}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    database = make_url(server.url).database or ""
    file = str(server.data / LETTERBOX) if server.behind else database
    with (
        closing(sqlite3.connect(file, timeout=PATIENCE)) as other,
        socket.create_connection(("127.0.0.1", server.port)) as connection,
    ):
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")  # so that the delivery cannot be stored yet
        connection.sendall(head.encode() + body)
        if server.behind:  # what came before has been read when this is answered
            assert server.send(push(), secret="a stranger's").status == 401
        else:
            wait_until(lambda: f"receiving {guid}" in server.effects())
        server.terminate()
        other.rollback()
        assert connection.recv(1000).startswith(b"HTTP/1.1 202 ")
        server.hold.unlink()
        assert server.exit_status() == 0
    assert f"heard {number(server, 'under-way')}" in server.effects()
    assert server.effects()[-1] == "stopped"
    server.start()
    wait_until(lambda: status(server, guid) is Status.DONE)


def test_a_port_that_is_taken_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webhooks.serve.PATIENCE", 0.0)
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(UserError, match=r"Cannot listen on 127\.0\.0\.1 port"),
    ):
        serve(Flask("x"), "127.0.0.1", taken.getsockname()[1], on_stop=lambda: None)


def test_a_port_that_is_let_go_in_a_moment_is_waited_for() -> None:
    """The receiver of a server that was killed holds it until it has seen that."""
    taken = socket.create_server(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    threading.Timer(0.1, taken.close).start()
    started: list[int] = []

    def start(port: int) -> None:
        started.append(port)
        sys.exit(0)

    with pytest.raises(SystemExit):
        serve(Flask("x"), "127.0.0.1", port, on_stop=lambda: None, on_start=start)
    assert started == [port]


def test_only_the_main_thread_can_serve() -> None:
    errors: list[str] = []

    def run() -> None:
        try:
            serve(Flask("x"), "127.0.0.1", 0, on_stop=lambda: None)
        except RuntimeError as error:
            errors.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert errors == ["signals reach the main thread only"]


def status(receiving: Receiving, guid: str) -> Status | None:
    entry = receiving.entry(guid)
    return None if entry is None else entry.status


def number(receiving: Receiving, guid: str) -> int | None:
    entry = receiving.entry(guid)
    return None if entry is None else entry.number
