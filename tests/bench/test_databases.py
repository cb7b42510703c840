"""PostgreSQL is timed while it keeps the promise that SQLite keeps."""

from __future__ import annotations

import psycopg
import pytest

from bot.bench.postgres import postgres_folder, postgres_server


def test_what_is_timed_waits_for_the_disk() -> None:
    programs = postgres_folder()
    if programs is None:
        pytest.skip("PostgreSQL is missing")
    with (
        postgres_server(programs, fsync=True) as server,
        psycopg.connect(server.url) as connection,
    ):
        for name in ("fsync", "synchronous_commit"):
            assert connection.execute(f"SHOW {name}").fetchone() == ("on",)
