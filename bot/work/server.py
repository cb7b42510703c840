"""The server wired together: receiver, inbox, queue, workers. The one place that knows them all.

The sandbox runs the same server with another forge and another clock.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from bot.actions import Actions
from bot.database import connect, migrate
from bot.errors import Fault, UserError
from bot.executor import Executor
from bot.facts import Account
from bot.forge.deliveries import Deliveries
from bot.forge.visitors import WEB, Client
from bot.handover import Handover
from bot.heartbeats import Heartbeats
from bot.inbox import Inbox, Status
from bot.jobs import Kind, Threads
from bot.metrics import Metrics
from bot.readers import Tokens
from bot.search.gaps import Gaps
from bot.telegram import Bot
from bot.timers import Timers
from bot.work.accounts import ListedAccounts
from bot.work.agents import Agents, Reports
from bot.work.alarms import Alarms
from bot.work.arrivals import Arrivals
from bot.work.chats import Chats
from bot.work.chatting import Chatting
from bot.work.ci_fixing import CiFixes
from bot.work.commanding import Comments
from bot.work.committing import Committing
from bot.work.dashboard import Dashboard
from bot.work.deciding import Presses
from bot.work.digesting import Digesting
from bot.work.distilling import Distillers
from bot.work.expiries import Expiries
from bot.work.expiring import Expiring
from bot.work.explaining import Explaining
from bot.work.failed_jobs import FailedJobs
from bot.work.feature import Feature
from bot.work.freshness import Freshness
from bot.work.hearing import Hearing
from bot.work.indexing import Indexing, index_of
from bot.work.lifespans import Lifespans
from bot.work.looking import Looks
from bot.work.memory import Memory
from bot.work.note_events import NoteEvents
from bot.work.note_wants import LookAtAll, NoteWants
from bot.work.notes_desk import NotesDesk
from bot.work.notices import Notices
from bot.work.onboarding import Onboarding
from bot.work.outbox import Outbox
from bot.work.outside import Outside
from bot.work.past import Past
from bot.work.pitfalls import clean
from bot.work.places import Places
from bot.work.presence import Presence
from bot.work.pressing import Pressing
from bot.work.questions import Questions
from bot.work.readings import PastReadings
from bot.work.recovery import Readings, Recovery
from bot.work.reporting import Reporting
from bot.work.reviewing import Reviews
from bot.work.rounds import Rounds
from bot.work.searching import Public, Searching
from bot.work.sections import Sections
from bot.work.settings_check import SettingsCheck
from bot.work.showing import Access, Showing, ShownRecord
from bot.work.summaries import Following, Summaries
from bot.work.telling import Telling
from bot.work.told_in_chat import ToldInChat
from bot.work.unlisted import Unlisted
from bot.work.updates import Receiving
from bot.work.visitors import Visitors
from bot.work.watching import Watching
from bot.writer import Writer
from bot.writes import Writes
from webhooks.block import block_blueprint
from webhooks.dashboard import dashboard_blueprint
from webhooks.events import Event
from webhooks.health import health_blueprint
from webhooks.notes import notes_blueprint
from webhooks.reception import Reception
from webhooks.search import search_blueprint
from webhooks.sign_in import SignIn
from webhooks.signature import Secrets
from webhooks.site import site
from webhooks.telegram import telegram_blueprint

DEBOUNCE = timedelta(seconds=5)  # a review's inline comments arrive beside it, in any order
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """What differs between a server for GitHub and one for a sandbox."""

    data: Path
    database: str
    places: Places
    secrets: Secrets
    distillers: Callable[[Memory], Distillers]
    now: Callable[[], datetime]
    app_id: int | None = None
    debounce: timedelta = DEBOUNCE
    executor: str | None = None
    metrics_token: str | None = None
    reader_keys: tuple[bytes, ...] = ()  # that sign the tokens of readers; newest first
    actions: Actions = field(default_factory=Actions)
    telegram: Bot | None = None
    url: str | None = None  # the server's public address
    web: str = WEB  # GitHub's pages
    client: Client | None = None  # the App as people sign in through it
    guest: Account | None = None  # in whose name the printed link lets somebody press
    cookie_keys: tuple[bytes, ...] = field(default_factory=lambda: (secrets.token_bytes(32),))


class Server:
    """`web` answers HTTP once `start` has run; `stop` leaves nothing half done."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.telegram = parts.telegram
        engine = connect(parts.database)
        migrate(engine)
        self._engine = engine
        self._writer = Writer(engine)
        bell = threading.Event()
        self.inbox = Inbox(engine, self._writer, bell)
        self.writes = Writes(engine, self._writer, bell, self.inbox.is_heard)
        self.memory = Memory(engine, self._writer)
        self.failed_jobs = FailedJobs(engine, self._writer, parts.places.app.id)
        parts.places.resolve = ListedAccounts(engine, self._writer, parts.now).resolve
        self.metrics = Metrics(self.inbox.counts)
        self._executor = Executor(parts.data, parts.executor)
        outbox = Outbox(self.memory, parts.now)
        self.notices = Notices(engine, self._writer)
        self.questions = Questions(engine, self._writer, self.memory, self.notices)
        self.sections = Sections(engine, self._writer, self.notices)
        self.chats = Chats(engine, self._writer)
        self.expiries = Expiries(engine, self._writer)
        distillers = parts.distillers(self.memory)
        self.unlisted = Unlisted(engine, self._writer)
        reviews = Reviews(
            self.memory, outbox, self.questions, distillers, parts.debounce, self.unlisted
        )
        self.note_wants = NoteWants(engine, self._writer)
        self.arrivals = Arrivals(engine, self._writer)
        self.past = PastReadings(engine, self._writer)
        opening = parts.places.open
        self._onboarding = Onboarding(
            self.arrivals,
            self.memory,
            self.writes,
            Past(self.memory, self.past, distillers, opening, parts.now),
            reviews,
            opening,
            parts.now,
        )
        self.features: tuple[Feature, ...] = (
            reviews,
            Presses(self.questions, self.notices, parts.places.app.id, parts.now),
            Comments(
                self.memory,
                outbox,
                self.questions,
                self.notices,
                distillers,
                Explaining(reviews, self.questions, parts.now),
                self.note_wants,
                parts.now,
            ),
            Looks(outbox),
            NoteEvents(self.note_wants, parts.now),
            Outside(self.sections, parts.now),
            CiFixes(self.failed_jobs, outbox, parts.places.app.id, parts.debounce),
            self._onboarding,
            *self._chatting(distillers),
        )
        self.presence = Presence(
            self.memory,
            self.inbox,
            self.writes,
            parts.places.app,
            parts.places.open,
            parts.places.forget_owner,
            parts.now,
            self.arrivals.arrive,
        )
        freshness = Freshness(opening, parts.now)
        self.index = index_of(engine, parts.data, parts.now)
        self.indexing = Indexing(self.index, self.memory, opening, self.metrics, parts.now)
        self.gaps = Gaps(engine, self._writer)
        self.alarms = Alarms(engine, self._writer)
        self.metrics.show_alarms(self.alarms.counts)
        self.watching = Watching(
            self.alarms, self.indexing, self.memory, self.inbox, opening, parts.now
        )
        self._settings_check = SettingsCheck()
        self.summaries = Summaries(engine, self._writer)
        self._hearing = Hearing(
            self.inbox,
            self.memory,
            self.presence,
            self.features,
            (self._settings_check, self.indexing, self.watching),
            self._settings_check.tell,
            parts.places.bot,
        )
        self._committing = Committing(
            self.memory,
            self.writes,
            self.presence.open,
            self.metrics,
            parts.now,
            (
                Reporting(self.sections, parts.now),
                Telling(
                    self.questions,
                    self.notices,
                    self.sections,
                    self.writes,
                    parts.now,
                ),
                *self._told_in_chat(),
                self.indexing,
                Lifespans(
                    self.note_wants,
                    self.memory,
                    self.notices,
                    self.presence.open,
                    self.indexing.look,
                    parts.now,
                ),
                Following(
                    self.summaries,
                    lambda known, place: self.dashboard.look_again(known, place),
                ),
                Expiring(self.expiries, parts.telegram, self.presence.open, parts.now),
            ),
        )
        name = self._executor.name
        self.handover = Handover(
            name,
            {Kind.HEAR: self.inbox, Kind.WRITE: self.writes},
            Threads(),
            {Kind.HEAR: self._hear, Kind.WRITE: self._write},
            self.metrics,
            bell,
            parts.now,
            Heartbeats(engine, self._writer, name),
        )
        self._timers = Timers()
        self._rounds = Rounds(engine, self._writer)
        self.digesting = Digesting(self.memory, self._rounds, opening, self.telegram, parts.now)
        self.reception = Reception(self.inbox, self._receive)
        health = health_blueprint(self.metrics, self.serves, parts.metrics_token)
        self.tokens = Tokens(engine, self._writer, parts.reader_keys, parts.now)
        self.reports = Reports(engine, self._writer)
        # A look of a reader does not make the App present.
        access = Access(self.memory, freshness, (self.tokens, parts.actions))
        showing = Showing(access, ShownRecord(self.memory, self._writer), parts.now)
        agents = Agents(access, self.questions, self.reports, opening, parts.now)
        searching = Searching(
            self.memory,
            access.proofs,
            Public(parts.places.app, parts.now),
            self.indexing,
            self.gaps,
            self.metrics,
            parts.now,
        )
        desk = NotesDesk(access, self.index, opening, parts.now)
        more = [
            health,
            block_blueprint(showing, agents),
            search_blueprint(searching),
            notes_blueprint(desk),
        ]
        if self.telegram is not None:
            receiving = Receiving(self.telegram, self.memory, self.inbox, self.chats, parts.now)
            more.append(telegram_blueprint(self.telegram.webhook_secret, receiving, self.metrics))
        self.dashboard = Dashboard(
            self.memory,
            self.inbox,
            self.writes,
            self.questions,
            freshness,
            self.summaries,
            self.presence.open,
            parts.now,
            searching,
            self.unlisted,
            self.alarms.shown,
        )
        pressing = Pressing(self.dashboard, outbox, self.presence.open)
        self.sign_in = SignIn(Visitors(parts.client, parts.now), parts.url, parts.now, parts.guest)
        pages = dashboard_blueprint(
            self.dashboard, pressing, self.sign_in, parts.url, parts.web, clean
        )
        self.web = site(
            self.reception,
            parts.secrets,
            self.metrics,
            parts.app_id,
            parts.now,
            more,
            (self.sign_in.blueprint(), pages),
            parts.cookie_keys,
        )

    def start(self) -> None:
        self.handover.start()
        self._timers.schedule("rounds", HOUR.total_seconds(), self.round)

    def round(self) -> None:
        """What is due of the daily work; begun by the clock, not by how long the server runs."""
        now = self._parts.now()
        if self._rounds.begin("housekeeping", DAY, now):
            self.inbox.unpark(now)  # a person may have mended what no delivery tells of
            self.housekeeping()
            self.presence.reconcile()
            self.indexing.look_at_all()
        if self._rounds.begin("digest", DAY, now):
            self.digesting.look()
        if self._rounds.begin("prune", DAY, now):
            self.prune()
        self.indexing.retry()
        self.watching.look_at_all()

    def stop(self, grace: float = 20.0) -> None:
        """Hands nothing more over and gives running work `grace` seconds."""
        self._timers.stop()
        self.handover.stop(grace)
        self.indexing.stop()
        self.index.close()
        self._writer.close()
        self._engine.dispose()
        self._executor.release()

    def recovery(self, deliveries: Deliveries, app_id: int, *, everything: bool) -> Recovery:
        """Feeds this server from GitHub's list of deliveries, beside or instead of the receiver."""
        return Recovery(
            deliveries,
            Readings(self._engine, self._writer, app_id),
            self.inbox,
            self.reception,
            self.metrics,
            self._parts.now,
            everything,
        )

    def alive(self) -> bool:
        """Whether the database answers: everything else is tried again by itself."""
        try:
            self.inbox.counts()
        except SQLAlchemyError as error:
            log.error("the database does not answer: %s", type(error).__name__)
            return False
        return True

    def serves(self) -> bool:
        """Whether it is alive, and no search comes back empty although something is known."""
        return self.alive() and not self.watching.is_blind()

    def at_rest(self, soon: timedelta) -> bool:
        """Whether nothing runs and nothing is due within this time, in the order that work goes."""
        later = self._parts.now() + soon
        if self.inbox.counts()[Status.HANDED]:
            return False
        for due in (self.inbox.next_due(), self.writes.next_due()):
            if due is not None and due <= later:
                return False
        return not self.writes.running()

    def idle(self) -> bool:
        """Whether nothing waits that could be worked on now; asked in the order that work goes."""
        counts = self.inbox.counts()
        if counts[Status.RECEIVED] or counts[Status.HANDED]:
            return False
        due = self.writes.next_due()
        return (due is None or due > self._parts.now()) and not self.writes.running()

    def housekeeping(self) -> None:
        """Expiry, what ends soon, and vanished files, in every repository the App is in."""
        for known in self.memory.here():
            self.expiries.want(known.id, self._parts.now())
            self.memory.want_housekeeping(known.id, self._parts.now())
            self.note_wants.add(known.id, LookAtAll(), self._parts.now())

    def prune(self) -> None:
        now = self._parts.now()
        self.inbox.prune(now)
        self.memory.prune(now)
        self.failed_jobs.prune(now)
        self.questions.prune(now)
        self.unlisted.prune(now)
        self.notices.prune(now)
        self.note_wants.prune(now)
        self.sections.prune(now)
        self.tokens.prune(now)
        self.reports.prune(now)
        self.past.prune(now)
        self.chats.prune(now)
        self.gaps.prune(now)
        self.expiries.prune(now)

    def _chatting(self, distillers: Distillers) -> Iterator[Chatting]:
        bot = self.telegram
        if bot is not None:
            yield Chatting(
                bot,
                self.memory,
                self.questions,
                self.chats,
                self.writes,
                distillers,
                self._parts.now,
            )

    def _told_in_chat(self) -> Iterator[ToldInChat]:
        bot, opening = self.telegram, self.presence.open
        if bot is not None:
            yield ToldInChat(bot, self.questions, self.chats, self.writes, opening, self._parts.now)

    def _receive(self, event: Event) -> timedelta | None:
        """Keeps what an event tells by itself; then how long it settles, None: nobody wants it."""
        self.failed_jobs.note(event, self._parts.now())
        return self._hearing.wait(event)

    def _hear(self, _kind: Kind, _key: str, number: int) -> None:
        self._hearing.hear(number)

    def _write(self, _kind: Kind, key: str, _number: int) -> None:
        repository = int(key)
        try:
            with self.presence.during(repository):
                self._committing.commit(repository)
                self._onboarding.attend(repository)
        except UserError as error:
            self._tell(repository, error)
            raise

    def _tell(self, repository: int, error: UserError) -> None:
        """Says it in the repository as well, where it is about a file there."""
        known = self.memory.known(repository)
        if known is None or error.file is None:
            return
        try:
            with self.presence.open(known) as place:
                self._settings_check.tell(place, error)
        except (UserError, Fault) as why:
            log.warning("repository %d: %s could not be told: %s", repository, error, why)
