"""The receiver in front of a server: it dies and is replaced, leaves with its server, hands over
what is not a delivery, and bears strangers."""

from __future__ import annotations

import http.client
import json
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from bot.inbox import Status
from bot.letterbox import LETTERBOX
from tests.queues import PATIENCE, wait_until
from tests.webhooks.conftest import NEW, Receiving, fresh_guid, push, read
from webhooks.connections import CONNECTIONS, HEAD_LIMIT
from webhooks.signature import sign


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiving]:
    data = tmp_path_factory.mktemp("behind")
    receiving = Receiving(f"sqlite:///{data / 'bot.sqlite'}", data, behind=True)
    receiving.start()
    yield receiving
    receiving.kill()


def connected(server: Receiving) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)


def posted(guid: str, body: bytes = push(), *more: str) -> bytes:
    head = [
        "POST /webhooks/github HTTP/1.1",
        "Host: x",
        "X-GitHub-Event: push",
        f"X-GitHub-Delivery: {guid}",
        f"X-Hub-Signature-256: {sign(body, NEW)}",
        f"Content-Length: {len(body)}",
        *more,
    ]
    return "\r\n".join([*head, "", ""]).encode() + body


def everything(connection: socket.socket) -> bytes:
    """Until the other side closes."""
    found = b""
    while data := connection.recv(65536):
        found += data
    return found


def test_a_receiver_that_dies_is_replaced_and_nothing_is_lost(server: Receiving) -> None:
    guids = [fresh_guid() for _ in range(3)]
    for guid in guids:
        receiver = server.receiver()
        assert server.send(push(), guid=guid).status == 202
        receiver.kill()
        receiver.wait(PATIENCE)
    assert server.send(push()).status == 202
    assert [state(server, guid) for guid in guids] != [None] * 3
    wait_until(lambda: all(state(server, guid) is Status.DONE for guid in guids))
    assert server.running()


def test_what_is_sent_while_there_is_none_waits_for_the_next(server: Receiving) -> None:
    receiver = server.receiver()
    with connected(server) as connection:
        receiver.kill()
        connection.sendall(b"GET /peer HTTP/1.1\r\nHost: x\r\n\r\n")
    assert server.send(push()).status == 202


def test_it_ends_with_its_server_and_the_letters_are_taken_by_the_next_one(
    server: Receiving,
) -> None:
    receiver, guid = server.receiver(), fresh_guid()
    server.stand_still()  # it takes nothing from the letterbox any more
    assert server.send(push(), guid=guid).json == {"outcome": "stored"}
    assert server.letters() == [guid]
    server.kill()
    receiver.wait(PATIENCE)
    server.start()
    wait_until(lambda: state(server, guid) is Status.DONE)


def test_letters_are_taken_by_a_server_that_has_no_receiver(tmp_path: Path) -> None:
    receiving = Receiving(f"sqlite:///{tmp_path / 'bot.sqlite'}", tmp_path / "data", behind=True)
    receiving.start()
    receiving.stand_still()
    assert receiving.send(push(), guid="left").status == 202
    receiving.kill()
    receiving.behind = False
    receiving.start()
    wait_until(lambda: state(receiving, "left") is Status.DONE)
    assert receiving.letters() == []
    receiving.kill()


def test_a_connection_may_ask_for_deliveries_and_pages_in_turn(server: Receiving) -> None:
    """As proxies reuse theirs."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.connect()
    assert connection.sock is not None
    ours = connection.sock.getsockname()
    for guid in (fresh_guid(), fresh_guid()):
        body = push()
        headers = {
            "X-GitHub-Event": "push",
            "X-GitHub-Delivery": guid,
            "X-Hub-Signature-256": sign(body, NEW),
        }
        connection.request("POST", "/webhooks/github", body, headers)
        assert read(connection).status == 202
        connection.request("GET", "/peer")
        assert read(connection).text == "127.0.0.1 GET"
    assert connection.sock.getsockname() == ours  # it was one connection
    connection.close()


def test_a_body_that_follows_its_head_slowly_reaches_the_web_server(server: Receiving) -> None:
    with connected(server) as connection:
        for byte in b"PUT /webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}":
            connection.sendall(bytes([byte]))
        assert connection.recv(1000).startswith(b"HTTP/1.1 405 ")


def test_a_delivery_may_come_byte_by_byte(server: Receiving) -> None:
    guid = fresh_guid()
    with connected(server) as connection:
        for byte in posted(guid):
            connection.sendall(bytes([byte]))
        assert connection.recv(1000).startswith(b"HTTP/1.1 202 ")
    assert server.entry(guid) is not None


def test_a_half_closed_connection_gets_its_answer_and_is_closed(server: Receiving) -> None:
    with connected(server) as connection:
        connection.sendall(posted(fresh_guid()))
        connection.shutdown(socket.SHUT_WR)
        assert everything(connection).startswith(b"HTTP/1.1 202 ")


def test_half_a_delivery_is_none(server: Receiving) -> None:
    guid = fresh_guid()
    with connected(server) as connection:
        connection.sendall(posted(guid)[:-1])
        connection.shutdown(socket.SHUT_WR)
        assert everything(connection) == b""
    assert server.entry(guid) is None


def test_who_asks_whether_to_continue_is_told(server: Receiving) -> None:
    whole = posted(fresh_guid(), push(), "Expect: 100-continue")
    head, body = whole[: -len(push())], whole[-len(push()) :]
    with connected(server) as connection:
        connection.sendall(head)
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert connection.recv(1000).startswith(b"HTTP/1.1 202 ")


def test_of_deliveries_sent_without_waiting_the_first_is_taken(server: Receiving) -> None:
    first, second = fresh_guid(), fresh_guid()
    with connected(server) as connection:
        connection.sendall(posted(first) + posted(second))
        answers = everything(connection)
    assert answers.count(b"HTTP/1.1 202 ") == 1
    assert b"Connection: close" in answers
    assert server.entry(first) is not None
    assert server.entry(second) is None


def test_an_empty_line_before_a_request_is_none(server: Receiving) -> None:
    """RFC 9112, 2.2: some clients end a body with one."""
    with connected(server) as connection:
        connection.sendall(b"\r\n")
        connection.sendall(posted(fresh_guid()))
        assert connection.recv(1000).startswith(b"HTTP/1.1 202 ")


def test_what_follows_a_delivery_and_is_no_http_changes_nothing(server: Receiving) -> None:
    with connected(server) as connection:
        connection.sendall(posted(fresh_guid()) + b"\0\0\0")
        assert everything(connection).count(b"HTTP/1.1 ") == 1


def test_without_a_letterbox_there_is_no_receiver(tmp_path: Path) -> None:
    """It does not take deliveries that it could never acknowledge."""
    receiving = Receiving(f"sqlite:///{tmp_path / 'bot.sqlite'}", tmp_path / "data", behind=True)
    receiving.start()
    receiver = receiving.receiver()
    assert receiving.send(push()).status == 202
    database = tmp_path / "data" / LETTERBOX
    kept = database.read_bytes()
    for each in (tmp_path / "data").glob(f"{LETTERBOX}*"):
        each.write_bytes(b"no database" * 1000)
    receiver.kill()
    wait_until(lambda: receiving.receiver().pid != receiver.pid)
    with connected(receiving) as connection:
        database.write_bytes(kept)
        for name in ("-wal", "-shm"):
            database.with_name(database.name + name).unlink(missing_ok=True)
        connection.sendall(posted(fresh_guid()))
        assert connection.recv(1000).startswith(b"HTTP/1.1 202 ")
    receiving.kill()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"no HTTP at all\r\n\r\n", b"400"),
        (b"GET /peer HTTP/1.1\r\nHost: x\r\nUpgrade: y\r\nConnection: upgrade\r\n\r\n", b"200"),
        (b"POST /webhooks/github HTTP/1.1\r\nX: " + b"x" * (HEAD_LIMIT + 1), b"431"),
        (b"POST /webhooks/github HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"400"),
    ],
)  # fmt: skip
def test_what_no_client_should_send_is_answered(
    server: Receiving, sent: bytes, status: bytes
) -> None:
    with connected(server) as connection:
        connection.sendall(sent)
        assert connection.recv(1000).split(b" ")[1] == status


def test_strangers_that_only_connect_keep_nobody_out(server: Receiving) -> None:
    with ExitStack() as stack:
        for _ in range(CONNECTIONS + 5):
            stack.enter_context(connected(server))
        assert server.send(push()).status == 202


def test_what_cannot_be_stored_is_refused_so_that_it_is_sent_again(server: Receiving) -> None:
    receiver, guid = server.receiver(), fresh_guid()
    assert server.send(push()).status == 202
    _, most = resource.prlimit(receiver.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    try:
        answer = server.send(push(), guid=guid)
    finally:
        resource.prlimit(receiver.pid, resource.RLIMIT_FSIZE, (most, most))
    assert answer.status == 503
    assert answer.json == {"error": "The delivery could not be stored. Deliver it again."}
    assert server.entry(guid) is None
    assert server.send(push(), guid=guid).status == 202


def test_a_receiver_is_small() -> None:
    """Its memory is added to that of the server: no framework, no database layer, no server."""
    script = "import json, sys, webhooks.receiver; print(json.dumps([*sys.modules]))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert loaded.isdisjoint({"flask", "werkzeug", "waitress", "sqlalchemy", "github", "requests"})


def state(server: Receiving, guid: str) -> Status | None:
    entry = server.entry(guid)
    return None if entry is None else entry.status
