"""A whole receiver in a process of its own, and a plain HTTP client that sends what it is told."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psutil
import pytest

from bot.database import is_embedded
from bot.inbox import Entry
from bot.letterbox import Letterbox
from tests.queues import PATIENCE, wait_until
from tests.stores import stores
from webhooks.signature import sign

NEW, OLD = "the new secret", "the old secret"

_guids = count(1)


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> dict[str, str]:
        value: dict[str, str] = json.loads(self.text)
        return value


class Receiving:
    """tests/webhooks/receiving.py as a process that can be stopped, killed and started again."""

    def __init__(self, url: str, data: Path, *, behind: bool) -> None:
        self.url, self.data, self.behind = url, data, behind
        data.mkdir(exist_ok=True)
        self.hold = data / "hold"

    def start(self) -> None:
        port = self.data / "port"
        port.unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.webhooks.receiving"),
                *("behind" if self.behind else "alone", self.url, self.data, NEW, OLD),
            ]
        )
        wait_until(lambda: port.exists() or self._process.poll() is not None)
        self.port = int(port.read_text())

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def stand_still(self) -> None:
        """It does nothing more until it is killed; its receiver, which listens by now, does."""
        guid = fresh_guid()
        self.send(push(), guid=guid)
        assert self.entry(guid) is not None
        self._process.send_signal(signal.SIGSTOP)

    def terminate(self) -> None:
        self._process.send_signal(signal.SIGTERM)

    def receiver(self) -> psutil.Process:
        """The process that listens, once it is there."""
        found: list[psutil.Process] = []
        server = psutil.Process(self._process.pid)

        def lives() -> bool:
            with suppress(psutil.NoSuchProcess):  # it ended while it was looked at
                found[:] = [each for each in server.children() if each.status() != "zombie"]
                return bool(found)
            return False

        wait_until(lives)
        return found[0]

    def exit_status(self) -> int:
        return self._process.wait(PATIENCE)

    def running(self) -> bool:
        return self._process.poll() is None

    def effects(self) -> list[str]:
        file = self.data / "effects"
        return file.read_text().splitlines() if file.exists() else []

    def entry(self, guid: str) -> Entry | None:
        """Once all that came is in the inbox."""
        if self.behind and self.running():
            wait_until(lambda: not self.letters())
        with stores(self.url) as kept:
            return kept.inbox.find(guid)

    def letters(self) -> list[str]:
        """The GUIDs of what is in the letterbox."""
        letterbox = Letterbox(self.data)
        try:
            return [delivery.guid for _, delivery in letterbox.after(0, 1000)]
        finally:
            letterbox.close()

    def send(
        self,
        body: bytes,
        *,
        event: str = "push",
        guid: str | None = None,
        secret: str = NEW,
        method: str = "POST",
        headers: Mapping[str, str | None] | None = None,
    ) -> Answer:
        """Post a signed delivery; a header given as None is left out."""
        sent = {
            "Content-Type": "application/json",
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": guid or fresh_guid(),
            "X-Hub-Signature-256": sign(body, secret),
            **(headers or {}),
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            present = {name: value for name, value in sent.items() if value is not None}
            connection.request(method, "/webhooks/github", body, present)
            return read(connection)
        finally:
            connection.close()


def read(connection: http.client.HTTPConnection) -> Answer:
    response = connection.getresponse()
    return Answer(response.status, dict(response.getheaders()), response.read().decode())


def fresh_guid() -> str:
    return f"d-{next(_guids)}"


def push(**changes: object) -> bytes:
    """The body of a push to main of repository 11."""
    payload: dict[str, object] = {
        "ref": "refs/heads/main",
        "before": "0" * 40,
        "after": "1" * 40,
        "repository": {"id": 11, "full_name": "acme/shop"},
        "installation": {"id": 100},
        "sender": {"id": 5, "login": "alice", "type": "User"},
    }
    return json.dumps(payload | changes).encode()


@pytest.fixture(scope="module", params=["alone", "behind"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Receiving]:
    """One receiver for the tests of a module that leave it as they found it."""
    data = tmp_path_factory.mktemp("receiving")
    url = f"sqlite:///{data / 'bot.sqlite'}"
    receiving = Receiving(url, data, behind=request.param == "behind")
    receiving.start()
    yield receiving
    receiving.kill()


@pytest.fixture
def receiving(database_url: str, tmp_path: Path) -> Iterator[Receiving]:
    """A receiver of one test's own, on each kind of database as the product has it there."""
    behind = is_embedded(database_url)
    receiving = Receiving(database_url, tmp_path / "receiving", behind=behind)
    receiving.start()
    yield receiving
    receiving.kill()
