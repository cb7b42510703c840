"""Connections of the receiver, without a network: however a request is cut up, it is the same."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhooks import connections
from webhooks.connections import Answer, Connections
from webhooks.deliveries import Header

BODY = b'{"ref": "refs/heads/main"}'
HEAD = b"POST /webhooks/github HTTP/1.1\r\nHost: x\r\nX-GitHub-Event: push\r\n"
DELIVERY = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
CHUNKS = b"5\r\n" + BODY[:5] + b"\r\n15\r\n" + BODY[5:] + b"\r\n0\r\n\r\n"
CHUNKED = HEAD.replace(b"X-G", b"x-g") + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKS
PAGE = b"GET /sign-in HTTP/1.1\r\nHost: x\r\nCookie: a=b\r\n\r\n"
FORM = b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na=b"
NONSENSE = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"  # how TLS begins


@dataclass
class Played(asyncio.Transport):
    """What came of a connection to which these bytes were sent, read by read."""

    delivered: list[tuple[bytes, str | None]] = field(default_factory=list)
    handed: list[bytes] = field(default_factory=list)
    written: bytes = b""
    refused: int = 0
    closed: bool = False

    def deliver(self, header: Header, body: bytes, answer: Answer) -> None:
        self.delivered.append((body, header("X-GitHub-Event")))
        answer(202, {"outcome": "stored"})

    def refuse(self) -> None:
        self.refused += 1

    def hand_over(self, raw: bytes, fd: int) -> None:
        self.handed.append(raw)
        os.close(fd)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += bytes(data)

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = True

    def close(self) -> None:
        self.closed = True

    def get_extra_info(self, name: str, default: object = None) -> socket.socket:
        return self.end

    def play(self, reads: Sequence[bytes]) -> Played:
        async def run() -> None:
            every = Connections(self.deliver, self.refuse, self.hand_over)
            one = every.new()
            one.connection_made(self)
            for each in reads:
                if self.closed:
                    break
                memoryview(one.get_buffer(-1))[: len(each)] = each
                one.buffer_updated(len(each))
            one.connection_lost(None)
            assert every.held == 0
            assert not every.busy()

        self.end, other = socket.socketpair()
        with self.end, other:
            asyncio.run(run())
        return self

    def came_to(self) -> object:
        return self.delivered, self.handed, self.written, self.refused


@given(st.lists(st.sampled_from([DELIVERY, CHUNKED, PAGE, FORM, NONSENSE]), max_size=4), st.data())
def test_a_request_is_the_same_however_its_bytes_arrive(
    requests: list[bytes], data: st.DataObject
) -> None:
    reads: list[bytes] = []
    for each in requests:
        cuts = data.draw(st.lists(st.integers(1, len(each) - 1), max_size=5).map(sorted))
        reads += [each[a:b] for a, b in zip([0, *cuts], [*cuts, len(each)], strict=True) if a < b]
    whole, cut = Played().play(requests), Played().play(reads)
    assert cut.delivered == whole.delivered
    assert cut.written == whole.written
    # What is not for us goes on from the byte where it was seen to be none.
    assert [b"".join(requests).count(raw) > 0 for raw in cut.handed] == [True] * len(whole.handed)


@given(st.lists(st.binary(min_size=1, max_size=60) | st.sampled_from([DELIVERY, PAGE]), max_size=6))
def test_no_bytes_break_it_or_make_up_a_delivery(reads: list[bytes]) -> None:
    played = Played().play(reads)
    assert {body for body, _ in played.delivered} <= {BODY}
    assert len(played.delivered) <= b"".join(reads).count(DELIVERY)
    assert len(played.handed) <= 1


def test_a_page_that_follows_a_delivery_is_handed_over_whole() -> None:
    played = Played().play([DELIVERY, PAGE[:10], PAGE[10:]])
    assert played.delivered == [(BODY, "push")]
    assert played.handed == [PAGE]


def test_bodies_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HELD_LIMIT", 10)
    played = Played().play([DELIVERY])
    assert played.written.startswith(b"HTTP/1.1 503 ")
    assert (played.delivered, played.refused) == ([], 1)
