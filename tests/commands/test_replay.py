"""A stored delivery is worked on again on a person's word."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

import app
from bot.database import connect, migrate
from bot.delivery import Delivery
from bot.inbox import Inbox, Status
from bot.writer import Writer

NOW = datetime(2026, 11, 2, 10, tzinfo=UTC)


def test_a_failed_delivery_is_received_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path}/bot.db"
    monkeypatch.setenv("LESSONKEEPER_DATABASE_URL", url)
    monkeypatch.setenv("LESSONKEEPER_DATA", str(tmp_path))
    engine = connect(url)
    migrate(engine)
    writer = Writer(engine)
    inbox = Inbox(engine, writer, threading.Event())
    inbox.store(Delivery("d-1", "pull_request_review", b"{}", NOW, NOW))
    (job,) = inbox.claim("here", NOW, 1)
    inbox.failed(job, NOW, "it broke")
    assert app.main(["replay", "d-1"]) == 0
    found = inbox.find("d-1")
    assert found is not None
    assert (found.status, found.attempt) == (Status.RECEIVED, 2)
    assert app.main(["replay", "d-2"]) == 1
    assert "No delivery d-2 is stored" in capsys.readouterr().err
    writer.close()
    engine.dispose()
