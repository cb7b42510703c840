"""A strict stand-in of what GitHub tells an App of itself: its configuration, its deliveries, its
installations, and what guards the branches there. Reads alone; a request nobody foresaw fails.
"""

from __future__ import annotations

import base64
import functools
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import jwt
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from tests.fakes.github_web import private_key

APP = 4242
EXPIRED = "'Expiration time' claim ('exp') is too far in the future"
NOT_YET = "'Issued at' claim ('iat') must be an Integer representing the time"
ALL = {
    "metadata": "read",
    "contents": "write",
    "pull_requests": "write",
    "checks": "write",
    "issues": "write",
    "actions": "read",
}
Answer = tuple[int, object]


@dataclass(slots=True)
class Installed:
    """One installation; `repositories` by full name."""

    id: int
    account: str
    permissions: dict[str, str] = field(default_factory=lambda: dict(ALL))
    suspended: bool = False
    repositories: dict[str, Repository] = field(default_factory=dict)


@dataclass(slots=True)
class Repository:
    """`rules` in GitHub's form; `settings` the text of the settings file."""

    rules: list[dict[str, Any]] = field(default_factory=list)
    protected: bool = False
    settings: str | None = None
    archived: bool = False


def rule(
    kind: str, ruleset: int = 7, *, organization: str = "", source: str = ""
) -> dict[str, Any]:
    return {
        "type": kind,
        "ruleset_id": ruleset,
        "ruleset_source": organization or source,
        "ruleset_source_type": "Organization" if organization else "Repository",
    }


def delivery(status: str = "OK", code: int = 200, event: str = "push") -> dict[str, Any]:
    return {
        "id": 1,
        "guid": "0b989ba4-242f-11e5-81e1-c7b6966d2516",
        "delivered_at": "2026-11-02T10:00:00Z",
        "redelivery": False,
        "duration": 0.1,
        "status": status,
        "status_code": code,
        "event": event,
        "action": None,
        "installation_id": 1,
        "repository_id": 1,
        "throttled_at": None,
    }


@dataclass(slots=True)
class GitHubApp:
    """`ahead` is how far GitHub's clock is ahead of this machine's. `down` answers 503."""

    url: str
    events: list[str]
    permissions: dict[str, str] = field(default_factory=lambda: dict(ALL))
    hook: dict[str, str] = field(default_factory=dict)
    deliveries: list[dict[str, Any]] = field(default_factory=list)
    installations: list[Installed] = field(default_factory=list)
    ahead: timedelta = timedelta()
    down: bool = False
    pem: str = field(default_factory=private_key)
    wrong: list[str] = field(default_factory=list)
    _tokens: dict[str, Installed] = field(default_factory=dict)

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Answer:
        url = urlsplit(target)
        query = {name: found[0] for name, found in parse_qs(url.query).items()}
        path = unquote(url.path)
        if self.down:
            return 503, {"message": "Service unavailable"}
        if method == "HEAD" and path == "/":
            return 200, None
        credentials = authorization.partition(" ")[2]
        if path == "/app" or path.startswith("/app/"):
            refused = self._refused(credentials)
            return refused or self._of_app(method, path, query, body)
        installed = self._tokens.get(credentials)
        if installed is None or method != "GET":
            self.wrong.append(f"{method} {target} without a token")
            return 401, {"message": "Bad credentials"}
        return self._of_installation(installed, path, query)

    def _refused(self, token: str) -> Answer | None:
        options: Any = {"verify_exp": False, "verify_iat": False}
        key: Any = _public(self.pem)
        try:
            claims = jwt.decode(token, key, algorithms=["RS256"], issuer=str(APP), options=options)
        except jwt.InvalidTokenError:
            return 401, {"message": "A JSON web token could not be decoded"}
        now = time.time() + self.ahead.total_seconds()
        if claims["iat"] > now:
            return 401, {"message": NOT_YET}
        if not now < claims["exp"] <= now + 600:
            return 401, {"message": EXPIRED}
        return None

    def _of_app(self, method: str, path: str, query: dict[str, str], body: bytes) -> Answer:
        match method, path.split("/")[2:]:
            case "GET", []:
                return 200, {
                    "id": APP,
                    "slug": "lessonkeeper",
                    "html_url": f"{self.url}/apps/lessonkeeper",
                    "permissions": self.permissions,
                    "events": self.events,
                }
            case "GET", ["hook", "config"]:
                return 200, self.hook
            case "GET", ["hook", "deliveries"]:
                return 200, self.deliveries[: int(query["per_page"])]
            case "GET", ["installations"]:
                size, page = int(query["per_page"]), int(query["page"])
                shown = self.installations[(page - 1) * size : page * size]
                return 200, [self._installation(one) for one in shown]
            case "POST", ["installations", number, "access_tokens"]:
                return self._token(int(number), json.loads(body))
            case _:
                return self._unforeseen(method, path)

    def _token(self, number: int, body: dict[str, Any]) -> Answer:
        (found,) = (one for one in self.installations if one.id == number)
        if found.suspended:
            return 403, {"message": "This installation has been suspended"}
        if set(body["permissions"].values()) != {"read"}:
            self.wrong.append(f"more than reading: {body}")
        text = f"ghs_{APP}_{number}"
        self._tokens[text] = found
        answer = {"token": text, "expires_at": "2099-01-01T00:00:00Z", "permissions": {}}
        return 201, answer | {"repository_selection": "all"}

    def _of_installation(self, installed: Installed, path: str, query: dict[str, str]) -> Answer:
        if path == "/installation/repositories":
            rows = [self._repository(*one) for one in installed.repositories.items()]
            return 200, {"total_count": len(rows), "repositories": rows}
        found = re.fullmatch(r"/repos/([\w.-]+/[\w.-]+)/(.+)", path)
        repository = installed.repositories.get(found[1]) if found else None
        if found is None or repository is None:
            return self._unforeseen("GET", path)
        match found[2]:
            case "rules/branches/main":
                return 200, repository.rules
            case "branches/main":
                return 200, {"name": "main", "protected": repository.protected}
            case "contents/.github/lessonkeeper.yml" if repository.settings is None:
                return 404, {"message": "Not Found"}
            case "contents/.github/lessonkeeper.yml":
                content = base64.encodebytes((repository.settings or "").encode()).decode()
                return 200, {"type": "file", "encoding": "base64", "content": content}
        return self._unforeseen("GET", path)

    def _unforeseen(self, method: str, path: str) -> Answer:
        self.wrong.append(f"{method} {path}")
        return 404, {"message": "Not Found"}

    def _installation(self, one: Installed) -> dict[str, Any]:
        return {
            "id": one.id,
            "account": {"id": one.id, "login": one.account, "type": "Organization"},
            "permissions": one.permissions,
            "events": self.events,
            "suspended_at": "2026-11-02T10:00:00Z" if one.suspended else None,
            "html_url": f"{self.url}/organizations/{one.account}/settings/installations/{one.id}",
        }

    def _repository(self, name: str, one: Repository) -> dict[str, Any]:
        owner, _, short = name.partition("/")
        return {
            "id": sum(name.encode()),
            "name": short,
            "owner": {"login": owner},
            "default_branch": "main",
            "clone_url": f"{self.url}/{name}.git",
            "private": True,
            "archived": one.archived,
            "fork": False,
            "created_at": "2026-01-01T00:00:00Z",
        }


@functools.cache
def _public(pem: str) -> object:
    return load_pem_private_key(pem.encode(), password=None).public_key()


@contextmanager
def github_app(events: list[str]) -> Iterator[GitHubApp]:
    """The stand-in on loopback; at its end nothing was asked that nobody foresaw."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply(b"")

        def do_HEAD(self) -> None:
            self._reply(b"")

        def do_POST(self) -> None:
            self._reply(self.rfile.read(int(self.headers["content-length"])))

        def date_time_string(self, timestamp: float | None = None) -> str:
            now = time.time() if timestamp is None else timestamp
            return super().date_time_string(now + fake.ahead.total_seconds())

        def _reply(self, body: bytes) -> None:
            authorization = self.headers.get("authorization", "")
            status, found = fake.answer(self.command, self.path, authorization, body)
            data = b"" if found is None else json.dumps(found).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    fake = GitHubApp(f"http://127.0.0.1:{server.server_port}", events)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert fake.wrong == []
