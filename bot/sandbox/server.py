"""The sandbox forge over HTTP on loopback: the API at `url`, git beside it.

Strict: a request that nobody foresaw is remembered, and `assert_no_surprises` fails for it.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException
from werkzeug.serving import WSGIRequestHandler, make_server

from bot.sandbox.access import Access
from bot.sandbox.forge import SandboxForge
from bot.sandbox.git_http import GitServer
from bot.sandbox.routes import Routes
from bot.sandbox.sign_in import SignIn
from bot.sandbox.watch import Failure, Seen, Watch


class SandboxServer:
    """`with SandboxServer(forge) as server:` serves until the block ends.

    `access.ahead` sets GitHub's clock; `git` takes git's own faults; `sign_in.visitor` is the login
    of whoever sits before the browser.
    """

    def __init__(self, forge: SandboxForge) -> None:
        self.forge = forge
        self.access = Access(forge)
        self.git = GitServer(forge.directory, self.access.may_push)
        self.git.archived = forge.archived
        self._watch = Watch()
        # One request at a time: the state has no locks.
        self._routes = Routes(forge, self.access, self._watch)
        self.sign_in = SignIn(forge, self._watch)
        self._server = make_server("127.0.0.1", 0, self._flask(), request_handler=_Quiet)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self.url = forge.url = f"http://127.0.0.1:{self._server.server_port}"
        forge.git_url = self.git.url

    def __enter__(self) -> Self:
        self.git.__enter__()
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
        self.git.__exit__(kind, error, trace)

    def fail_next(
        self,
        method: str,
        path: str,
        status: int,
        *,
        message: str = "Server Error",
        headers: dict[str, str] | None = None,
        after_effect: bool = False,
        times: int = 1,
    ) -> None:
        """The next `times` requests of that method and path (`*` is anything) fail like this."""
        failure = Failure(method, path, status, message, headers or {}, after_effect, times)
        self._watch.failures.append(failure)

    def fail_no_more(self) -> None:
        """Forgets the failures that were ordered and have not come."""
        self._watch.failures.clear()

    def limit_pages(self, items: int) -> None:
        """Pages of at most so many items, whatever is asked for."""
        self._routes.page_limit = items

    def count(self, method: str, path: str) -> int:
        """How often that was asked; `*` is anything."""
        return self._watch.count(method, path)

    def assert_no_surprises(self) -> None:
        """AssertionError for requests that nobody foresaw and for failures that never came."""
        self._watch.assert_no_surprises()

    def _flask(self) -> Flask:
        flask = Flask("sandbox", static_folder=None)
        self._routes.add_to(flask)
        self.sign_in.add_to(flask)
        flask.register_error_handler(HTTPException, self._unforeseen)
        return flask

    def _unforeseen(self, error: HTTPException) -> Response:
        path = request.full_path.rstrip("?")
        self._watch.surprises.append(f"{request.method} {path}: unforeseen")
        self._watch.seen.append(Seen(request.method, request.path, error.code or 500))
        return Response('{"message": "Not Found"}', error.code, mimetype="application/json")


class _Quiet(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002
        """Nothing: the server remembers each request."""
