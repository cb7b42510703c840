"""The receiver in front of the web server: verifies deliveries, keeps them as letters, answers.

A process of its own, so that an acknowledgement never waits for the work. `webhooks/front.py`
starts it, tells it what to do on its standard input and reads its standard output. When the input
ends, so does it. It knows no server.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import queue
import signal
import socket
import sqlite3
import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.delivery import Delivery
from bot.letterbox import Letterbox
from bot.logs import FORM
from webhooks.between import Command, Config, Report
from webhooks.connections import Answer, Connections
from webhooks.deliveries import NOT_OURS, NOT_STORED, Header, Refused, answer, is_for, told, verify
from webhooks.events import Ignored, Malformed
from webhooks.github import EVENTS, parse
from webhooks.signature import Secrets

log = logging.getLogger(__name__)

GROUP = 64  # letters per transaction
GROUP_BYTES = 32 * 1024 * 1024  # of their bodies
GRACE = 8.0  # seconds that a stop gives the deliveries under way
TELL = 1.0  # seconds between two reports of counts


@dataclass(frozen=True, slots=True)
class _Letter:
    delivery: Delivery
    answer: Answer

    def size(self) -> int:
        return len(self.delivery.body)


class _Postman:
    """The thread that writes to the letterbox, many letters per transaction."""

    def __init__(self, data: Path, done: Callable[[Sequence[_Letter], int | None], None]) -> None:
        self._data = data
        self._done = done  # on the loop's thread; None: they could not be kept
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[_Letter | int] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="postman", daemon=True).start()

    def put(self, letter: _Letter) -> None:
        self._queue.put(letter)

    def forget(self, taken: int) -> None:
        """Letters up to this number are in the inbox."""
        self._queue.put(taken)

    def _run(self) -> None:
        try:
            self._write()
        except BaseException:
            log.exception("the letterbox cannot be written to")
            os._exit(1)  # who cannot keep anything must not listen: another one takes its place

    def _write(self) -> None:
        letterbox = Letterbox(self._data)
        self._tell([], letterbox.newest())
        taken, behind = 0, False  # letters to forget, and whether there are any left
        while True:
            letters: list[_Letter] = []
            for each in self._next(wait=not behind):
                if isinstance(each, int):
                    taken = each
                else:
                    letters.append(each)
            try:
                newest, behind = letterbox.put([each.delivery for each in letters], taken)
            except sqlite3.Error as error:
                log.error("%d deliveries were not stored: %s", len(letters), error)
                self._tell(letters, None)
                behind = False
            else:
                self._tell(letters, newest)

    def _next(self, *, wait: bool) -> list[_Letter | int]:
        """Of what is there a group, and where nothing is, the first that comes."""
        found: list[_Letter | int] = [self._queue.get()] if wait else []
        size = 0
        with suppress(queue.Empty):
            while len(found) < GROUP and size < GROUP_BYTES:
                found.append(item := self._queue.get_nowait())
                size += 0 if isinstance(item, int) else item.size()
        return found

    def _tell(self, letters: Sequence[_Letter], newest: int | None) -> None:
        self._loop.call_soon_threadsafe(self._done, letters, newest)


class _Reports:
    """Lines to the server. One that cannot be written now is written later, never waited for."""

    def __init__(self, out: int) -> None:
        os.set_blocking(out, False)
        self._out = out
        self._loop = asyncio.get_running_loop()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._newest = 0  # letter
        self._said = 0  # the letter that the server was told of, and has not taken yet
        self._tell_counts()

    def count(self, event: str, outcome: str) -> None:
        self._counts[event if event in EVENTS else "other", outcome] += 1

    def refused(self) -> None:
        self._counts["unverified", "refused"] += 1

    def kept(self, newest: int) -> None:
        """There are letters up to this number."""
        self._newest = newest
        self._tell_newest()

    def taken(self, number: int) -> None:
        """The server has those up to this number: it may be told of the next."""
        self._said = 0
        if self._newest > number:
            self._tell_newest()

    def _tell_newest(self) -> None:
        if not self._said and self._newest and self._write({"letters": self._newest}):
            self._said = self._newest

    def _tell_counts(self) -> None:
        counts = [(*key, count) for key, count in self._counts.items()]
        if counts and self._write({"counts": counts}):
            self._counts.clear()
        self._tell_newest()
        self._loop.call_later(TELL, self._tell_counts)

    def _write(self, said: Report) -> bool:
        try:
            os.write(self._out, json.dumps(said).encode() + b"\n")  # short: whole, or not at all
        except BlockingIOError:
            return False
        return True


class _HandingOver:
    """Connections to the web server, as file descriptors over a socket of datagrams."""

    def __init__(self, handing: socket.socket) -> None:
        handing.setblocking(False)
        self._socket = handing
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[bytes, int]] = deque()

    def hand_over(self, raw: bytes, fd: int) -> None:
        self._waiting.append((raw, fd))
        self._send()

    def _send(self) -> None:
        self._loop.remove_writer(self._socket)
        while self._waiting:
            raw, fd = self._waiting[0]
            try:
                socket.send_fds(self._socket, [raw], [fd])
            except BlockingIOError:
                self._loop.add_writer(self._socket, self._send)
                return
            except OSError as error:  # of this one: the next may pass
                log.error("a connection could not be handed over: %s", error)
            self._waiting.popleft()
            os.close(fd)


class _Receiver:
    def __init__(
        self, data: Path, secrets: Secrets, app_id: int | None, handing: socket.socket
    ) -> None:
        self._secrets = secrets
        self._app_id = app_id
        self._reports = _Reports(1)
        self._handing = _HandingOver(handing)
        self.connections = Connections(
            self._deliver, self._reports.refused, self._handing.hand_over
        )
        self._postman = _Postman(data, self._kept)

    def taken(self, number: int) -> None:
        self._postman.forget(number)
        self._reports.taken(number)

    def _deliver(self, header: Header, body: bytes, reply: Answer) -> None:
        try:
            delivery, payload = verify(header, body, self._secrets, datetime.now(UTC))
        except Refused as refused:
            self._reports.refused()
            reply(refused.status, {"error": str(refused)})
            return
        if not is_for(header, self._app_id):
            self._settle(delivery, reply, NOT_OURS)
            return
        event = parse(delivery.event, payload, delivery.guid)
        if isinstance(event, Ignored | Malformed):
            self._settle(delivery, reply, told(delivery, event))
        else:  # what becomes of it is counted by who takes it from the letterbox
            self._postman.put(_Letter(delivery, reply))

    def _settle(self, delivery: Delivery, reply: Answer, outcome: tuple[str, str]) -> None:
        self._reports.count(delivery.event, outcome[0])
        reply(202, answer(*outcome))

    def _kept(self, letters: Sequence[_Letter], newest: int | None) -> None:
        for letter in letters:
            if newest is None:
                self._reports.count("other", "not stored")
                letter.answer(503, {"error": NOT_STORED})
            else:
                letter.answer(202, answer("stored", None))
        if newest is not None:
            self._reports.kept(newest)


async def _receive(config: Config, commands: int) -> None:
    """Until told to stop."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    receiver = _Receiver(
        Path(config["data"]),
        Secrets(config["secrets"]),
        config["app_id"],
        socket.socket(fileno=config["handing"]),
    )
    server = await loop.create_server(
        receiver.connections.new, sock=socket.socket(fileno=config["listening"]), backlog=1024
    )
    buffered = b""

    def read() -> None:
        nonlocal buffered
        data = os.read(commands, 65536)
        if not data:
            os._exit(0)  # the server died: whoever it starts next needs the port
        *lines, buffered = (buffered + data).split(b"\n")
        for line in lines:
            said: Command = json.loads(line)
            if "taken" in said:
                receiver.taken(said["taken"])
            else:
                stopped.set()

    loop.add_reader(commands, read)
    await stopped.wait()
    server.close()
    end = loop.time() + GRACE
    while receiver.connections.busy() and loop.time() < end:
        await asyncio.sleep(0.01)
    receiver.connections.close()


def main() -> None:
    for each in (signal.SIGINT, signal.SIGTERM):  # they are for the server, which says what to do
        signal.signal(each, signal.SIG_IGN)
    logging.basicConfig(level=logging.INFO, format=FORM.removesuffix("%(work)s"))
    with open(0, "rb", buffering=0, closefd=False) as given:  # unbuffered: commands follow
        config: Config = json.loads(given.readline())
    asyncio.run(_receive(config, 0))


if __name__ == "__main__":
    main()
