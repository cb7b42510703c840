"""HTTP connections of the receiver: `POST /webhooks/github` is read here, everything else is handed
over to the web server as it came.

The parser is llhttp, Node's own (httptools). Everything is bounded: a stranger may connect.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import cast

import httptools

from webhooks.deliveries import BODY_LIMIT, PATH, Header

log = logging.getLogger(__name__)

HEAD_LIMIT = 64 * 1024  # bytes of a request until its headers end; GitHub's have two thousand
HELD_LIMIT = 4 * BODY_LIMIT  # bytes of all bodies that are being read or stored
LINGER_LIMIT = 1024 * 1024  # bytes that are read of a refused body, so that its sender sees why
CONNECTIONS = 500  # beyond which the one that was silent longest is closed
SILENT = 120.0  # seconds that a connection may be
LOOK = 5.0  # seconds between two looks for silent ones

Answer = Callable[[int, Mapping[str, str]], None]
"""Sends status and JSON object: once, on the thread of the connections."""


class Connections:
    """All of one process.

    `deliver` gets the headers and the body of a delivery, and whom to answer. `hand_over` gets what
    came of any other request, and its connection as a file descriptor to be closed.
    """

    def __init__(
        self,
        deliver: Callable[[Header, bytes, Answer], None],
        refused: Callable[[], None],
        hand_over: Callable[[bytes, int], None],
    ) -> None:
        self.deliver = deliver
        self.refused = refused
        self.hand_over = hand_over
        self.buffer = memoryview(bytearray(64 * 1024))  # of whichever is read: one at a time
        self.held = 0
        self._open: dict[_Connection, None] = {}
        self._loop = asyncio.get_running_loop()
        self._look()

    def new(self) -> asyncio.BufferedProtocol:
        return _Connection(self)

    def opened(self, connection: _Connection) -> None:
        self._open[connection] = None
        if len(self._open) > CONNECTIONS:
            idle = [each for each in self._open if not each.waits]
            min(idle, key=lambda each: each.heard_at).drop()

    def closed(self, connection: _Connection) -> None:
        self._open.pop(connection, None)

    def busy(self) -> bool:
        """Whether a delivery has not been answered yet."""
        return any(each.waits for each in self._open)

    def close(self) -> None:
        for each in list(self._open):
            each.drop()

    def _look(self) -> None:
        now = self._loop.time()
        for each in list(self._open):
            if now - each.heard_at > (LOOK if each.ended else SILENT):
                each.drop()
        self._loop.call_later(LOOK, self._look)


class _Connection(asyncio.BufferedProtocol):
    """One request after the other. Methods that begin with `on_` are called by the parser."""

    def __init__(self, all_of_them: Connections) -> None:
        self._all = all_of_them
        self._loop = asyncio.get_running_loop()
        self.waits = False  # for the answer to a delivery
        self.ended = False  # nothing more is answered; what still comes is read and dropped
        self.heard_at = self._loop.time()
        self._lasts = True  # after the answer
        self._half_closed = False
        self._elsewhere = False  # the request is not for us
        self._ignored = False  # whatever else comes
        self._follows = False  # whether a request that begins now comes after another one
        self._lingered = 0
        self._size = 0
        self._forget()

    def _forget(self) -> None:
        """The request that was."""
        self._in_message = False
        self._in_head = True
        self._raw = b""  # until its headers end
        self._url = b""
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._all.held -= self._size
        self._size = 0

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._parser = httptools.HttpRequestParser(self)
        self._all.opened(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._all.buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.heard_at = self._loop.time()
        if self.ended:
            self._lingered += nbytes
            if self._lingered > LINGER_LIMIT:
                self.drop()
        else:
            self._read(bytes(self._all.buffer[:nbytes]))

    def eof_received(self) -> bool:
        """Whether the connection stays: a half-closed one still takes its answer."""
        self._lasts = False
        self._half_closed = True
        return self.waits

    def connection_lost(self, _error: Exception | None) -> None:
        self.waits, self.ended = False, True
        self._forget()
        self._all.closed(self)

    # What the parser calls.

    def on_message_begin(self) -> None:
        if self._follows:  # the one before it has no answer yet: GitHub waits for that, and proxies
            self._ignored = True
            self._lasts = False
        self._follows = self._in_message = True

    def on_url(self, url: bytes) -> None:
        if not self._ignored:
            self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._ignored:
            return
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        before = self._headers.get(key)
        self._headers[key] = text if before is None else f"{before},{text}"

    def on_headers_complete(self) -> None:
        if self._ignored:
            return
        if self._parser.get_method() != b"POST" or self._url.partition(b"?")[0] != PATH.encode():
            self._elsewhere = self._ignored = True
            return
        self._in_head, self._raw = False, b""
        if int(self._headers.get("content-length", "0")) > BODY_LIMIT:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        elif self._headers.get("expect", "").lower() == "100-continue":
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, body: bytes) -> None:
        if self._ignored:
            return
        self._size += len(body)
        self._all.held += len(body)
        if self._size > BODY_LIMIT:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        elif self._all.held > HELD_LIMIT:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE)
        else:
            self._body.append(body)

    def on_message_complete(self) -> None:
        if self._ignored:
            return
        self.waits = True
        self._lasts = self._lasts and self._parser.should_keep_alive()
        headers, body = self._headers, b"".join(self._body)
        self._all.deliver(lambda name: headers.get(name.lower()), body, self._answer)

    # What we do.

    def _read(self, data: bytes) -> None:
        self._follows = self._in_message
        if self._in_head:
            self._raw += data
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._elsewhere = True
        except httptools.HttpParserCallbackError:
            log.exception("a request could not be read")
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR)
        except httptools.HttpParserError:
            if self.waits:
                self._lasts = False
            elif self._in_head:
                self._elsewhere = True  # the web server knows what to say to what is no HTTP
            else:
                self._refuse(HTTPStatus.BAD_REQUEST)
        if self.ended:
            return
        if self._elsewhere:
            self._hand_over()
        elif self._in_head and len(self._raw) > HEAD_LIMIT:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif not self._lasts and not self.waits and self._in_head:
            self._end()

    def drop(self) -> None:
        self._transport.abort()

    def _answer(self, status: int, said: Mapping[str, str]) -> None:
        if not self.waits:
            return  # who asked has gone
        self.waits = False
        self._send(status, said)
        self._forget()
        if not self._lasts:
            self._end()

    def _refuse(self, status: HTTPStatus) -> None:
        self._all.refused()
        self._lasts = False
        self._send(status, {"error": status.phrase})
        self._end()

    def _send(self, status: int, said: Mapping[str, str]) -> None:
        body = json.dumps(said).encode()
        close = b"" if self._lasts else b"Connection: close\r\n"
        self._transport.write(
            b"HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s"
            % (status, HTTPStatus(status).phrase.encode(), len(body), close, body)
        )

    def _end(self) -> None:
        self.ended = self._ignored = True
        self._forget()
        if self._half_closed:
            self._transport.close()
        else:  # closed with something unread, the kernel would take the answer back
            self._transport.write_eof()

    def _hand_over(self) -> None:
        self.ended = True
        fd = os.dup(self._transport.get_extra_info("socket").fileno())
        self._transport.abort()  # closes ours, and nothing for the other end
        self._all.hand_over(self._raw, fd)
