"""Which account each login of a repository's settings meant when it was first read there.

Remembered as long as the login stands in the settings; the bot asks GitHub once for each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import BigInteger, Column, Engine, String, Table, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import Moment, metadata, reading
from bot.facts import Account
from bot.forge.protocol import Forge
from bot.settings import Settings
from bot.settings.accounts import Resolved, named, resolved
from bot.work.turns import Turns
from bot.writer import Writer

AGAIN = timedelta(hours=1)  # until a login that nobody had is looked up once more

listed = Table(
    "listed_accounts",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("login", String(100), primary_key=True),  # in lower case
    Column("account", BigInteger),  # NULL: nobody had that login
    Column("at", Moment, nullable=False),
)


@dataclass(frozen=True, slots=True)
class _Row:
    account: int | None
    at: datetime


class ListedAccounts:
    """Every change is on disk when a call returns."""

    def __init__(self, engine: Engine, writer: Writer, now: Callable[[], datetime]) -> None:
        self._engine = engine
        self._writer = writer
        self._now = now
        self._turns = Turns()
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def resolve(self, repository: int, settings: Settings, forge: Forge) -> Settings:
        """The settings, each login with the account it means. Raises what the forge raises.

        A login that nobody has is matched as it is written until an account has it.
        """
        logins, now = named(settings), self._now()
        known = self._known(repository)
        for gone in known.keys() - logins:
            self._forget(repository, gone)
        if any(_is_to_ask(known.get(login), now) for login in logins):
            with self._turns.of(repository, 0):  # one asks for all that read the settings together
                known = self._asked(repository, logins, forge, now)
        ids = {login: row.account for login, row in known.items() if row.account is not None}
        return resolved(settings, ids)

    def _asked(
        self, repository: int, logins: Collection[str], forge: Forge, now: datetime
    ) -> dict[str, _Row]:
        known = self._known(repository)
        for login in sorted(logins):
            if _is_to_ask(known.get(login), now):
                found = forge.account(login)
                known[login] = _Row(found.id if found else None, now)
                self._keep(repository, login, known[login])
        return known

    def _known(self, repository: int) -> dict[str, _Row]:
        rows = select(listed).where(listed.c.repository == repository)
        with reading(self._engine) as c:
            return {row.login: _Row(row.account, row.at) for row in c.execute(rows)}

    def _keep(self, repository: int, login: str, row: _Row) -> None:
        """What was kept first stands: of two that look at once both are told the same by GitHub."""
        values = {"account": row.account, "at": row.at}
        new = self._insert(listed).values(repository=repository, login=login, **values)
        kept = new.on_conflict_do_update(
            index_elements=[listed.c.repository, listed.c.login],
            set_=values,
            where=listed.c.account.is_(None),
        )
        self._writer.do(lambda c: c.execute(kept).rowcount)

    def _forget(self, repository: int, login: str) -> None:
        row = delete(listed).where(listed.c.repository == repository, listed.c.login == login)
        self._writer.do(lambda c: c.execute(row).rowcount)


def _is_to_ask(row: _Row | None, now: datetime) -> bool:
    return row is None or (row.account is None and row.at <= now - AGAIN)


def account_of(forge: Forge, login: str) -> Account | None:
    """The account that a login of resolved settings means, under its present login."""
    if isinstance(login, Resolved):
        return forge.account_of(login.id)
    return forge.account(login)
