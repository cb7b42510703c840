"""How the time of one thing grows with the stores of a server, the bullets of a file, the rows of
its events and the deliveries that wait.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from sqlalchemy import insert

from bot.bench.derived import derive, event_files
from bot.bench.pages import page
from bot.bench.rounds import Side, Spread, in_turns, timed
from bot.bench.store import TODAY, FirstGroup, evidence
from bot.bench.table import Row
from bot.bench.texts import forget
from bot.database import connect, migrate
from bot.inbox import Inbox, Status, inbox
from bot.lessons import bullet
from bot.lessons.bullet import Trailer, Verdict
from bot.lessons.store import Snapshot, write
from bot.settings import Settings
from bot.writer import Writer

ROUNDS = 7
TIMES = 4  # each size is as many times the one before
STEPS = 3
MOST = 1.5  # of the growth in size: no worse than in step with it, but for what memory costs

Tick = Callable[[], None]


def rows(directory: Path, findings: bytes, tick: Tick) -> list[Row]:
    """One row for each thing that grows; its figures are the seconds by size."""
    with ExitStack() as ended:

        def side(opened: AbstractContextManager[Side]) -> Side:
            return ended.enter_context(opened)

        return [
            _grown(
                "the page of all stores", "stores", 25,
                lambda n: side(page(directory / f"{n}", n, tick)), tick,
            ),
            _grown("one new bullet decided and written", "bullets", 20, bullets, tick),
            _grown("everything derived", "event rows", 500, lambda n: events(findings, n), tick),
            _grown(
                "one delivery taken and ended", "waiting", 400,
                lambda n: side(waiting(directory, n)), tick,
            ),
        ]  # fmt: skip


def _grown(what: str, of: str, first: int, made: Callable[[int], Side], tick: Tick) -> Row:
    sizes = [first * TIMES**step for step in range(STEPS)]
    taken = in_turns({str(size): made(size) for size in sizes}, ROUNDS, tick)
    seconds = {size: Spread.of(rounds).median for size, rounds in taken.items()}
    grown, at_most = seconds[str(sizes[-1])] / seconds[str(first)], MOST * sizes[-1] / first
    return Row(
        f"{what}: {sizes[-1]:,} {of}",
        f"{first:,} {of}",
        f"≤ {at_most:g} ×",
        f"{grown:.2f} × ({', '.join(f'{s * 1000:.3g} ms' for s in seconds.values())})",
        grown <= at_most,
        seconds,
    )


def bullets(count: int) -> Side:
    """A write into a file of so many bullets that a process knows, as a server does."""
    trailer = Trailer("#1", TODAY.date() - timedelta(days=1), Verdict.CHANGES_REQUESTED)
    texts = [_unlike(number) for number in range(count)]
    lines = [bullet.line(text, trailer, bullet.bullet_id(text, "#1")) for text in texts]
    data = "\n".join(["# Lessons", "", *lines, ""]).encode()
    snapshot = Snapshot(data, {}, FirstGroup(), 7, attributes=True)
    settings = replace(Settings(), store=replace(Settings().store, cap=500))
    turns = itertools.count(1)

    def one() -> float:
        turn = next(turns)
        found = [evidence(_unlike(count + turn), 9 + turn, TODAY - timedelta(hours=1))]
        return timed(lambda: write(snapshot, found, settings, TODAY.date()))

    return one


def _unlike(number: int) -> str:
    return f"Keep {' '.join(f'w{number}x{place}' for place in range(9))} in `part{number}.txt`."


def events(findings: bytes, count: int) -> Side:
    """All that so many rows add up to, by a process that is new."""
    files = event_files(findings, count)

    def one() -> float:
        forget()
        return timed(lambda: derive(files))

    return one


@contextmanager
def waiting(directory: Path, count: int) -> Iterator[Side]:
    """The queue's part of one delivery, while so many others have not been worked on."""
    engine = connect(f"sqlite:///{directory}/waiting-{count}.sqlite")
    migrate(engine)
    writer = Writer(engine)
    queue = Inbox(engine, writer, threading.Event())
    values: Mapping[str, object] = {
        "event": "push",
        "body": b"{}",
        "received_at": TODAY,
        "status": Status.RECEIVED.value,
        "attempt": 1,
        "next_try_at": TODAY,
    }
    with engine.begin() as connection:
        many = [{**values, "guid": f"d-{n}", "repository": n} for n in range(count)]
        connection.execute(insert(inbox), many)

    def one() -> None:
        (job,) = queue.claim("here", TODAY, 1)
        queue.done(job, TODAY)

    try:
        yield lambda: timed(one)
    finally:
        writer.close()
        engine.dispose()
