"""The web server in this process: waitress, stopped by SIGTERM without losing a request.

Alone, or behind a receiver that listens in its stead and hands over what is not for it.
"""

from __future__ import annotations

import errno
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from flask import Flask
from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer
from waitress.wasyncore import dispatcher

from bot.errors import UserError
from webhooks.deliveries import BODY_LIMIT
from webhooks.front import LARGEST_HEAD, Front

PATIENCE = 3.0  # seconds for the receiver of a life that was killed to see it, and to let go
THREADS = 8  # they wait for the disk together: the writer groups what they bring


def serve(
    app: Flask,
    host: str,
    port: int,
    on_stop: Callable[[], None],
    on_start: Callable[[int], None] = lambda port: None,
    front: Front | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; then finish requests, call `on_stop` and return.

    Call it in the main thread. Port 0 takes a free one; `on_start` is told which. A chunked body is
    spooled to a file, and refused with 413 beyond the limit before the app sees it. `front` is
    started and stopped here. Raises UserError where the address cannot be had.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("signals reach the main thread only")
    signal.signal(signal.SIGTERM, _stop)
    listening = _listen(host, port)
    server = _Server(app, listening, accepts=front is None)
    try:
        if front is not None:
            _Handed(front.handed, server)
            front.start(listening)
        on_start(listening.getsockname()[1])
        server.run()  # returns on SystemExit once its threads are idle
    finally:
        if front is not None:
            front.stop()
        server.close()
        on_stop()


class _Server(TcpWSGIServer):
    """`accepts`: whether connections are taken from `listening`, or only those handed over."""

    def __init__(self, app: Flask, listening: socket.socket, *, accepts: bool) -> None:
        given = Adjustments(
            sockets=[listening],
            threads=THREADS,
            max_request_body_size=BODY_LIMIT + 1,  # waitress refuses what is not below it
            ident=None,
            clear_untrusted_proxy_headers=False,  # they tell what is not from this machine
        )
        self.map: dict[int, socket.socket] = {}
        super().__init__(
            app,
            self.map,
            _start=accepts,
            _sock=listening,
            adj=given,
            bind_socket=False,
            sockinfo=(listening.family, listening.type, listening.proto, listening.getsockname()),
        )

    def adopt(self, connection: socket.socket, raw: bytes) -> None:
        """Goes on with a connection of which this much has been read."""
        try:
            peer = connection.getpeername()
            self.set_socket_options(connection)
        except OSError:  # it has gone
            connection.close()
            return
        self.channel_class(self, connection, peer, self.adj, map=self.map).received(raw)


class _Handed(dispatcher):
    """Where the receiver's connections arrive."""

    def __init__(self, handed: socket.socket, server: _Server) -> None:
        super().__init__(handed, server.map)
        self._handed = handed
        self._server = server

    def writable(self) -> bool:
        return False

    def handle_read(self) -> None:
        raw, fds, _, _ = socket.recv_fds(self._handed, LARGEST_HEAD, 1)
        for fd in fds:
            self._server.adopt(socket.socket(fileno=fd), raw)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_server((host, port), family=family, backlog=1024)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and time.monotonic() < end:
                time.sleep(0.05)
                continue
            raise UserError(
                f"Cannot listen on {host} port {port}: {error.strerror}.",
                remedy="Choose another with --host and --port.",
            ) from error


def _stop(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)
