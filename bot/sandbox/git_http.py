"""Bare repositories over smart HTTP on loopback, by `git http-backend`, with basic authentication.

For the sandbox and the tests. What GitHub would answer about an archived repository, or an answer
that got lost on the way, can be asked for.
"""

from __future__ import annotations

import base64
import binascii
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

_USER = "x-access-token"
_SETTINGS = {
    "uploadpack.allowFilter": "true",
    "uploadpack.allowAnySHA1InWant": "true",
    "receive.autogc": "false",
}
_ARCHIVED = b"This repository was archived so it is read-only.\n"


class GitServer:
    """Serves every bare repository under `root` as `<url>/<its path>`, from entering to leaving.

    `accepts` is asked about the password of each request. Paths in `archived` take no push. While
    `drop_answers` is true, a push is done and the connection then closed without a word. While
    `busy` is not 0, a push is answered 503 and counts it down.
    """

    def __init__(self, root: Path, accepts: Callable[[str], bool], port: int = 0) -> None:
        self.root = root.resolve()
        self.accepts = accepts
        self.archived: set[str] = set()
        self.drop_answers = False
        self.busy = 0
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.git = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for the last answer
    git: GitServer

    def handle_error(self, request: object, client_address: object) -> None:
        """Silent about whoever was killed while it asked."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every answer waits 40 ms for an acknowledgement

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self._body())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silent: the log would be the only thing on the screen."""

    def _serve(self, body: bytes) -> None:
        git = self.server.git
        url = urlsplit(self.path)
        pushes = "git-receive-pack" in self.path
        if not self._is_authorised():
            self._answer(401, {"WWW-Authenticate": 'Basic realm="sandbox"'}, b"")
        elif pushes and any(url.path.startswith(f"/{path}/") for path in git.archived):
            self._answer(403, {"Content-Type": "text/plain; charset=utf-8"}, _ARCHIVED)
        elif pushes and git.busy:
            git.busy -= 1
            self._answer(503, {}, b"")
        else:
            status, headers, answer = self._backend(url.path, url.query, body)
            if git.drop_answers and pushes and self.command == "POST":
                self.close_connection = True
            else:
                self._answer(status, headers, answer)

    def _backend(self, path: str, query: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "GIT_PROJECT_ROOT": str(self.server.git.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_COUNT": str(len(_SETTINGS)),
            "REMOTE_USER": _USER,
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        for number, (key, value) in enumerate(_SETTINGS.items()):
            environment[f"GIT_CONFIG_KEY_{number}"] = key
            environment[f"GIT_CONFIG_VALUE_{number}"] = value
        done = subprocess.run(
            ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
        )
        head, _, answer = done.stdout.partition(b"\r\n\r\n")
        headers = dict(
            line.split(": ", 1) for line in head.decode("latin-1").split("\r\n") if ": " in line
        )
        status = int(headers.pop("Status", "200" if done.stdout else "500").split()[0])
        return status, headers, answer

    def _is_authorised(self) -> bool:
        scheme, _, encoded = self.headers.get("Authorization", "").partition(" ")
        try:
            user, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return False
        return scheme == "Basic" and user == _USER and self.server.git.accepts(password)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
