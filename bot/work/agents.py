"""What readers send back: lessons they propose, and whether they heeded one.

A proposal waits for a person's press like any other question. What a reader reports of itself is
stored and never counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import BigInteger, Boolean, Column, Engine, String, Table, Text, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from bot.channels.questions import AGENT, Answer, Record, of_proposal
from bot.database import Moment, metadata, reading
from bot.distill.note import as_typed
from bot.distill.quarantine import quarantine
from bot.distill.validate import Refused
from bot.errors import UserError
from bot.facts import PullRequest
from bot.forge.errors import Gone
from bot.lessons.document import Document
from bot.lessons.standing import parse
from bot.work.memory import Known
from bot.work.pitfalls import Files, clean
from bot.work.places import Place
from bot.work.questions import Questions
from bot.work.showing import Access, Admitted
from bot.writer import Writer

MOST_PROPOSALS = 5  # of one reader that wait in one pull request: a person reads each
NOTE = 400  # characters of a report's note, and of a proposal's reason
KEEP = timedelta(days=90)
_ID = re.compile(r"[0-9a-f]{8}")

Open = Callable[[Known], AbstractContextManager[Place]]

reports = Table(
    "reported_outcomes",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("lesson", String(8), primary_key=True),
    Column("reader", String(80), primary_key=True),
    Column("heeded", Boolean, nullable=False),
    Column("note", Text, nullable=False),
    Column("at", Moment, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Report:
    """What one reader last said of one lesson."""

    lesson: str
    reader: str
    heeded: bool
    note: str
    at: datetime


class Reports:
    """Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def keep(self, repository: int, report: Report) -> None:
        """The newest word of a reader on a lesson stands."""
        said = {"heeded": report.heeded, "note": report.note, "at": report.at}
        keys = {"repository": repository, "lesson": report.lesson, "reader": report.reader}
        row = self._insert(reports).values(**keys, **said)
        newer = row.on_conflict_do_update(index_elements=list(keys), set_=said)
        self._writer.do(lambda c: c.execute(newer).rowcount)

    def of(self, repository: int) -> tuple[Report, ...]:
        columns = [reports.c[name] for name in ("lesson", "reader", "heeded", "note", "at")]
        rows = select(*columns).where(reports.c.repository == repository)
        with reading(self._engine) as c:
            return tuple(Report(*row) for row in c.execute(rows.order_by(*columns[:2])))

    def prune(self, now: datetime) -> None:
        old = delete(reports).where(reports.c.at <= now - KEEP)
        self._writer.do(lambda c: c.execute(old).rowcount)


@dataclass(frozen=True, slots=True)
class Agents:
    """Wired once; called by many threads. None: the reader may not do that there.

    Methods raise UserError for what the reader can do better, Fault for what broke.
    """

    access: Access
    questions: Questions
    reports: Reports
    open: Open
    now: Callable[[], datetime]

    def propose(
        self, token: str, full_name: str, sentence: str, why: str, pull: int | None
    ) -> Mapping[str, str] | None:
        """Asks people to keep a sentence; what became of it."""
        admitted = self.access.admit(token, full_name)
        if admitted is None:
            return None
        number = admitted.reader.pull or pull
        if number is None:
            raise UserError(
                "A proposal belongs to a pull request: people decide about it there.",
                remedy="Call again with pull_request once there is one.",
            )
        if not admitted.seen.acts:
            raise UserError(
                "The settings of this repository do not let Lessonkeeper write.",
                remedy="A person turns it on in .github/lessonkeeper.yml.",
            )
        checked = as_typed(sentence, admitted.seen.files.settings.store.characters)
        if isinstance(checked, Refused):
            raise UserError(checked.reason, remedy="Say it in one plain sentence of its own.")
        reason = clean(why)[:NOTE]
        question = of_proposal(
            admitted.known.id,
            self._pull(admitted.known, number),
            admitted.reader.name,
            checked.text,
            reason,
            self.now(),
            quarantine(f"{sentence}\n\n{why}"),
        )
        before = self.questions.get(admitted.known.id, question.id)
        if before is None:
            self._demand_room(admitted, number)
            self.questions.add(admitted.known.id, question, self.now())
        return {"id": question.id, "state": _state(before), "sentence": clean(checked.text)}

    def report(
        self, token: str, full_name: str, lesson: str, note: str, *, heeded: bool
    ) -> Mapping[str, str] | None:
        """Keeps what a reader says of a lesson that it was shown."""
        admitted = self.access.admit(token, full_name)
        if admitted is None:
            return None
        files = admitted.seen.files
        if _ID.fullmatch(lesson) is None or lesson not in _ids(files, self.now()):
            raise UserError(
                "No lesson here has that id.",
                remedy="Give the eight hex digits that stand behind it in known_pitfalls.",
            )
        said = Report(lesson, admitted.reader.name, heeded, clean(note)[:NOTE], self.now())
        self.reports.keep(admitted.known.id, said)
        return {"lesson": lesson, "state": "stored"}

    def _pull(self, known: Known, number: int) -> PullRequest:
        try:
            with self.open(known) as place:
                return place.forge.pull_request(number)
        except Gone as error:
            raise UserError(
                f"There is no pull request #{number}.", remedy="Name the one you work on."
            ) from error

    def _demand_room(self, admitted: Admitted, number: int) -> None:
        mine = f"{AGENT}{admitted.reader.name}:"
        waiting = [
            record
            for record in self.questions.of(admitted.known.id, number)
            if record.decision is None and record.question.source.startswith(mine)
        ]
        if len(waiting) >= MOST_PROPOSALS:
            raise UserError(
                f"{len(waiting)} of your proposals wait in #{number} already.",
                remedy="Wait until a person has decided about them.",
            )


def _state(record: Record | None) -> str:
    if record is None or record.decision is None:
        return "waits for a person"
    return "discarded" if record.decision.answer is Answer.DISCARD else "kept"


def _ids(files: Files, now: datetime) -> frozenset[str]:
    """Of every lesson in the store, shown or not, retired or not."""
    bullets = Document.parse(files.lessons or b"", now.date()).bullets
    standing = (parse(path, data) for path, data in files.standing.items())
    return frozenset(each.id for each in (*bullets, *standing) if each is not None and each.id)
