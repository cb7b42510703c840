"""A whole receiver as a process of its own: web server, inbox, queue, and work that leaves a trace.

    python -m tests.webhooks.receiving alone|behind DATABASE_URL DATA_FOLDER SECRET…

`behind`: a receiver of its own listens in front of it. It writes its port to `port` and a line per
effect to `effects`. While `hold` exists work does not end.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from flask import Flask, request

from bot.database import connect, migrate
from bot.executor import Executor
from bot.handover import Handover
from bot.inbox import Inbox
from bot.jobs import Kind, Threads
from bot.metrics import Metrics
from bot.writer import Writer
from bot.writes import Writes
from webhooks.app import github_blueprint
from webhooks.events import Event, IssueChanged, Pushed
from webhooks.front import Collector, Front
from webhooks.reception import Reception
from webhooks.serve import serve
from webhooks.signature import Secrets

OUR_APP = 4242


def main(*, behind: bool, url: str, data: Path, secrets: list[str]) -> None:
    engine = connect(url)
    migrate(engine)
    writer, bell, metrics = Writer(engine), threading.Event(), Metrics()
    inbox, writes = Inbox(engine, writer, bell), Writes(engine, writer, bell)

    def effect(line: str) -> None:
        with (data / "effects").open("a") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())

    def hear(_kind: Kind, key: str, number: int) -> None:
        effect(f"begin {number}")
        while (data / "hold").exists():
            time.sleep(0.01)
        effect(f"heard {number}")
        writes.request(int(key), datetime.now(UTC))

    def write(_kind: Kind, key: str, _number: int) -> None:
        effect(f"wrote {key}")

    executor = Executor(data)
    handover = Handover(
        executor.name,
        {Kind.HEAR: inbox, Kind.WRITE: writes},
        Threads(),
        {Kind.HEAR: hear, Kind.WRITE: write},
        metrics,
        bell,
    )

    def wait(event: Event) -> timedelta | None:
        if isinstance(event, Pushed):
            effect(f"receiving {event.origin.guid}")
        return None if isinstance(event, IssueChanged) else timedelta(0)

    app = Flask("receiving")
    reception = Reception(inbox, wait)
    app.register_blueprint(github_blueprint(reception, Secrets(secrets), metrics, OUR_APP))
    app.add_url_rule("/metrics", view_func=metrics.render)
    app.add_url_rule("/peer", view_func=lambda: f"{request.remote_addr} {request.method}")

    def stop() -> None:
        handover.stop(grace=5)
        writer.close()
        engine.dispose()
        executor.release()
        effect("stopped")

    def started(port: int) -> None:
        (data / "port.new").write_text(str(port))
        (data / "port.new").rename(data / "port")

    handover.start()
    front = None
    collector = Collector(data, reception, metrics)
    if not behind:
        collector.empty()
    else:
        front = Front(data, Secrets(secrets), OUR_APP, collector, metrics)
    serve(app, "127.0.0.1", 0, stop, started, front)


if __name__ == "__main__":
    main(
        behind=sys.argv[1] == "behind",
        url=sys.argv[2],
        data=Path(sys.argv[3]),
        secrets=sys.argv[4:],
    )
