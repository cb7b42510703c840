"""`token`: the operator makes, lists and ends the tokens of readers.

A running server knows of each change at once: both read one database.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from bot.credentials import Vault, credentials
from bot.database import connect, migrate
from bot.environment import Environment
from bot.forge.app import App
from bot.readers import READER_TOKENS, Issued, Tokens
from bot.work.memory import Memory
from bot.writer import Writer


def issue(
    environment: Environment, full_name: str, reader: str, days: int, *, captures: bool
) -> tuple[str, Issued]:
    """A token for "owner/name" as GitHub has it now. Raises the errors of the forge room."""
    found = credentials(environment)
    app = App(found.app_id, found.private_key, base_url=environment.github_url)
    installation = app.repository_installation(full_name).id
    with app.forge(installation, full_name) as forge:
        repository = forge.repository()
    with _stores(environment) as (memory, tokens):
        memory.meet(repository.id, installation, repository.full_name)
        return tokens.issue(repository.id, repository.full_name, reader, days, captures=captures)


def revoke(environment: Environment, token: str) -> bool:
    """False where no token that is good has that id."""
    with _stores(environment) as (_, tokens):
        return tokens.revoke(token)


def issued(environment: Environment) -> tuple[Issued, ...]:
    with _stores(environment) as (_, tokens):
        return tokens.issued()


@contextmanager
def _stores(environment: Environment) -> Iterator[tuple[Memory, Tokens]]:
    vault = Vault.of(environment)
    vault.prepare()
    engine = connect(environment.database_url)
    migrate(engine)
    writer = Writer(engine)
    try:
        keys = vault.derived(READER_TOKENS)
        yield Memory(engine, writer), Tokens(engine, writer, keys, _now)
    finally:
        writer.close()
        engine.dispose()


def _now() -> datetime:
    return datetime.now(UTC)
