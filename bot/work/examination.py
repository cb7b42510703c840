"""Gathers what `doctor` judges: from this machine, the database and GitHub. It mends nothing."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Engine, inspect, make_url, text
from sqlalchemy.exc import SQLAlchemyError

from bot.credentials import Credentials, Vault, credentials
from bot.database import connect
from bot.environment import Environment, read
from bot.errors import Fault, UserError
from bot.facts import Repository
from bot.forge.deliveries import Deliveries
from bot.forge.survey import Grant, Inside, Registered, Survey, clock_skew
from bot.inbox import Inbox
from bot.invocation import command
from bot.settings import Settings
from bot.settings.file import FILE
from bot.settings.file import read as read_settings
from bot.telegram import Bot
from bot.work import doctor, telegram_checks
from bot.work.alarms import Alarms
from bot.work.doctor import Check, refused
from bot.writer import Writer

REPOSITORIES = 100  # looked at, three requests each; the rest is said


def examine(
    environ: Mapping[str, str], now: datetime | None = None, repositories: int = REPOSITORIES
) -> Iterator[Check]:
    """Every check, in the order in which an operator would mend them. Raises nothing."""
    try:
        environment = read(environ)
    except UserError as error:
        yield refused("environment", error)
        return
    yield from doctor.misspelt(environment)
    yield _git()
    yield from _storage(environment, now or datetime.now(UTC))
    bot = _bot(environment)
    if bot is not None:
        yield from telegram_checks.checks(bot, environment.url)
    yield from _app(environment, repositories, bot)
    yield from doctor.variables(environment)


def _bot(environment: Environment) -> Bot | None:
    token = environment.telegram_token
    return None if token is None else Bot(token, environment.telegram_url)


def _git() -> Check:
    try:
        from bot.git.command import Git  # where git is missing, the library cannot be imported

        return doctor.git(Git(Path.cwd()).output("version").decode().strip())
    except (ImportError, Fault):
        return doctor.git(None)


# --- the database ----------------------------------------------------------------------------


def _storage(environment: Environment, now: datetime) -> Iterator[Check]:
    url = environment.database_url
    try:
        file = _file(url)
        if file is not None and not file.exists():
            yield Check("database", None, "not there yet", f"`{command('serve')}` makes it.")
            return
        engine = connect(url)
    except UserError as error:
        yield refused("database", error)
        return
    try:
        database = _writable(engine)
        yield database
        if database.ok and inspect(engine).has_table("inbox"):
            yield from _inbox(engine, now)
        if database.ok and inspect(engine).has_table("alarms"):
            yield from _alarms(engine)
    finally:
        engine.dispose()


def _file(url: str) -> Path | None:
    try:
        parsed = make_url(url)
    except SQLAlchemyError:
        return None  # connect says what is wrong
    return Path(str(parsed.database)) if parsed.drivername.startswith("sqlite") else None


def _writable(engine: Engine) -> Check:
    try:
        with engine.begin() as connection:  # on SQLite this takes the lock of a writer
            if engine.dialect.name == "postgresql":
                read_only = connection.execute(text("SHOW transaction_read_only")).scalar() == "on"
                if read_only:
                    remedy = "Name the primary server in LESSONKEEPER_DATABASE_URL."
                    return Check("database", False, "can only be read", remedy)
    except SQLAlchemyError as error:
        return _broken(error)
    return Check("database", True, f"{engine.dialect.name}, can be written")


def _broken(error: SQLAlchemyError) -> Check:
    cause = getattr(error, "orig", None) or type(error).__name__
    said = next(iter(str(cause).splitlines()), type(error).__name__)
    remedy = "See that it runs, and that this user may write in it."
    return Check("database", False, said, remedy)


def _alarms(engine: Engine) -> Iterator[Check]:
    writer = Writer(engine)
    try:
        yield from doctor.alarms(Alarms(engine, writer).open())
    finally:
        writer.close()


def _inbox(engine: Engine, now: datetime) -> Iterator[Check]:
    writer = Writer(engine)
    try:
        rows = Inbox(engine, writer, threading.Event())
        yield from doctor.inbox(rows.counts(), rows.next_due(), now)
    finally:
        writer.close()


# --- GitHub ----------------------------------------------------------------------------------


def _app(environment: Environment, repositories: int, bot: Bot | None) -> Iterator[Check]:
    yield from _privacy(environment)
    try:
        yield doctor.clock(clock_skew(environment.github_url))
    except Fault as fault:
        yield refused("GitHub", fault)
    try:
        found = credentials(environment)
    except UserError as error:
        yield refused("credentials", error)
        return
    whence = "given by hand" if environment.app_id else str(Vault.of(environment).path)
    yield Check("credentials", True, f"App {found.app_id}, {whence}; the private key can be read")
    yield doctor.secrets(found, environment.url)
    try:
        yield from _registered(environment, found, repositories, bot)
    except (UserError, Fault) as error:
        yield refused("App", error)


def _privacy(environment: Environment) -> Iterator[Check]:
    """The files that we make; one that is mounted or made by hand is the operator's to judge."""
    vault = Vault.of(environment)
    for path in (environment.data, vault.path, environment.data / "key"):
        if path.exists():
            yield doctor.privacy(path, path.stat().st_mode)


def _registered(
    environment: Environment, found: Credentials, repositories: int, bot: Bot | None
) -> Iterator[Check]:
    survey = Survey(found.app_id, found.private_key, base_url=environment.github_url)
    app = survey.registered()
    yield from doctor.app(app)
    yield doctor.webhook(survey.webhook(), environment.url)
    yield doctor.sign_in(found, app, environment.url)
    listed = Deliveries(found.app_id, found.private_key, base_url=environment.github_url)
    yield doctor.deliveries(listed.page().sent, environment.url)
    grants = survey.grants()
    yield from doctor.grants(grants, app)
    yield from _repositories(environment, survey, app, grants, repositories, bot)


def _repositories(
    environment: Environment,
    survey: Survey,
    app: Registered,
    grants: tuple[Grant, ...],
    most: int,
    bot: Bot | None,
) -> Iterator[Check]:
    wanting: list[str] = []
    chats: defaultdict[int, list[str]] = defaultdict(list)
    seen = 0
    for grant in grants:
        if grant.suspended:
            continue
        try:
            with survey.inside(grant.id) as inside:
                for repository in inside.repositories():
                    if repository.archived:
                        continue
                    seen += 1
                    if seen > most:
                        continue
                    settings = yield from _repository(environment, inside, repository, app)
                    if settings.distiller == "claude":
                        wanting.append(repository.full_name)
                    if settings.telegram.chat:
                        chats[settings.telegram.chat].append(repository.full_name)
        except (UserError, Fault) as error:
            yield refused(f"repositories of {grant.account}", error)
    if seen > most:
        yield Check("repositories", None, f"{most} were looked at, {seen - most} more were not")
    yield doctor.model(wanting, environment.anthropic_api_key is not None)
    yield from telegram_checks.chats(bot, chats)


def _repository(
    environment: Environment, inside: Inside, repository: Repository, app: Registered
) -> Generator[Check, None, Settings]:
    """Its checks, and its own settings; the defaults where it has none that can be read."""
    try:
        guard = inside.guard(repository)
        yield doctor.branch(
            repository.full_name, repository.default_branch, guard, app.slug, environment.github_web
        )
        file = inside.file(repository, FILE)
        return Settings() if file is None else read_settings(file, file=FILE)
    except (UserError, Fault) as error:
        yield refused(repository.full_name, error)
        return Settings()
