"""The web server in this process: waitress, stopped by SIGTERM without losing a request."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Callable
from types import FrameType

from flask import Flask
from waitress.server import create_server

from bot.errors import UserError
from webhooks.app import BODY_LIMIT

THREADS = 8  # they wait for the disk together: the writer groups what they bring


def serve(
    app: Flask,
    host: str,
    port: int,
    on_stop: Callable[[], None],
    on_start: Callable[[int], None] = lambda port: None,
) -> None:
    """Serve until SIGTERM or SIGINT; then finish requests, call `on_stop` and return.

    Call it in the main thread. Port 0 takes a free one; `on_start` is told which. A chunked body is
    spooled to a file, and refused with 413 beyond the limit before the app sees it.
    Raises UserError where the address cannot be had.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("signals reach the main thread only")
    signal.signal(signal.SIGTERM, _stop)
    listening = _listen(host, port)
    server = create_server(
        app,
        sockets=[listening],
        threads=THREADS,
        max_request_body_size=BODY_LIMIT + 1,  # waitress refuses what is not below it
        ident=None,
        clear_untrusted_proxy_headers=False,  # they tell what is not from this machine
    )
    try:
        on_start(listening.getsockname()[1])
        server.run()  # returns on SystemExit once its threads are idle
    finally:
        server.close()
        on_stop()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        raise UserError(
            f"Cannot listen on {host} port {port}: {error.strerror}.",
            remedy="Choose another with --host and --port.",
        ) from error


def _stop(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)
