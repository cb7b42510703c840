"""Deliveries on their way: some come twice or late, some are lost and have to be fetched.

They are sent from a thread of their own, so that a kill meets requests that are under way.
"""

from __future__ import annotations

import json
import random
import socket
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Self
from uuid import uuid4

import requests

from bot.bench.chaos.process import Server
from bot.bench.chaos.world import World
from bot.sandbox.deliver import SECONDS, headers
from bot.sandbox.records import Delivery

PAUSE = 0.02  # seconds between two looks at what has to be sent
KEPT = {"stored", "again", "already handled"}  # answers that promise that it is on disk


class Stream:
    """From entering to leaving, what `take` found is posted to one of `servers` that listens.

    `acknowledged` are the GUIDs of deliveries that a receiver says it has; `answers` counts its
    statuses, 0 where none came; `posting` are the servers with a request under way.
    """

    def __init__(
        self, made: World, servers: Sequence[Server], chance: random.Random | None
    ) -> None:
        self._world, self._servers, self._chance = made, servers, chance
        self._sending = random.Random(0)  # nosec B311
        self._waiting: list[Delivery] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="deliveries")
        self.acknowledged: set[str] = set()
        self.answers: Counter[int] = Counter()
        self.posting: set[Server] = set()
        self.left_to_recovery = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopping.set()
        self._thread.join()

    def take(self) -> None:
        """What the forge has to say since the last time, out of order where there is chaos."""
        new = self._world.forge.take_deliveries()
        chance = self._chance
        with self._lock:
            if chance is not None:
                twins = [each for each in new if chance.random() < 0.3]
                # A recorded delivery may come again under a GUID of its own.
                new += [
                    replace(each, guid=str(uuid4())) if chance.random() < 0.5 else each
                    for each in twins
                ]
            self._waiting += new
            if chance is not None:
                chance.shuffle(self._waiting)

    def is_empty(self) -> bool:
        return not self._waiting and not self.posting

    def abuse(self, server: Server) -> None:
        """Connections that stop in the middle of a request, and one that says nothing."""
        for begun in (
            b"POST /webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{",
            b"",
        ):
            with suppress(OSError), socket.create_connection(("127.0.0.1", server.port), 1) as half:
                half.sendall(begun)
                half.shutdown(socket.SHUT_WR)

    def _run(self) -> None:
        while not self._stopping.wait(PAUSE):
            with self._lock:
                waiting, self._waiting = self._waiting, []
            for at, each in enumerate(waiting):
                listening = [server for server in self._servers if server.listens()]
                if not listening or self._stopping.is_set():
                    with self._lock:
                        self._waiting += waiting[at:]
                    break
                self._send(each, self._sending.choice(listening))

    def _send(self, delivery: Delivery, server: Server) -> None:
        """Who sends gives up after one try in two where there is chaos, as GitHub always does."""
        self.posting.add(server)
        status, outcome = self._post(delivery, server)
        self.posting.discard(server)
        self.answers[status] += 1
        self._world.forge.attempts.record(delivery, status)
        if status == 202:
            if outcome in KEPT:
                self.acknowledged.add(delivery.guid)
        elif self._chance is not None and self._sending.random() < 0.5:
            self.left_to_recovery += 1
        else:
            with self._lock:
                self._waiting.append(delivery)

    def _post(self, delivery: Delivery, server: Server) -> tuple[int, str]:
        forge = self._world.forge
        body = json.dumps(delivery.payload, separators=(",", ":")).encode()
        with requests.Session() as session:
            session.trust_env = False  # the receiver is on loopback, whatever proxy is set
            try:
                answer = session.post(
                    f"{server.url}/webhooks/github", body,
                    headers=headers(forge, delivery, body), timeout=SECONDS,
                )  # fmt: skip
                return answer.status_code, answer.json().get("outcome", "")
            except (requests.RequestException, ValueError):
                return 0, ""
