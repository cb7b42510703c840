"""The record of what waits for a person, and of what was decided, for 14 days.

A decision and the write that it asks for are one transaction: a press counts once or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Engine,
    Row,
    String,
    Table,
    Text,
    delete,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from bot.channels.questions import KEPT, Answer, Decision, Kind, Question, Record
from bot.database import Moment, metadata, reading
from bot.work.codec import Wanted, question_from_text, question_to_text
from bot.work.memory import Memory
from bot.work.notices import CHECK_RUN, Notices
from bot.writer import Writer
from bot.writes import request_write

questions = Table(
    "questions",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("id", String(12), primary_key=True),
    Column("number", BigInteger, nullable=False),  # of the conversation
    Column("source", String(100), nullable=False),
    Column("at", Moment, nullable=False),
    Column("question", Text, nullable=False),
    Column("reply", BigInteger),  # the comment that gets an answer of its own
    Column("answer", String(10)),  # NULL: undecided
    Column("answered_by", String(100)),  # login
    Column("answered_at", Moment),
    Column("commit", String(64)),
    Column("bullet", String(8)),
    Column("outcome", Text),
)


class Questions:
    """Every change is on disk when a call returns. Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer, memory: Memory, notices: Notices) -> None:
        self._engine = engine
        self._writer = writer
        self._memory = memory
        self._notices = notices
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def get(self, repository: int, question: str) -> Record | None:
        with reading(self._engine) as c:
            row = c.execute(select(questions).where(*_key(repository, question))).first()
        return None if row is None else _record(row)

    def of(self, repository: int, number: int) -> tuple[Record, ...]:
        """Those of one conversation, oldest first."""
        mine = questions.c.repository == repository, questions.c.number == number
        rows = select(questions).where(*mine).order_by(questions.c.at, questions.c.id)
        with reading(self._engine) as c:
            return tuple(_record(row) for row in c.execute(rows))

    def of_repository(self, repository: int) -> tuple[Record, ...]:
        """All of it, oldest first."""
        mine = select(questions).where(questions.c.repository == repository)
        with reading(self._engine) as c:
            rows = c.execute(mine.order_by(questions.c.at, questions.c.id))
            return tuple(_record(row) for row in rows)

    def numbers(self, repository: int, prefix: str) -> frozenset[int]:
        """The conversations where something undecided is asked whose source begins so."""
        rows = select(questions.c.number).where(
            questions.c.repository == repository,
            questions.c.source.startswith(prefix, autoescape=True),
            questions.c.answer.is_(None),
        )
        with reading(self._engine) as c:
            return frozenset(c.execute(rows).scalars())

    def ask(
        self,
        repository: int,
        number: int,
        prefix: str,
        asked: tuple[Question, ...],
        now: datetime,
    ) -> None:
        """What the sources that begin with `prefix` ask in a conversation now.

        New ones are kept; undecided ones that are no longer asked are forgotten.
        """
        if not asked and number not in self.numbers(repository, prefix):
            return  # most often: no need to wait for the disk
        gone = delete(questions).where(
            questions.c.repository == repository,
            questions.c.number == number,
            questions.c.source.startswith(prefix, autoescape=True),
            questions.c.answer.is_(None),
            questions.c.id.not_in([each.id for each in asked]),
        )

        def change(c: Connection) -> None:
            new = [self._keep(c, repository, each, None, {}) for each in asked]
            if c.execute(gone).rowcount or any(new):
                self._notices.put(c, repository, number, CHECK_RUN, None, now)

        self._writer.do(change)

    def add(self, repository: int, question: Question, now: datetime) -> None:
        """One more question, unless it was asked before."""

        def change(c: Connection) -> None:
            if self._keep(c, repository, question, None, {}):
                self._tell(c, repository, question, now)

        self._writer.do(change)

    def keep(
        self,
        repository: int,
        question: Question,
        reply: int | None,
        decision: Decision,
        wanted: Wanted,
        now: datetime,
    ) -> bool:
        """A question that came decided, with the write it asks for; false where it was known."""

        def change(c: Connection) -> bool:
            values = _decided(decision)
            if not self._keep(c, repository, question, reply, values):
                return False
            self._memory.put(c, repository, subject(question.id), wanted, now, now)
            return True

        return self._writer.do(change)

    def decide(
        self,
        repository: int,
        question: Question,
        reply: int | None,
        decision: Decision,
        wanted: Wanted,
        now: datetime,
    ) -> bool:
        """Answers an undecided question, and asks for the write; false where it was decided."""
        values = _decided(decision) | ({} if reply is None else {"reply": reply})
        row = (
            update(questions)
            .where(*_key(repository, question.id), questions.c.answer.is_(None))
            .values(**values)
        )

        def change(c: Connection) -> bool:
            if c.execute(row).rowcount == 0:
                return False
            if wanted != Wanted():
                self._memory.put(c, repository, subject(question.id), wanted, now, now)
            self._tell(c, repository, question, now)
            return True

        return self._writer.do(change)

    def came_to(
        self,
        repository: int,
        question: Question,
        now: datetime,
        *,
        commit: str | None = None,
        bullet: str | None = None,
        outcome: str = "",
    ) -> None:
        """What a decision came to; what was told of a commit once is not told otherwise later."""
        known = self.get(repository, question.id)
        told = known.decision if known is not None else None
        if told is not None and (told.commit, told.bullet, told.outcome) == (
            commit,
            bullet,
            outcome,
        ):
            return  # to say it again would ask for another write job, for ever
        row = (
            update(questions)
            .where(*_key(repository, question.id), questions.c.commit.is_(None))
            .values(commit=commit, bullet=bullet, outcome=outcome)
        )

        def change(c: Connection) -> None:
            if c.execute(row).rowcount and question.kind is not Kind.NOTE:
                self._tell(c, repository, question, now)

        self._writer.do(change)

    def prune(self, now: datetime) -> None:
        old = delete(questions).where(questions.c.at <= now - KEPT)
        self._writer.do(lambda c: c.execute(old).rowcount)

    def _tell(self, c: Connection, repository: int, question: Question, now: datetime) -> None:
        """In its conversation, if that is on GitHub; whoever else tells does so after a write."""
        if question.number:
            self._notices.put(c, repository, question.number, CHECK_RUN, None, now)
        else:
            request_write(c, repository, now)

    def _keep(
        self,
        c: Connection,
        repository: int,
        question: Question,
        reply: int | None,
        values: Mapping[str, object],
    ) -> bool:
        """Whether it is new. Asked by RETURNING: PostgreSQL's driver counts no inserted rows."""
        new = self._insert(questions).values(
            repository=repository,
            id=question.id,
            number=question.number,
            source=question.source,
            at=question.at,
            question=question_to_text(question),
            reply=reply,
            **values,
        )
        kept = new.on_conflict_do_nothing().returning(questions.c.id)
        return c.execute(kept).first() is not None


def subject(question: str) -> str:
    """Under which a decision waits for its write."""
    return f"note:{question}"


def _key(repository: int, question: str) -> tuple[ColumnElement[bool], ...]:
    return questions.c.repository == repository, questions.c.id == question


def _decided(decision: Decision) -> dict[str, object]:
    return {
        "answer": decision.answer.value,
        "answered_by": decision.by,
        "answered_at": decision.at,
        "outcome": decision.outcome,
    }


def _record(row: Row[tuple[object, ...]]) -> Record:
    decision = None
    if row.answer is not None:
        decision = Decision(
            Answer(row.answer),
            row.answered_by,
            row.answered_at,
            row.commit,
            row.bullet,
            row.outcome or "",
        )
    return Record(question_from_text(row.question), decision, row.reply)
