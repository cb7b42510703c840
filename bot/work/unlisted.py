"""Bots that review and are not heard because nobody listed them, so that somebody can."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import BigInteger, Column, Engine, String, Table, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

from bot.channels.review import Told
from bot.channels.trust import is_agent, is_person, reviewer_of
from bot.database import Moment, metadata, reading
from bot.facts import Account
from bot.settings import Settings
from bot.web.pages import Unheard
from bot.writer import Writer

KEEP = timedelta(days=90)

unlisted_reviews = Table(
    "unlisted_reviews",
    metadata,
    Column("repository", BigInteger, primary_key=True, autoincrement=False),
    Column("review", BigInteger, primary_key=True, autoincrement=False),
    Column("login", String(100), nullable=False),
    Column("at", Moment, nullable=False),  # when it was first read
)


class Unlisted:
    """Methods raise Fault when the database does."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def note(
        self,
        repository: int,
        told: Sequence[Told],
        settings: Settings,
        us: Account,
        now: datetime,
    ) -> None:
        """Keeps those of a pull request's reviews that nobody listed, each once."""
        rows = [
            {"repository": repository, "review": each.review, "login": each.by.login, "at": now}
            for each in told
            if each.by.id != us.id and _is_unlisted(each.by, settings)
        ]
        if rows:
            new = self._insert(unlisted_reviews).values(rows).on_conflict_do_nothing()
            self._writer.do(lambda c: c.execute(new).rowcount)

    def of(self, repository: int, settings: Settings) -> tuple[Unheard, ...]:
        """Those that are still not listed, the busiest first."""
        count = func.count()
        rows = (
            select(unlisted_reviews.c.login, count)
            .where(unlisted_reviews.c.repository == repository)
            .group_by(unlisted_reviews.c.login)
            .order_by(count.desc(), unlisted_reviews.c.login)
        )
        with reading(self._engine) as c:
            found = [Unheard(login, reviews) for login, reviews in c.execute(rows)]
        return tuple(
            each for each in found if _is_unlisted(Account(0, each.login, "Bot"), settings)
        )

    def prune(self, now: datetime) -> None:
        old = delete(unlisted_reviews).where(unlisted_reviews.c.at <= now - KEEP)
        self._writer.do(lambda c: c.execute(old).rowcount)


def _is_unlisted(account: Account, settings: Settings) -> bool:
    """An App that is neither among the reviewers nor one that people's agents act from."""
    heard = reviewer_of(account, settings) is not None or is_agent(account, settings)
    return not heard and not is_person(account, settings)
