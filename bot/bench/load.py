"""Sends deliveries at a fixed rate and says how long each answer took: a process of its own.

Latency counts from the moment a delivery was due, not from when it could be sent: a receiver that
stalls is charged for everything that waited behind it.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from uuid import uuid4

SENDERS = 16
LEAD = 0.05  # seconds in which the threads start
TIMEOUT = 10.0  # seconds; GitHub waits no longer


@dataclass(frozen=True, slots=True)
class Load:
    """`bodies` are sent in turn, each as (event, body, signature), `count` of them at `rate`/s."""

    host: str
    port: int
    path: str
    rate: float
    count: int
    bodies: Sequence[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Answered:
    """Seconds from due to answered, for each delivery that got a 2xx, and how many got none."""

    seconds: Sequence[float]
    refused: int
    guids: Sequence[str]


class _Senders(threading.local):
    """One connection per thread, kept open as GitHub's are."""

    connection: http.client.HTTPConnection | None = None


def send(load: Load) -> Answered:
    """Sends it all and waits for the last answer."""
    senders = _Senders()
    begin = time.perf_counter() + LEAD

    def one(number: int) -> tuple[float, str] | None:
        due = begin + number / load.rate
        time.sleep(max(0.0, due - time.perf_counter()))
        event, body, signature = load.bodies[number % len(load.bodies)]
        guid = str(uuid4())
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": guid,
            "X-Hub-Signature-256": signature,
        }
        if senders.connection is None:
            senders.connection = http.client.HTTPConnection(load.host, load.port, timeout=TIMEOUT)
        try:
            senders.connection.request("POST", load.path, body.encode(), headers)
            answer = senders.connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            senders.connection = None
            return None
        return (time.perf_counter() - due, guid) if 200 <= answer.status < 300 else None

    with ThreadPoolExecutor(SENDERS) as pool:
        taken = list(pool.map(one, range(load.count)))
    answered = [each for each in taken if each is not None]
    return Answered(
        [seconds for seconds, _ in answered],
        len(taken) - len(answered),
        [guid for _, guid in answered],
    )


def main() -> int:
    """One JSON document in, one out."""
    print(json.dumps(asdict(send(Load(**json.load(sys.stdin))))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
