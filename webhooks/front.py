"""The server's side of the receiver: starts it, starts it again when it dies, and takes what is in
the letterbox into the inbox.

Until a dead receiver is replaced connections wait in the listening socket, which the server keeps.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bot.delivery import Delivery
from bot.errors import Fault
from bot.letterbox import Letterbox
from bot.metrics import Metrics
from bot.niceness import give_way
from webhooks.between import Command, Config, Report
from webhooks.deliveries import told
from webhooks.events import Event, Ignored, Malformed
from webhooks.github import EVENTS, parse
from webhooks.reception import UNWANTED, Reception, described, outcome_of
from webhooks.signature import Secrets

log = logging.getLogger(__name__)

BATCH = 128  # letters per transaction of the inbox
AGAIN = 1.0  # seconds until what could not be taken is tried again
LONGEST_PAUSE = 30.0  # seconds between two starts of a receiver that does not live
LARGEST_HEAD = 256 * 1024  # bytes that come with a connection; the receiver reads half of it
STOP = 12.0  # seconds that it has to end; it gives its deliveries eight


class Collector:
    """Takes letters into the inbox: each once, or again, which the inbox knows by its GUID."""

    def __init__(self, data: Path, reception: Reception, metrics: Metrics) -> None:
        self._reception = reception
        self._metrics = metrics
        self._letterbox = Letterbox(data)
        self._taken = 0

    def collect(self) -> int:
        """One batch; the number up to which letters are in the inbox now. Raises Fault: the batch
        is still in the letterbox."""
        letters = self._letterbox.after(self._taken, BATCH)
        try:
            outcomes = self._take([delivery for _, delivery in letters])
        except Fault:
            raise
        except Exception:  # one that nobody can read must not hold the others back
            log.exception("deliveries could not be taken together")
            outcomes = [self._take_alone(delivery) for _, delivery in letters]
        for (_, delivery), outcome in zip(letters, outcomes, strict=True):
            if outcome == UNWANTED[0]:
                log.info("delivery %s: %s", delivery.guid, UNWANTED[1])
            name = delivery.event if delivery.event in EVENTS else "other"
            self._metrics.deliveries.labels(name, outcome).inc()
        if letters:
            self._taken = letters[-1][0]
        return self._taken

    def empty(self) -> None:
        """Takes everything, where no receiver runs. Raises Fault."""
        while self.collect() < self._letterbox.newest():
            pass
        while self._letterbox.put([], self._taken)[1]:
            pass

    def _take(self, deliveries: Sequence[Delivery]) -> list[str]:
        """What became of each."""
        outcomes = dict.fromkeys(range(len(deliveries)), "ignored")
        heard: dict[int, tuple[Delivery, Event]] = {}
        for number, delivery in enumerate(deliveries):
            payload = json.loads(delivery.body)
            event = parse(delivery.event, payload, delivery.guid)
            if isinstance(event, Ignored | Malformed):  # kept by another release
                outcomes[number] = told(delivery, event)[0]
            else:
                heard[number] = described(delivery, payload, event), event
        receipts = self._reception.receive_all([*heard.values()])
        for number, receipt in zip(heard, receipts, strict=True):
            outcomes[number] = outcome_of(receipt)[0]
        return [*outcomes.values()]

    def _take_alone(self, delivery: Delivery) -> str:
        try:
            return self._take([delivery])[0]
        except Fault:
            raise
        except Exception:  # its work breaks as well, and is shown as what broke
            log.exception("delivery %s is kept as it came", delivery.guid)
            return self._reception.keep(delivery).value


class Front:
    """A receiver that listens on a socket of ours. `handed` is where its connections arrive."""

    def __init__(
        self,
        data: Path,
        secrets: Secrets,
        app_id: int | None,
        collector: Collector,
        metrics: Metrics,
    ) -> None:
        self._data = str(data)
        self._secrets = secrets.texts()
        self._app_id = app_id
        self._collector = collector
        self._metrics = metrics
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self.handed, self._handing = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._handing.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LARGEST_HEAD)
        self.handed.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, LARGEST_HEAD)
        self._letters = threading.Event()
        self._threads = [
            threading.Thread(target=self._attend, name="front", daemon=True),
            threading.Thread(target=self._collect, name="collector", daemon=True),
        ]

    def start(self, listening: socket.socket) -> None:
        self._listening = listening
        for each in self._threads:
            each.start()

    def stop(self) -> None:
        """Lets it answer what it has begun to read."""
        with self._lock:
            self._stopping.set()
            process = self._process
            self._tell(process, {"stop": True})
        if process is not None:
            try:
                process.wait(STOP)
            except subprocess.TimeoutExpired:
                process.kill()
        self._letters.set()
        for each in self._threads:
            if each.is_alive():
                each.join()
        self.handed.close()
        self._handing.close()

    def _attend(self) -> None:
        pause = 0.0
        while not self._stopping.wait(pause):
            lived = False
            try:
                lived = self._live()
            except Exception:  # without a receiver nobody hears: it is tried for ever
                log.exception("the receiver cannot be started")
            pause = 0.0 if lived else min(LONGEST_PAUSE, 2 * pause + 0.5)

    def _live(self) -> bool:
        """One life of a receiver; whether it ever said anything."""
        process = self._begin()
        if process is None:
            return False
        lived = False
        with process:  # closes its pipes
            assert process.stdout is not None
            try:
                for line in process.stdout:
                    lived = True
                    self._heard(json.loads(line))
            finally:
                with self._lock:
                    self._process = None
        if not self._stopping.is_set():
            log.error("the receiver ended with %d; it is started again", process.returncode)
        return lived

    def _begin(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._stopping.is_set():
                return None
            inherited = self._listening.fileno(), self._handing.fileno()
            process = subprocess.Popen(
                [sys.executable, "-m", "webhooks.receiver"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=Path(__file__).parents[1],
                pass_fds=inherited,
            )
            listening, handing = inherited
            config: Config = {
                "data": self._data,
                "secrets": self._secrets,
                "app_id": self._app_id,
                "listening": listening,
                "handing": handing,
            }
            self._tell(process, config)
            self._process = process
        return process

    def _heard(self, said: Report) -> None:
        for event, outcome, count in said.get("counts", ()):
            self._metrics.deliveries.labels(event, outcome).inc(count)
        if "letters" in said:
            self._letters.set()

    def _collect(self) -> None:
        give_way()  # to the receiver, which puts more there
        while self._letters.wait() and not self._stopping.is_set():
            self._letters.clear()
            try:
                taken = self._collector.collect()
            except Exception as error:
                log.warning(
                    "deliveries wait in the letterbox", exc_info=not isinstance(error, Fault)
                )
                self._stopping.wait(AGAIN)
                self._letters.set()
            else:
                with self._lock:
                    self._tell(self._process, {"taken": taken})

    def _tell(self, process: subprocess.Popen[bytes] | None, said: Config | Command) -> None:
        """Under the lock: it is not closed meanwhile."""
        if process is None or process.stdin is None:
            return
        # Unbuffered: of a receiver that has died nothing is left to be flushed. That it has is seen
        # where its reports are read.
        with suppress(BrokenPipeError):
            os.write(process.stdin.fileno(), json.dumps(said).encode() + b"\n")
