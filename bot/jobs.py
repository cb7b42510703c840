"""The queue behind a thin port: each job begins as soon as it is there, and survives a crash.

DBOS lives here alone. The queue knows numbers, not payloads; what a job means is the handover's,
and which jobs may run beside each other its ledgers say.
"""

from __future__ import annotations

import enum
import logging
import sqlite3
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import sqlalchemy
from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID, WorkflowStatus
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import Fault, UserError

log = logging.getLogger(__name__)


class Kind(enum.StrEnum):
    """HEAR jobs read facts and distil; WRITE jobs write, of a repository one at a time."""

    HEAR = "hear"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Job:
    """One try of one piece of work. `key` is the repository id, `number` what its ledger calls it.

    Its id is `<name>/<attempt>`: an id runs once, so a new try is a new attempt.
    """

    kind: Kind
    key: str
    number: int
    name: str
    attempt: int = 1

    @property
    def id(self) -> str:
        return f"{self.name}/{self.attempt}"


class State(enum.Enum):
    """What the queue knows of a job: nothing, it waits or runs, it ran, it killed its process."""

    ABSENT = "absent"
    WAITING = "waiting"
    ENDED = "ended"
    KILLED = "killed"


class Queue(Protocol):
    """`run` is called once per job id; after a crash again, at most RECOVERIES times."""

    def start(self, run: Callable[[Job], None]) -> None: ...

    def enqueue(self, job: Job) -> None:
        """Durable when it returns; a known id is ignored. Raises Fault when the queue is down."""

    def state(self, job: Job) -> State: ...

    def capacity(self, kind: Kind) -> int:
        """How many jobs of this kind to give it at once; the others wait in their ledger."""

    def abandon(self, executor: str) -> Sequence[Job]:
        """Gives up what this process, which is dead, had begun; the jobs, to be tried anew."""

    def collect(self, before: datetime) -> int:
        """Forget jobs that ended before this time; how many. A forgotten id would run again."""

    def stop(self, grace: float) -> None:
        """Start nothing more and wait at most `grace` seconds for what runs."""


class InlineQueue:
    """In one thread, in memory: for the command line and for tests. `drain` runs what waits."""

    def __init__(self) -> None:
        self._states: dict[str, State] = {}
        self._waiting: deque[Job] = deque()
        self._run: Callable[[Job], None] | None = None

    def start(self, run: Callable[[Job], None]) -> None:
        self._run = run

    def enqueue(self, job: Job) -> None:
        if job.id not in self._states:
            self._states[job.id] = State.WAITING
            self._waiting.append(job)

    def drain(self) -> int:
        """Run every waiting job, those that they enqueue included; how many ran."""
        ran = 0
        while self._run is not None and self._waiting:
            job = self._waiting.popleft()
            self._run(job)
            self._states[job.id] = State.ENDED
            ran += 1
        return ran

    def state(self, job: Job) -> State:
        return self._states.get(job.id, State.ABSENT)

    def capacity(self, kind: Kind) -> int:
        return sys.maxsize

    def abandon(self, executor: str) -> Sequence[Job]:
        return ()

    def collect(self, before: datetime) -> int:
        ended = [name for name, state in self._states.items() if state is State.ENDED]
        for name in ended:
            del self._states[name]
        return len(ended)

    def stop(self, grace: float) -> None:
        self._waiting.clear()


# Raised when what a job is given changes. A process takes nothing up that its name began under
# another version: the ledger hands that over anew.
APPLICATION_VERSION = "1"
RECOVERIES = 3  # a job that kills its process would otherwise be tried a hundred times
AT_ONCE = {
    Kind.HEAR: 8,  # distilling waits for a model most of the time
    Kind.WRITE: 4,  # git is processor and disk
}
_KILLED = "MAX_RECOVERY_ATTEMPTS_EXCEEDED"
_ENDED = ["SUCCESS", "ERROR", "CANCELLED"]

# DBOS finds a workflow by its name after a restart, so what it calls has to hang on the module.
_run: Callable[[Job], None] | None = None


@DBOS.workflow(name="job", max_recovery_attempts=RECOVERIES)
def _job(kind: str, key: str, number: int, name: str, attempt: int) -> None:
    if _run is None:
        raise Fault("the queue runs without its handlers")
    _run(Job(Kind(kind), key, number, name, attempt))


class DbosQueue:
    """The queue on SQLite (a file of its own) or PostgreSQL (schema `dbos`). One per process.

    `executor` must be stable over restarts and no other live process may have it: a process takes
    up again what its executor left running (bot/executor.py).
    """

    def __init__(self, url: str, executor: str) -> None:
        self._url = queue_url(url)
        self._executor = executor

    def start(self, run: Callable[[Job], None]) -> None:
        """Take up what a crash left. Raises UserError."""
        global _run
        _run = run
        _prepare(self._url)
        config: DBOSConfig = {
            "name": "lessonkeeper",
            "system_database_url": self._url.render_as_string(hide_password=False),
            "application_version": APPLICATION_VERSION,
            "executor_id": self._executor,
            "serializer": DBOSPortableJSONSerializer(),  # the default one is pickle
            "log_level": "WARNING",
            "notification_listener_polling_interval_sec": 0.2,  # a stop waits for one; none is sent
        }
        DBOS(config=config)
        # Its queues are polled by every process, at a price; a ledger's claim does the same.
        DBOS.listen_queues([])
        DBOS.launch()

    def enqueue(self, job: Job) -> None:
        try:
            with SetWorkflowID(job.id):
                DBOS.start_workflow(
                    _job, job.kind.value, job.key, job.number, job.name, job.attempt
                )
        except SQLAlchemyError as error:
            raise Fault(f"the queue refused a job: {type(error).__name__}") from error

    def state(self, job: Job) -> State:
        status = DBOS.get_workflow_status(job.id)
        if status is None or self._is_nobodys(status):
            return State.ABSENT
        if status.status == _KILLED:
            return State.KILLED
        return State.ENDED if status.status in _ENDED else State.WAITING

    def _is_nobodys(self, status: WorkflowStatus) -> bool:
        # Earlier releases left writes in a queue of DBOS, which nobody listens to any more.
        # What is taken up again waits in DBOS's own.
        if status.status == "ENQUEUED":
            return status.queue_name in [*Kind]
        began = (status.status, status.executor_id) == ("PENDING", self._executor)
        return began and status.app_version != APPLICATION_VERSION

    def capacity(self, kind: Kind) -> int:
        return AT_ONCE[kind]

    def abandon(self, executor: str) -> Sequence[Job]:
        begun = DBOS.list_workflows(
            status="PENDING", executor_id=executor, name="job", load_output=False
        )
        # Should that process live after all and start anew, it takes nothing of this up again.
        DBOS.cancel_workflows([each.workflow_id for each in begun])
        return [_job_of(each.input) for each in begun if each.input is not None]

    def collect(self, before: datetime) -> int:
        ended = DBOS.list_workflows(
            completed_before=before.isoformat(),
            status=[*_ENDED, _KILLED],
            limit=500,
            load_input=False,
            load_output=False,
        )
        DBOS.delete_workflows([workflow.workflow_id for workflow in ended])
        return len(ended)

    def stop(self, grace: float) -> None:
        DBOS.destroy(workflow_completion_timeout_sec=int(grace))


def _job_of(given: Mapping[str, Any]) -> Job:
    """The job that a workflow was given, whatever process enqueued it."""
    kind, key, number, name, attempt = given["args"]
    return Job(Kind(kind), key, number, name, attempt)


def queue_url(url: str) -> sqlalchemy.URL:
    """Where the queue keeps its tables: beside a SQLite database, inside a PostgreSQL one."""
    parsed = sqlalchemy.make_url(url)
    if parsed.drivername.startswith("sqlite"):
        file = Path(str(parsed.database))
        return parsed.set(database=str(file.with_name(f"{file.stem}-queue{file.suffix}")))
    return parsed.set(drivername="postgresql+psycopg")


def _prepare(url: sqlalchemy.URL) -> None:
    """What DBOS leaves to its host: WAL, an SQLite function, and that no row holds a pickle."""
    if url.drivername.startswith("sqlite"):
        with closing(sqlite3.connect(str(url.database))) as connection:
            connection.execute("PRAGMA journal_mode=WAL")  # stays in the file
        if sqlite3.sqlite_version_info < (3, 42) and not sqlalchemy.event.contains(
            sqlalchemy.Engine, "connect", _add_unixepoch
        ):
            sqlalchemy.event.listen(sqlalchemy.Engine, "connect", _add_unixepoch)
    engine = sqlalchemy.create_engine(url)
    try:
        schema = None if engine.dialect.name == "sqlite" else "dbos"
        if sqlalchemy.inspect(engine).has_table("workflow_status", schema=schema):
            table = sqlalchemy.table(
                "workflow_status", sqlalchemy.column("serialization"), schema=schema
            )
            pickled = sqlalchemy.select(table).where(table.c.serialization == "py_pickle").limit(1)
            with engine.connect() as connection:
                if connection.execute(pickled).first() is not None:
                    raise UserError(
                        "The queue's database holds pickled rows, which are never read.",
                        remedy="Move that database away; the inbox hands its deliveries over anew.",
                    )
    finally:
        engine.dispose()


def _add_unixepoch(connection: object, _entry: object) -> None:
    """SQLite before 3.42 does not know unixepoch('subsec'), by which DBOS dates its rows."""
    if isinstance(connection, sqlite3.Connection):
        connection.create_function("unixepoch", 1, lambda _modifier: time.time_ns() // 10**6 / 1000)
