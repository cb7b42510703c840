"""A strict stand-in of GitHub's pages for App manifests, and of the conversion of their codes.

A browser posts the manifest, GitHub sends it back with a code, the code is good once and for an
hour. What GitHub would refuse is refused, and what no caller should do fails the test.
"""

from __future__ import annotations

import functools
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from tests.fakes import openapi

HOUR = timedelta(hours=1)
REQUIRED = {"url"}
KNOWN = {
    *("name", "url", "hook_attributes", "redirect_url", "callback_urls", "setup_url"),
    *("description", "public", "default_events", "default_permissions"),
    *("request_oauth_on_install", "setup_on_update"),
}
# The permission that each event needs to be asked for; others are not known here.
EVENTS = {
    "check_run": "checks",
    "issue_comment": "issues",
    "issues": "issues",
    "pull_request": "pull_requests",
    "pull_request_review": "pull_requests",
    "pull_request_review_comment": "pull_requests",
    "pull_request_review_thread": "pull_requests",
    "push": "contents",
    "repository": "metadata",
    "workflow_run": "actions",
}
PERMISSIONS = {"actions", "checks", "contents", "issues", "metadata", "pull_requests"}


@functools.cache
def private_key() -> str:
    """A key as GitHub sends it, PKCS#1 PEM; the same one each time, since making one is slow."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()
    ).decode()


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    json: object = None
    location: str | None = None


@dataclass(slots=True)
class GitHubWeb:
    """`url` is both the pages' and the API's. `apps` are the manifests by App id.

    `ahead` moves its clock; `refuse_next` lets conversions fail with that status, to no effect.
    """

    url: str
    ahead: timedelta = timedelta()
    apps: dict[int, dict[str, Any]] = field(default_factory=dict)
    owners: dict[int, str | None] = field(default_factory=dict)
    pem: str = field(default_factory=private_key)
    refuse_next: list[int] = field(default_factory=list)
    webhook_secret: str | None = "hook-secret"
    conversions: int = 0
    wrong: list[str] = field(default_factory=list)
    _codes: dict[str, tuple[int, datetime]] = field(default_factory=dict)

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Reply:
        url = urlsplit(target)
        query = parse_qs(url.query)
        match method, url.path.strip("/").split("/"):
            case "POST", ["settings", "apps", "new"]:
                return self._registered(query, headers, body, None)
            case "POST", ["organizations", owner, "settings", "apps", "new"]:
                return self._registered(query, headers, body, owner)
            case "POST", ["app-manifests", code, "conversions"]:
                self.wrong += openapi.problems(method, url.path, json.loads(body or "null"))
                return self._converted(code, headers)
            case _:
                self.wrong.append(f"{method} {target}")
                return Reply(404)

    def _registered(
        self,
        query: dict[str, list[str]],
        headers: dict[str, str],
        body: bytes,
        owner: str | None,
    ) -> Reply:
        if headers.get("content-type") != "application/x-www-form-urlencoded":
            self.wrong.append("the manifest is no form")
        fields = parse_qs(body.decode())
        if set(fields) != {"manifest"} or set(query) != {"state"}:
            self.wrong.append(f"fields {set(fields)}, query {set(query)}")
            return Reply(422)
        manifest = json.loads(fields["manifest"][0])
        problems = list(_problems(manifest))
        if problems:
            self.wrong += problems
            return Reply(422)
        number = 7000 + len(self.apps)
        self.apps[number] = manifest
        self.owners[number] = owner
        code = secrets.token_hex(20)
        self._codes[code] = number, datetime.now(UTC) + self.ahead + HOUR
        back = urlencode({"code": code, "state": query["state"][0]})
        return Reply(302, location=f"{manifest['redirect_url']}?{back}")

    def _converted(self, code: str, headers: dict[str, str]) -> Reply:
        self.conversions += 1
        if "authorization" in headers:
            self.wrong.append("a conversion takes no credentials")
        if self.refuse_next:
            return Reply(self.refuse_next.pop(0), {"message": "Server Error"})
        number, until = self._codes.pop(code, (0, datetime.min.replace(tzinfo=UTC)))
        if datetime.now(UTC) + self.ahead >= until:
            return Reply(404, {"message": "Not Found"})
        return Reply(201, self._app(number))

    def _app(self, number: int) -> dict[str, object]:
        manifest = self.apps[number]
        slug = manifest["name"].lower()
        return {
            "id": number,
            "slug": slug,
            "node_id": "A_1",
            "client_id": "Iv23li",
            "client_secret": "client-secret",
            "webhook_secret": self.webhook_secret,
            "pem": self.pem,
            "owner": {"id": 1, "login": self.owners[number] or "ada", "type": "User"},
            "name": manifest["name"],
            "description": manifest["description"],
            "external_url": manifest["url"],
            "html_url": f"{self.url}/apps/{slug}",
            "created_at": "2026-11-02T10:00:00Z",
            "updated_at": "2026-11-02T10:00:00Z",
            "permissions": manifest["default_permissions"],
            "events": manifest["default_events"],
        }


def _problems(manifest: dict[str, Any]) -> Iterator[str]:
    if unknown := set(manifest) - KNOWN:
        yield f"unknown keys {unknown}"
    if missing := (REQUIRED | {"name"}) - set(manifest):
        yield f"missing {missing}"
    if len(manifest["name"]) > 34:
        yield "the name is too long"
    hook = manifest.get("hook_attributes", {})
    if set(hook) - {"url", "active"} or "url" not in hook:
        yield f"hook_attributes {hook}"
    if urlsplit(hook["url"]).hostname in {"localhost", "127.0.0.1", "::1"}:
        yield "a webhook on loopback"
    if len(manifest.get("callback_urls", [])) > 10:
        yield "too many callback addresses"
    permissions = manifest.get("default_permissions", {})
    if set(permissions) - PERMISSIONS or set(permissions.values()) - {"read", "write"}:
        yield f"permissions {permissions}"
    for event in manifest.get("default_events", []):
        if EVENTS.get(event) not in permissions:
            yield f"the event {event} is not to be had with these permissions"


@contextmanager
def github_web() -> Iterator[GitHubWeb]:
    """The stand-in on loopback; at its end nothing was wrong and every failure came."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            self._reply("POST", body)

        def do_GET(self) -> None:
            self._reply("GET", b"")

        def _reply(self, method: str, body: bytes) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = fake.answer(method, self.path, headers, body)
            data = json.dumps(reply.json).encode()
            self.send_response(reply.status)
            if reply.location:
                self.send_header("location", reply.location)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    fake = GitHubWeb(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert fake.wrong == []
    assert fake.refuse_next == [], "a failure that never came"
