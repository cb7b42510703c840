"""The page of all stores on the real server: what a fleet's operator waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from werkzeug.test import Client

from bot.bench.rounds import Side, Spread, timed
from bot.bench.table import Row
from bot.forge.app import App
from bot.lessons import bullet
from bot.lessons.bullet import Trailer, Verdict
from bot.lessons.event_files import add
from bot.lessons.rows import WriteRow
from bot.sandbox.forge import SandboxForge
from bot.settings import Settings
from bot.web.figures import figures
from bot.web.fleet import summary
from bot.work.distilling import Chosen
from bot.work.places import Places
from bot.work.server import Parts, Server
from webhooks.signature import Secrets

STORES, BULLETS, ROUNDS, LOST = 500, 40, 60, 5
REACH = 0.100  # seconds
NOW = datetime(2026, 11, 2, 10, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Files:
    commit: str
    lessons: bytes
    events: dict[str, bytes]
    standing: dict[str, bytes] = field(default_factory=dict)
    rules: bytes | None = None
    settings: Settings = field(default_factory=Settings)


def fleet(directory: Path, tick: Callable[[], None]) -> list[Row]:
    """The page as an operator on the machine gets it, from request to last byte."""
    with page(directory, STORES, tick) as look:
        spread = Spread.of([look() for _ in range(ROUNDS + LOST)][LOST:])
    return [
        Row(
            what=f"the page of {STORES} stores with {STORES * BULLETS:,} bullets, server time",
            against="–",
            reach=f"≤ {REACH * 1000:.0f} ms",
            measured=spread.milliseconds(),
            ok=spread.median <= REACH,
            figures={"seconds": spread.median},
        )
    ]


@contextmanager
def page(directory: Path, stores: int, tick: Callable[[], None]) -> Iterator[Side]:
    """Looks at the page of so many stores."""
    github = SandboxForge(directory / "github", lambda: NOW)
    server = Server(
        Parts(
            data=directory,
            database=f"sqlite:///{directory}/lessonkeeper.db",
            places=Places(App(github.app_id, github.private_key), directory, lambda: NOW),
            secrets=Secrets([github.webhook_secret]),
            distillers=lambda _memory: Chosen(),
            now=lambda: NOW,
            reader_keys=(b"bench",),
        )
    )
    try:
        for number in range(1, stores + 1):
            server.memory.meet(number, 1, f"acme/store-{number}")
            found = figures(_store(number), number, NOW.date())
            server.dashboard.summaries.keep(number, summary(found))
            tick()
        client = server.web.test_client()
        client.get((server.sign_in.link("http://localhost") or "").removeprefix("http://localhost"))
        _look(client, stores)
        yield lambda: timed(lambda: _look(client, stores))
    finally:
        server.stop()


def _look(client: Client, stores: int) -> None:
    answer = client.get("/")
    if answer.status_code != 200 or f"<dd>{stores * BULLETS}</dd>" not in answer.text:
        raise RuntimeError(f"the page is not the one to measure: {answer.status}")


def _store(number: int) -> _Files:
    lines = []
    for index in range(BULLETS):
        on = date(2026, 11, 1) - timedelta(days=index)
        trailer = Trailer(f"#{index + 1}", on, Verdict.CHANGES_REQUESTED)
        text = f"Close what was opened in part {index} of store {number}."
        lines.append(bullet.line(text, trailer, bullet.bullet_id(text, trailer.ref)))
    written = WriteRow(NOW, {"appended": BULLETS, "refreshed": number % 40}, (1,), BULLETS)
    return _Files("c" * 40, "\n".join(["# Lessons", "", *lines, ""]).encode(), add({}, [written]))
