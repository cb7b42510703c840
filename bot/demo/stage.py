"""The real server against the sandbox forge, in one process on loopback, with a clock to move.

Receiver, inbox, queue, distiller and git path are those of `serve`; only GitHub is played.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4
from wsgiref.types import WSGIApplication

from waitress.server import create_server

from bot.actions import Actions
from bot.errors import Fault
from bot.facts import Account
from bot.forge.app import App
from bot.forge.visitors import Client
from bot.sandbox.deliver import deliver
from bot.sandbox.forge import SandboxForge
from bot.sandbox.records import Delivery
from bot.sandbox.server import SandboxServer
from bot.sandbox.sign_in import CLIENT_ID, CLIENT_SECRET
from bot.telegram import Bot
from bot.work.distilling import Chosen, Distillers
from bot.work.places import Places
from bot.work.server import Parts, Server
from webhooks.signature import Secrets

PATIENCE = 60.0  # seconds for work that takes less than one


@dataclass(slots=True)
class Clock:
    """The time that everything on the stage goes by: real time, moved."""

    offset: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.offset

    def move(self, by: timedelta) -> None:
        self.offset += by


class Listener:
    """A WSGI application under waitress on a free loopback port, until `close`."""

    def __init__(self, web: WSGIApplication) -> None:
        self._server = create_server(
            web, host="127.0.0.1", port=0, threads=4, clear_untrusted_proxy_headers=False
        )
        port = getattr(self._server, "effective_port")  # noqa: B009  # the stub does not know it
        self.url = f"http://127.0.0.1:{port}"
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="listener", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._server.run()
        except (OSError, ValueError):  # its loop wakes up to find its own sockets closed
            if not self._closing:
                raise

    def close(self) -> None:
        self._closing = True
        self._server.close()
        self._thread.join(5)


@dataclass(slots=True)
class Stage:
    """What a story acts on: `forge` is GitHub, `server` is the bot."""

    clock: Clock
    forge: SandboxForge
    github: SandboxServer
    server: Server
    url: str
    sent: list[Delivery] = field(default_factory=list)

    def post(self) -> int:
        """Posts every webhook that GitHub would send, in order; how many."""
        count = 0
        while deliveries := self.forge.take_deliveries():
            count += self.send(deliveries)
        return count

    def send(self, deliveries: Iterable[Delivery], *, fresh: bool = False) -> int:
        """Posts these; `fresh`: under new GUIDs, as somebody who recorded them would."""
        count = 0
        for each in deliveries:
            again = replace(each, guid=str(uuid4())) if fresh else each
            status = deliver(self.forge, again, f"{self.url}/webhooks/github")
            if status != 202:
                raise Fault(f"the receiver answered {status} to {each.event}", retry=False)
            self.sent.append(each)
            count += 1
        return count

    def settle(self) -> int:
        """Posts what is to be posted and waits until the bot has nothing to do; how many posts."""
        count = self.post()
        until(self.server.idle)
        # The bot's own pushes come back as webhooks, which it must not act on.
        return count + self.post()


def until(done: Callable[[], bool]) -> None:
    """Waits for a condition. Raises Fault when it does not come."""
    end = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > end:
            raise Fault(f"nothing came of it within {PATIENCE:g} s", retry=False)
        time.sleep(0.02)


@contextmanager
def stage(
    directory: Path,
    clock: Clock,
    *,
    seed: int = 0,
    using: Distillers | None = None,
    actions: Actions | None = None,
    telegram: Bot | None = None,
    guest: Account | None = None,
) -> Iterator[Stage]:
    """A sandbox forge and a server that works for it, both under `directory`."""
    forge = SandboxForge(directory / "github", clock, seed=seed)
    with (
        SandboxServer(forge) as github,
        running(
            directory,
            clock,
            forge,
            github,
            using=using,
            actions=actions,
            telegram=telegram,
            guest=guest,
        ) as made,
    ):
        yield made


@contextmanager
def running(
    directory: Path,
    clock: Clock,
    forge: SandboxForge,
    github: SandboxServer,
    *,
    using: Distillers | None = None,
    actions: Actions | None = None,
    telegram: Bot | None = None,
    guest: Account | None = None,
) -> Iterator[Stage]:
    """The server alone: leaving and entering again is a restart on the same data."""
    data = directory / "bot"
    data.mkdir(parents=True, exist_ok=True)
    app = App(forge.app_id, forge.private_key, base_url=github.url, pause=0)
    server = Server(
        Parts(
            data=data,
            database=f"sqlite:///{data}/lessonkeeper.db",
            places=Places(app, data, clock, protocols=("http",)),
            secrets=Secrets([forge.webhook_secret]),
            distillers=lambda _memory: using or Chosen(),
            now=clock,
            app_id=forge.app_id,
            debounce=timedelta(0),
            reader_keys=(forge.webhook_secret.encode(),),
            actions=actions or Actions(),
            telegram=telegram,
            web=github.url,
            client=None if guest else Client(CLIENT_ID, CLIENT_SECRET, github.url, github.url),
            guest=guest,
        )
    )
    server.start()
    listener = Listener(server.web)
    try:
        yield Stage(clock, forge, github, server, listener.url)
    finally:
        listener.close()
        server.stop()
