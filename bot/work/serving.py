"""`python app.py serve`: the server for GitHub, made of the operator's variables.

With `poll` it hears from GitHub's list of deliveries and needs no public address; the web server
runs all the same, for health, figures and the dashboard.
"""

from __future__ import annotations

import logging
import secrets
import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.actions import AUDIENCE, Actions, issuer_of
from bot.arenas import few_arenas
from bot.credentials import Credentials, Vault, credentials, known
from bot.database import is_embedded
from bot.environment import Environment
from bot.errors import UserError
from bot.forge.app import App
from bot.forge.deliveries import LISTED_FOR, Deliveries
from bot.forge.visitors import Client
from bot.inbox import Status
from bot.invocation import command
from bot.letterbox import LETTERBOX
from bot.readers import READER_TOKENS
from bot.telegram import Bot
from bot.work.distilling import Chosen, Distillers
from bot.work.following import POLLING, RECOVERING, Following
from bot.work.memory import DailyBudget, Memory
from bot.work.places import Places
from bot.work.recovery import Recovery
from bot.work.server import Parts, Server
from webhooks.browsing import PAGES
from webhooks.front import Collector, Front
from webhooks.serve import serve as serve_web
from webhooks.setup_server import address, setup
from webhooks.signature import Secrets

log = logging.getLogger(__name__)

DONE = 0
SETTLING = timedelta(seconds=5)  # beyond the debounce: also the first try again after a fault
PATIENCE = timedelta(hours=1)  # of `once`, for work that does not end; the next start goes on


def serve(
    environment: Environment, host: str, port: int, *, poll: bool = False, once: bool = False
) -> int:
    """Serves until SIGTERM or SIGINT, with `once` until all that was listed is worked off.

    Where there is no App yet, its set-up pages are served first. Answers with the exit status;
    raises UserError for what the operator has to mend, Fault where `once` cannot reach GitHub.
    """
    if not known(environment):
        if once:
            raise UserError("No App is registered yet.", remedy=f"Run `{command('setup')}`.")
        _say("No App is registered yet.")
        registered = setup(environment, host, port)
        if registered != DONE:
            return registered
    few_arenas()
    app = credentials(environment)
    parts = _parts(environment, app, poll=poll)
    server = Server(parts)
    deliveries = Deliveries(app.app_id, app.private_key, base_url=environment.github_url)
    recovery = server.recovery(deliveries, app.app_id, everything=poll)
    if once:
        return _once(server, parts, recovery, environment.debounce + SETTLING)
    _serve(server, parts, recovery, environment, host, port, poll=poll)
    return DONE


def _serve(
    server: Server,
    parts: Parts,
    recovery: Recovery,
    environment: Environment,
    host: str,
    port: int,
    *,
    poll: bool,
) -> None:
    first = (
        server.presence.reconcile,
        _retry_failed(server),
        server.round,
        lambda: _have_telegram_deliver(server, environment),
    )
    following = Following(first, recovery.step, POLLING if poll else RECOVERING)

    def stop() -> None:
        following.stop()
        server.stop()

    def started(taken: int) -> None:
        following.start()
        _say(f"Listening on http://{f'[{host}]' if ':' in host else host}:{taken}")
        if link := server.sign_in.link(address(host, taken)):
            _say(f"The dashboard, by a link that is good once and on this machine:\n\n  {link}\n")
        if poll:
            _say("Reading GitHub's list of deliveries; no public address is needed.")
        elif environment.url is None:
            _say("LESSONKEEPER_URL is not set. Where GitHub cannot reach this server, stop it and")
            _say(f"run: {command('serve --poll')}")
        else:
            _say(f"GitHub delivers to {environment.url}/webhooks/github")
        _say(f"Check everything with: {command('doctor')}")

    try:
        server.start()
        front = _front(server, parts, receives=not poll)
        serve_web(server.web, host, port, on_stop=stop, on_start=started, front=front)
    except UserError:
        stop()
        raise


def _front(server: Server, parts: Parts, *, receives: bool) -> Front | None:
    """A receiver of its own beside the embedded database; PostgreSQL has many writers by itself,
    and what is acknowledged there must not be left on one machine's disk."""
    needed = receives and is_embedded(parts.database)
    if not needed and not (parts.data / LETTERBOX).exists():  # of a life that had a receiver
        return None
    try:
        collector = Collector(parts.data, server.reception, server.metrics)
        if not needed:
            collector.empty()
            return None
    except sqlite3.Error as error:
        raise UserError(
            f"{parts.data / LETTERBOX} cannot be opened: {error}.",
            remedy="Make room on its disk. If it is damaged, move it away: GitHub's list has the"
            " deliveries of three days, and the App's advanced settings deliver one again.",
        ) from error
    return Front(parts.data, parts.secrets, parts.app_id, collector, server.metrics)


def _once(server: Server, parts: Parts, recovery: Recovery, soon: timedelta) -> int:
    try:
        server.start()
        _front(server, parts, receives=False)
        server.presence.reconcile()
        _retry_failed(server)()
        server.round()
        taken = 0
        more = True
        while more:
            step = recovery.step()
            taken, more = taken + step.taken, step.more
        end = time.monotonic() + PATIENCE.total_seconds()
        while not server.at_rest(soon) and time.monotonic() < end:
            time.sleep(0.1)
        counts = server.inbox.counts()
    finally:
        server.stop()
    waits = counts[Status.RECEIVED] + counts[Status.HANDED]
    _say(
        f"{taken} new deliveries. {waits} wait for another try, {counts[Status.PARKED]} for a"
        f" person, {counts[Status.FAILED]} failed."
    )
    return DONE


def _have_telegram_deliver(server: Server, environment: Environment) -> None:
    if server.telegram is None:
        return
    if environment.url is None:
        log.warning("Telegram cannot deliver presses: LESSONKEEPER_URL is not set.")
        return
    server.telegram.set_webhook(f"{environment.url}/webhooks/telegram")


def _retry_failed(server: Server) -> Callable[[], int]:
    """What broke too often may go now: a start often brings what was missing."""

    def retry() -> int:
        now = _now()
        return server.inbox.retry_failed(now, since=now - LISTED_FOR)

    return retry


def _parts(environment: Environment, found: Credentials, *, poll: bool) -> Parts:
    app = App(found.app_id, found.private_key, base_url=environment.github_url)
    given = found.webhook_secrets
    if poll and not given:
        given = (secrets.token_hex(),)  # nothing is delivered here, so nothing may verify
    protocols = ("https",) if environment.github_url.startswith("https:") else ("https", "http")
    data = Path(environment.data).absolute()
    return Parts(
        data=data,
        database=environment.database_url,
        places=Places(app, data, _now, protocols),
        secrets=Secrets(given),
        distillers=lambda memory: _distillers(environment, memory),
        now=_now,
        app_id=found.app_id,
        debounce=environment.debounce,
        executor=environment.executor,
        metrics_token=environment.metrics_token,
        reader_keys=_keys(environment, READER_TOKENS),
        telegram=_bot(environment),
        actions=Actions(environment.url or AUDIENCE, issuer_of(environment.github_web)),
        url=environment.url,
        web=environment.github_web,
        client=_client(environment, found),
        cookie_keys=_keys(environment, PAGES),
    )


def _client(environment: Environment, app: Credentials) -> Client | None:
    """None for an App given by hand: nobody gave its secret."""
    if not app.client_secret:
        return None
    web, api = environment.github_web, environment.github_url
    return Client(app.client_id, app.client_secret, web, api)


def _bot(environment: Environment) -> Bot | None:
    token = environment.telegram_token
    return None if token is None else Bot(token, environment.telegram_url)


def _keys(environment: Environment, purpose: str) -> tuple[bytes, ...]:
    vault = Vault.of(environment)
    vault.prepare()  # an App given by hand may have none yet
    return vault.derived(purpose)


def _distillers(environment: Environment, memory: Memory) -> Distillers:
    return Chosen(
        environment.anthropic_api_key,
        budget=lambda repository, calls: DailyBudget(memory, repository, calls, _now),
    )


def _now() -> datetime:
    return datetime.now(UTC)


def _say(text: str) -> None:
    print(text, flush=True)
