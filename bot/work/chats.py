"""Which chat a repository writes to, and what each message there shows, so that none comes twice.

Rows and what they hold; what is said is decided elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    Integer,
    String,
    Table,
    delete,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import Moment, metadata, reading
from bot.writer import Writer

KEEP = timedelta(days=30)  # a question is gone after 14 days

chats = Table(
    "telegram_chats",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("chat", BigInteger, nullable=False),
)
messages = Table(
    "telegram_messages",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("question", String(12), primary_key=True),
    Column("chat", BigInteger, nullable=False),  # 0: none was configured
    Column("message", BigInteger),  # NULL: it could not be sent yet
    Column("shows", String(64), nullable=False),  # digest of what it says; empty: not known
    Column("attempt", Integer, nullable=False),
    Column("again_at", Moment),  # after a fault: nothing is said to the chat before
    Column("at", Moment, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Posted:
    """The message about a question. `attempt` counts tries that failed since it last worked."""

    question: str
    chat: int
    message: int | None
    shows: str
    attempt: int = 0
    again_at: datetime | None = None


class Chats:
    """Every change is on disk when a call returns. Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def serves(self, repository: int, chat: int) -> bool:
        """Notes which chat the settings of a repository name; 0: none.

        Whether something waits that nobody was told of while there was none.
        """
        new = self._insert(chats).values(repository=repository, chat=chat)
        row = new.on_conflict_do_update(index_elements=["repository"], set_={"chat": chat})
        untold = delete(messages).where(messages.c.repository == repository, messages.c.chat == 0)

        def change(c: Connection) -> bool:
            c.execute(row)
            return chat != 0 and c.execute(untold).rowcount > 0

        return self._writer.do(change)

    def repositories(self, chat: int) -> tuple[int, ...]:
        """Those that are known to write to it."""
        rows = select(chats.c.repository).where(chats.c.chat == chat, chats.c.chat != 0)
        with reading(self._engine) as c:
            return tuple(c.execute(rows.order_by(chats.c.repository)).scalars())

    def of(self, repository: int) -> dict[str, Posted]:
        """By question."""
        columns = [messages.c[each.name] for each in fields(Posted)]
        rows = select(*columns).where(messages.c.repository == repository)
        with reading(self._engine) as c:
            return {row.question: Posted(*row) for row in c.execute(rows)}

    def keep(self, repository: int, posted: Posted, now: datetime) -> None:
        values = {
            "chat": posted.chat,
            "message": posted.message,
            "shows": posted.shows,
            "attempt": posted.attempt,
            "again_at": posted.again_at,
            "at": now,
        }
        keys = {"repository": repository, "question": posted.question}
        new = self._insert(messages).values(**keys, **values)
        row = new.on_conflict_do_update(index_elements=list(keys), set_=values)
        self._writer.do(lambda c: c.execute(row).rowcount)

    def stands(self, repository: int, question: str, chat: int, message: int) -> None:
        """Somebody pressed on this message: it is the one to edit, whatever it shows."""
        row = (
            update(messages)
            .where(messages.c.repository == repository, messages.c.question == question)
            .values(chat=chat, message=message, shows="", attempt=0)
        )
        self._writer.do(lambda c: c.execute(row).rowcount)

    def forget(self, repository: int, question: str) -> None:
        row = delete(messages).where(
            messages.c.repository == repository, messages.c.question == question
        )
        self._writer.do(lambda c: c.execute(row).rowcount)

    def prune(self, now: datetime) -> None:
        old = delete(messages).where(messages.c.at <= now - KEEP)
        self._writer.do(lambda c: c.execute(old).rowcount)
