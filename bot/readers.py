"""Who may read a repository's block from a server: readers whose token the operator made.

A token is signed, names one repository by its numeric id, ends, and can be revoked. It is printed
once and kept nowhere. Knows no HTTP and no lesson; GitHub Actions is in `bot.actions`.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Protocol

from itsdangerous import BadData, URLSafeSerializer
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Engine,
    String,
    Table,
    delete,
    insert,
    select,
    update,
)

from bot.database import Moment, metadata, reading
from bot.errors import UserError
from bot.invocation import command
from bot.writer import Writer

READER_TOKENS = "reader tokens"  # the purpose that their keys are derived for
PREFIX = "lkr_"  # tells a token of ours from a JWT, also to scanners of leaked secrets
DAYS = 90
LONGEST_DAYS = 366
_LONGEST_TOKEN = 1000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_KEEP = timedelta(days=90)  # of an ended token, for `token --list`

tokens = Table(
    "reader_tokens",
    metadata,
    Column("id", String(12), primary_key=True),
    Column("repository", BigInteger, nullable=False),
    Column("full_name", String(300), nullable=False),  # when it was made, for people
    Column("reader", String(64), nullable=False),
    Column("issued_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("revoked_at", Moment),
    Column("captures", Boolean, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads, and the one repository (numeric id) it may read.

    `full_name` is that repository's present name, where the reader's proof holds it; `pull` the
    pull request that it reads for, where the proof says so; `captures`: it may save notes.
    """

    name: str
    repository: int
    full_name: str | None = None
    pull: int | None = None
    captures: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What a reader asks for; None: as the settings say. `session`: an interactive one."""

    items: int | None = None
    characters: int | None = None
    paths: tuple[str, ...] = ()
    session: bool = False


class Proof(Protocol):
    """One way to show who reads."""

    def reader(self, token: str) -> Reader | None:
        """None for what proves nothing. Raises Fault where that cannot be told now."""
        ...


@dataclass(frozen=True, slots=True)
class Issued:
    """A token as it is listed; the token itself is in nobody's hands but its reader's."""

    id: str
    repository: int
    full_name: str
    reader: str
    issued_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    captures: bool = False


class Tokens:
    """`keys` newest first: the first signs, each verifies; without one no token is good.

    Methods raise Fault when the database does.
    """

    def __init__(
        self, engine: Engine, writer: Writer, keys: Sequence[bytes], now: Callable[[], datetime]
    ) -> None:
        self._engine = engine
        self._writer = writer
        self._now = now
        self._signer = (
            URLSafeSerializer(
                list(reversed(keys)),
                salt="lessonkeeper reader",
                signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
            )
            if keys
            else None
        )

    def issue(
        self,
        repository: int,
        full_name: str,
        reader: str,
        days: int = DAYS,
        *,
        captures: bool = False,
    ) -> tuple[str, Issued]:
        """A new token, and how it is listed.

        Raises UserError for a name or a number of days that cannot be.
        """
        if _NAME.fullmatch(reader) is None:
            raise UserError(
                f"{reader[:80]!r} is no name for a reader.",
                remedy="Write letters, digits, dots, hyphens and underscores, at most 64.",
            )
        if not 0 < days <= LONGEST_DAYS:
            raise UserError(f"A token lives 1 to {LONGEST_DAYS} days, not {days}.")
        if self._signer is None:
            raise UserError("There is no key to sign with.", remedy=f"Run `{command('setup')}`.")
        now = self._now()
        ends = now + timedelta(days=days)
        made = Issued(
            secrets.token_hex(6), repository, full_name, reader, now, ends, None, captures
        )
        row = insert(tokens).values(**asdict(made))
        self._writer.do(lambda c: c.execute(row).rowcount)
        signed = self._signer.dumps({"id": made.id, "repository": repository})
        return f"{PREFIX}{signed!s}", made

    def reader(self, token: str) -> Reader | None:
        """Whose token this is, as long as it is good. The signature is compared in constant time,
        before anything else is looked at."""
        if self._signer is None or len(token) > _LONGEST_TOKEN or not token.startswith(PREFIX):
            return None
        try:
            body = self._signer.loads(token.removeprefix(PREFIX))
        except BadData:
            return None
        with reading(self._engine) as c:
            row = c.execute(select(tokens).where(tokens.c.id == body["id"])).first()
        if row is None or row.revoked_at is not None or row.expires_at <= self._now():
            return None
        if row.repository != body["repository"]:
            return None
        return Reader(row.reader, row.repository, captures=row.captures)

    def revoke(self, token: str) -> bool:
        """Ends a token by its id, at once and for good. False where no good one has that id."""
        row = (
            update(tokens)
            .where(tokens.c.id == token, tokens.c.revoked_at.is_(None))
            .values(revoked_at=self._now())
        )
        return self._writer.do(lambda c: c.execute(row).rowcount) == 1

    def issued(self) -> tuple[Issued, ...]:
        """All that are remembered, the newest last."""
        rows = select(tokens).order_by(tokens.c.issued_at, tokens.c.id)
        with reading(self._engine) as c:
            return tuple(Issued(*row) for row in c.execute(rows))

    def prune(self, now: datetime) -> None:
        old = delete(tokens).where(tokens.c.expires_at <= now - _KEEP)
        self._writer.do(lambda c: c.execute(old).rowcount)
