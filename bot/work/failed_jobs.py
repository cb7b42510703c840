"""Which jobs are known to have failed on which pull requests: what lets most events of CI pass
without a question to GitHub. Kept from the events alone; a merge asks GitHub anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import BigInteger, Column, Engine, String, Table, delete, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import Moment, metadata, reading
from bot.writer import Writer
from webhooks.events import CheckFinished, Event, WorkflowFinished

KEEP = timedelta(days=14)  # a fix that took longer is learned at the merge alone
FAILED = ("failure", "timed_out")
UNNAMED = (0,)  # pull requests from forks, of which events do not tell the number

failed_jobs = Table(
    "failed_jobs",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("pull", BigInteger, primary_key=True, autoincrement=False),
    Column("app", BigInteger, primary_key=True, autoincrement=False),
    Column("job", String(300), primary_key=True),
    Column("head", String(64), nullable=False),
    Column("at", Moment, nullable=False),
)
_KEYS = tuple(failed_jobs.primary_key.columns)


class FailedJobs:
    """`us` is the id of the App itself, whose checks are nobody's. Methods raise Fault."""

    def __init__(self, engine: Engine, writer: Writer, us: int | None) -> None:
        self._engine = engine
        self._writer = writer
        self._us = us
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def note(self, event: Event, now: datetime) -> None:
        """Keeps the failure that the event tells, if it tells one."""
        if not isinstance(event, CheckFinished) or event.conclusion not in FAILED:
            return
        if event.app is None or event.app == self._us:
            return
        there = {"head": event.head_sha, "at": now}
        rows = [
            {
                "repository": event.origin.repository.id,
                "pull": pull,
                "app": event.app,
                "job": _stored(event.name),
                **there,
            }
            for pull in dict.fromkeys(event.pull_requests or UNNAMED)
        ]
        new = self._insert(failed_jobs).values(rows)
        newest = new.on_conflict_do_update(index_elements=_KEYS, set_=there)
        self._writer.do(lambda c: c.execute(newest).rowcount)

    def mended(self, event: CheckFinished | WorkflowFinished) -> bool:
        """Whether what passed here is known to have failed on another head of the pull request."""
        if event.conclusion != "success":
            return False
        row = select(failed_jobs.c.job).where(
            failed_jobs.c.repository == event.origin.repository.id,
            failed_jobs.c.pull.in_(event.pull_requests or UNNAMED),
            failed_jobs.c.head != event.head_sha,
        )
        if isinstance(event, CheckFinished):
            row = row.where(
                failed_jobs.c.app == event.app, failed_jobs.c.job == _stored(event.name)
            )
        with reading(self._engine) as c:
            return c.execute(row.limit(1)).first() is not None

    def forget(
        self,
        repository: int,
        pulls: Iterable[int],
        jobs: Iterable[tuple[int, str]] | None = None,
    ) -> None:
        """Failures of these pull requests: of `jobs`, as (App, name), or all."""
        rows = delete(failed_jobs).where(
            failed_jobs.c.repository == repository,
            failed_jobs.c.pull.in_(tuple(pulls) or UNNAMED),
        )
        if jobs is not None:
            named = [(app, _stored(name)) for app, name in jobs]
            rows = rows.where(tuple_(failed_jobs.c.app, failed_jobs.c.job).in_(named))
        self._writer.do(lambda c: c.execute(rows).rowcount)

    def prune(self, now: datetime) -> None:
        old = delete(failed_jobs).where(failed_jobs.c.at <= now - KEEP)
        self._writer.do(lambda c: c.execute(old).rowcount)


def _stored(name: str) -> str:
    """As much of a name as the column takes."""
    return name[:300]
