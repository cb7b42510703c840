"""For every room: databases, SQLite and PostgreSQL, fresh for each test; a strict sandbox."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from hypothesis import settings

from bot.bench.postgres import postgres_folder, postgres_server
from bot.sandbox.watch import Watch
from tests.fakes import openapi

# Tests are never timed. The rest is as Hypothesis has it here: in CI the same examples every time.
settings.register_profile("untimed", settings.default, deadline=None)
settings.load_profile("untimed")
settings.register_profile("fuzz", max_examples=10_000, deadline=None)  # `make fuzz`


@pytest.fixture(scope="session", autouse=True)
def described_writes() -> Iterator[None]:
    """A write that GitHub's own description does not allow surprises whatever sandbox gets it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Watch, "inspect", openapi.problems)
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server: the configured one, or one started for this run."""
    configured = os.environ.get("LESSONKEEPER_TEST_POSTGRES")
    programs = postgres_folder()
    if configured:
        yield configured
    elif programs is not None:
        with postgres_server(programs) as server:
            yield server.url
    elif os.environ.get("CI"):
        pytest.fail("PostgreSQL is missing: install it or set LESSONKEEPER_TEST_POSTGRES")
    else:
        pytest.skip("PostgreSQL is missing: install it or set LESSONKEEPER_TEST_POSTGRES")


@pytest.fixture
def postgres_url(postgres: str) -> str:
    """The URL of an empty database on that server."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{postgres.rpartition('/')[0]}/{name}"


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'data' / 'lessonkeeper.sqlite'}"


@pytest.fixture(params=["sqlite_url", "postgres_url"])
def database_url(request: pytest.FixtureRequest) -> str:
    """Each kind of database in turn: what holds for one holds for the other."""
    url: str = request.getfixturevalue(request.param)
    return url
