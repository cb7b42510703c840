"""The receiver over HTTP: every delivery gets the answer that it deserves, and no stack trace."""

from __future__ import annotations

import http.client
import json
import socket
from itertools import repeat

import pytest

from bot.inbox import Status
from tests.queues import wait_until
from tests.webhooks.conftest import NEW, OLD, Receiving, fresh_guid, push, read
from webhooks.deliveries import BODY_LIMIT
from webhooks.signature import sign

MEGABYTE = 1024 * 1024


def test_a_signed_delivery_is_on_disk_when_it_is_acknowledged(server: Receiving) -> None:
    answer = server.send(push(), guid="on-disk")
    assert (answer.status, answer.json) == (202, {"outcome": "stored"})
    entry = server.entry("on-disk")
    assert entry is not None
    assert (entry.event, entry.repository, entry.installation) == ("push", 11, 100)


def test_a_redelivery_is_taken_and_stored_once(server: Receiving) -> None:
    outcomes = [server.send(push(), guid="twice").json["outcome"] for _ in range(2)]
    # A receiver of its own does not ask the inbox.
    assert outcomes == ["stored", "stored" if server.behind else "already handled"]
    wait_until(lambda: state(server, "twice") is Status.DONE)
    entry = server.entry("twice")
    assert entry is not None
    assert server.effects().count(f"heard {entry.number}") == 1


def test_the_signature_is_over_the_raw_bytes(server: Receiving) -> None:
    body = push(compare="caf\u00e9 \U0001f680").replace(b", ", b" ,\t") + b"\n"
    assert rb"\u00e9 \ud83d\ude80" in body
    assert body != json.dumps(json.loads(body)).encode()
    assert server.send(body).json == {"outcome": "stored"}


def test_both_secrets_are_accepted_while_one_replaces_the_other(server: Receiving) -> None:
    assert server.send(push(), secret=OLD).status == 202
    assert server.send(push(), secret="a secret before both").status == 401


@pytest.mark.parametrize(
    "signature",
    [None, "", "sha256=", "sha1=" + "0" * 40, sign(b"another body", NEW), "sha256=" + "0" * 64],
)
def test_what_is_not_signed_is_refused_and_not_stored(
    server: Receiving, signature: str | None
) -> None:
    guid = fresh_guid()
    answer = server.send(push(), guid=guid, headers={"X-Hub-Signature-256": signature})
    assert answer.status == 401
    assert server.entry(guid) is None


def test_two_signatures_are_one_too_many(server: Receiving) -> None:
    body = push()
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        signature = f"X-Hub-Signature-256: {sign(body, NEW)}\r\n"
        head = (
            "POST /webhooks/github HTTP/1.1\r\nHost: x\r\nX-GitHub-Event: push\r\n"
            f"X-GitHub-Delivery: {fresh_guid()}\r\nContent-Length: {len(body)}\r\n"
            f"{signature}{signature}\r\n"
        )
        connection.sendall(head.encode() + body)
        assert connection.recv(1000).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_only_post_is_answered(server: Receiving, method: str) -> None:
    answer = server.send(b"", method=method)
    assert (answer.status, answer.headers["Allow"]) == (405, "POST")
    assert set(answer.json) == {"error"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b'{"action":',
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"id": ' + b"9" * 5000 + b"}",
    ],
)
def test_a_signed_body_that_is_no_json_object_is_refused(server: Receiving, body: bytes) -> None:
    answer = server.send(body)
    assert answer.status == 400
    assert set(answer.json) == {"error"}
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("header", ["X-GitHub-Delivery", "X-GitHub-Event"])
def test_a_delivery_without_its_headers_is_refused(server: Receiving, header: str) -> None:
    answer = server.send(push(), headers={header: None})
    assert (answer.status, answer.json) == (400, {"error": f"{header} is missing"})


@pytest.mark.parametrize("guid", ["x" * 101, "d 1", "d;1", "\u00e9"])
def test_a_delivery_id_that_is_none_is_refused(server: Receiving, guid: str) -> None:
    assert server.send(push(), guid=guid).status == 400


def test_a_form_encoded_delivery_is_told_what_to_change(server: Receiving) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = server.send(b"payload=%7B%7D", headers=form)
    assert answer.status == 415
    assert "set the content type of the webhook to application/json" in answer.json["error"]


@pytest.mark.parametrize(
    ("event", "body"),
    [
        ("ping", b'{"zen": "Keep it logically awesome.", "hook_id": 1}'),
        ("deployment_protection_rule", b"{}"),
        ("merge_group", b'{"action": "checks_requested"}'),
        ("an event of the future", b"{}"),
        ("issue_comment", b'{"action": "edited"}'),
        ("push", push(ref="refs/tags/v1")),
    ],
)
def test_what_nothing_acts_on_is_acknowledged_and_not_stored(
    server: Receiving, event: str, body: bytes
) -> None:
    guid = fresh_guid()
    answer = server.send(body, event=event, guid=guid)
    assert answer.status == 202
    assert answer.json["outcome"].startswith("ignored: ")
    assert server.entry(guid) is None


def test_an_event_that_no_channel_handles_is_acknowledged_and_not_kept(
    server: Receiving,
) -> None:
    payload = json.loads(push()) | {"action": "closed", "issue": {"number": 7}}
    answer = server.send(json.dumps(payload).encode(), event="issues", guid="unhandled")
    # What the channels want is not a receiver's to know: here it goes from the letterbox.
    unwanted = "ignored: no channel handles this event"
    assert answer.json == {"outcome": "stored" if server.behind else unwanted}
    assert server.entry("unhandled") is None
    wait_until(lambda: 'deliveries_total{event="issues",outcome="ignored"} ' in metrics(server))


def test_a_signed_delivery_of_odd_shape_is_acknowledged_and_counted(server: Receiving) -> None:
    answer = server.send(push(repository=None), guid="odd")
    assert answer.status == 202
    assert answer.json["outcome"] == "malformed: ignored, repository is not an object"
    assert server.entry("odd") is None
    wait_until(lambda: 'deliveries_total{event="push",outcome="malformed"} ' in metrics(server))


@pytest.mark.parametrize(
    ("kind", "target", "stored"),
    [
        ("integration", "4242", True),
        (None, None, True),
        ("integration", "17", False),
        ("repository", "11", False),
        ("organization", "3", False),
    ],
)
def test_only_deliveries_for_our_app_are_stored(
    server: Receiving, kind: str | None, target: str | None, stored: bool
) -> None:
    guid = fresh_guid()
    answer = server.send(
        push(),
        guid=guid,
        headers={
            "X-GitHub-Hook-Installation-Target-Type": kind,
            "X-GitHub-Hook-Installation-Target-ID": target,
        },
    )
    assert answer.status == 202
    assert (server.entry(guid) is not None) is stored


def test_a_push_of_six_megabytes_is_taken(server: Receiving) -> None:
    body = push(commits=[{"modified": ["x" * 1024] * 6 * 1024}])
    assert len(body) > 6 * MEGABYTE
    assert server.send(body).json == {"outcome": "stored"}


def test_a_body_beyond_the_limit_is_refused_by_its_length(server: Receiving) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.putrequest("POST", "/webhooks/github")
    connection.putheader("Content-Length", str(BODY_LIMIT + 1))
    connection.endheaders()
    assert read(connection).status == 413
    connection.close()


def test_a_chunked_body_beyond_the_limit_is_refused_after_reading_at_most_the_limit(
    server: Receiving,
) -> None:
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    sent = 0
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(
            b"POST /webhooks/github HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        try:
            for piece in repeat(chunk, 100 * 16):  # 100 MB, if nobody stops it
                connection.sendall(piece)
                sent += len(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass
        else:
            pytest.fail("the server read a body of a hundred megabytes")
    assert sent < BODY_LIMIT + 16 * MEGABYTE  # what the buffers of two sockets may hold


def test_a_chunked_body_of_26_megabytes_gets_413(server: Receiving) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    pieces = repeat(b"x" * 65536, BODY_LIMIT // 65536 + 1)
    connection.request("POST", "/webhooks/github", pieces, encode_chunked=True)
    assert read(connection).status == 413
    connection.close()


def test_slow_work_does_not_delay_the_answer(server: Receiving) -> None:
    server.hold.touch()
    try:
        for guid in ("slow-1", "slow-2"):
            assert server.send(push(), guid=guid).status == 202
        wait_until(lambda: state(server, "slow-1") is Status.HANDED)
        assert server.send(push(), guid="slow-1").status == 202
    finally:
        server.hold.unlink()
    wait_until(lambda: state(server, "slow-2") is Status.DONE)


def state(server: Receiving, guid: str) -> Status | None:
    entry = server.entry(guid)
    return None if entry is None else entry.status


def metrics(server: Receiving) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", "/metrics")
    text = read(connection).text
    connection.close()
    return text


def test_deliveries_are_counted_by_event_and_outcome_alone(server: Receiving) -> None:
    server.send(push(), event="made up by a stranger", headers={"X-Hub-Signature-256": "x"})
    server.send(push())
    wait_until(lambda: 'deliveries_total{event="push",outcome="stored"} ' in metrics(server))
    refused = 'deliveries_total{event="unverified",outcome="refused"} '
    wait_until(lambda: refused in metrics(server))
    text = metrics(server)
    assert "stranger" not in text
    assert "acme" not in text
