"""Processes of a fleet: the real ledgers, queue and heartbeats, with work that leaves a trace.

Forked from one process that has imported everything: four of them start at the price of one.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from datetime import UTC, datetime
from multiprocessing.context import ForkServerProcess

from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table, create_engine, text

from bot.database import connect
from bot.handover import Handover
from bot.heartbeats import Heartbeats
from bot.inbox import Inbox
from bot.jobs import Kind, Threads
from bot.metrics import Metrics
from bot.writer import Writer
from bot.writes import Writes

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload([__name__, "pytest"])

trace = Table(
    "trace",
    MetaData(),
    Column("at", Integer, primary_key=True),
    Column("executor", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("repository", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("what", String, nullable=False),  # begun, beside (another write of it), done
)


def start(url: str, name: str, *, hangs: bool = False) -> ForkServerProcess:
    """One process under that name; with `hangs` its first write never ends."""
    process = _forks.Process(target=_serve, args=(url, name, hangs))
    process.start()
    return process


def _serve(url: str, name: str, hangs: bool) -> None:
    told_to_stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda _signal, _frame: told_to_stop.set())
    engine = connect(url)
    traces = create_engine(engine.url, isolation_level="AUTOCOMMIT")
    writer = Writer(engine)
    bell = threading.Event()
    writes = Writes(engine, writer, bell)

    def work(kind: Kind, key: str, number: int) -> None:
        row = {"executor": name, "kind": kind, "repository": int(key), "number": number}
        with traces.connect() as connection:
            connection.execute(trace.insert(), {**row, "what": "begun"})
            if kind is Kind.HEAR:
                writes.request(int(key), datetime.now(UTC))
            else:
                # Freed when its holder dies, as the server's own connection ends with it.
                alone = text("SELECT pg_try_advisory_lock(:key)")
                if not connection.execute(alone, {"key": int(key)}).scalar():
                    connection.execute(trace.insert(), {**row, "what": "beside"})
                if hangs:
                    threading.Event().wait()
                connection.execute(text("SELECT pg_advisory_unlock_all()"))
            connection.execute(trace.insert(), {**row, "what": "done"})

    handover = Handover(
        name,
        {Kind.HEAR: Inbox(engine, writer, bell), Kind.WRITE: writes},
        Threads(),
        dict.fromkeys(Kind, work),
        Metrics(),
        bell,
        heartbeats=Heartbeats(engine, writer, name),
    )
    handover.start()
    told_to_stop.wait()
    handover.stop(10)
    writer.close()
