"""`backfill`: the past reviews of a repository, through the App, as one commit: on the default
branch, or in the rolling pull request where commits may not go there directly.

Works beside a running server: it shares its folder and database, and hears nothing.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bot.channels.trust import reviewer_of
from bot.credentials import credentials
from bot.database import connect, migrate
from bot.environment import Environment
from bot.errors import UserError
from bot.facts import Account, PastPullRequest
from bot.forge.app import App
from bot.forge.errors import Gone, RateLimited
from bot.git.policy import Way
from bot.git.store import Store
from bot.lessons.store import Edit
from bot.settings import Settings
from bot.settings.file import read as read_settings
from bot.texts import commit_message
from bot.work.accounts import ListedAccounts
from bot.work.codec import Wanted
from bot.work.distilling import Chosen
from bot.work.memory import Known, Memory
from bot.work.past import Past, learned, reviewed
from bot.work.places import Place, Places
from bot.work.proposing import Proposing, is_way, is_way_round
from bot.work.readings import PastReadings
from bot.work.rolling import ROLLING
from bot.work.writing import Refused, Written, apply
from bot.writer import Writer
from bot.writes import Writes

Json = str | int | None | dict[str, int]


@dataclass(frozen=True, slots=True)
class Backfilled:
    """`read`: pull requests with reviews. `unlisted`: bots not heard, and how often they spoke.

    `proposed_in` is the pull request that holds the commit; None: the default branch has it.
    """

    read: int
    written: Written
    unlisted: dict[str, int]
    proposed_in: int | None = None

    def to_json(self) -> dict[str, Json]:
        edit = self.written.edit
        return {
            "pull_requests": self.read,
            "signals": len(edit.sources),
            "appended": edit.counts.get("appended", 0),
            "refreshed": edit.counts.get("refreshed", 0),
            "unlisted": self.unlisted,
            "commit": self.written.commit,
            "proposed_in": self.proposed_in,
        }


@dataclass(frozen=True, slots=True)
class Operator:
    """What the commands of an operator work with: the App, its folder and its database."""

    places: Places
    memory: Memory
    writes: Writes
    readings: PastReadings
    distillers: Chosen

    def find(self, name: str) -> Known:
        """The repository "owner/name". Raises UserError where the App is not installed."""
        app = self.places.app
        try:
            installation = app.repository_installation(name).id
            with app.forge(installation, name) as forge:
                found = forge.repository()
        except Gone as error:
            raise UserError(
                f"The App is not installed in {name}.", remedy="Install it there, then try again."
            ) from error
        return Known(found.id, installation, found.full_name, True, None, None)


@contextmanager
def operator(environment: Environment, now: Callable[[], datetime]) -> Iterator[Operator]:
    """Raises UserError for what the operator has to mend."""
    found = credentials(environment)
    app = App(found.app_id, found.private_key, base_url=environment.github_url)
    protocols = ("https",) if environment.github_url.startswith("https:") else ("https", "http")
    data = environment.data.absolute()
    data.mkdir(parents=True, exist_ok=True)
    engine = connect(environment.database_url)
    writer = Writer(engine)
    try:
        migrate(engine)
        yield Operator(
            Places(app, data, now, protocols, ListedAccounts(engine, writer, now).resolve),
            Memory(engine, writer),
            Writes(engine, writer, threading.Event()),  # a server that runs looks by itself
            PastReadings(engine, writer),
            Chosen(environment.anthropic_api_key),
        )
    finally:
        writer.close()
        engine.dispose()


def backfill(
    by: Operator,
    name: str,
    since: datetime | None,
    now: Callable[[], datetime],
    *,
    dry_run: bool,
    progress: bool = True,
) -> Backfilled:
    """Reads what is not read yet, then writes it all. Raises what `apply` and the forge raise."""
    known = by.find(name)
    with by.places.open(known) as place:
        settings = place.settings() or read_settings(b"", owner_defaults=place.owner_defaults())
        pulls = reviewed(place, since=since)
    past = Past(by.memory, by.readings, by.distillers, by.places.open, now)
    with _bar(len(pulls), shown=progress) as bar:
        wanted = past.read(known, settings, pulls, limited=bar.wait, done=bar.advance)
    number = None
    with by.places.open(known) as place:
        if dry_run:
            written = _commit(known, place, wanted, now(), dry_run=True)
        else:
            written, number = _write(by, known, place, wanted, settings, now)
    return Backfilled(len(pulls), written, _unlisted(pulls, settings), number)


def _commit(
    known: Known, place: Place, wanted: Sequence[Wanted], now: datetime, *, dry_run: bool
) -> Written:
    signer = f"{place.author.name} <{place.author.email}>"

    def decide(store: Store, settings: Settings) -> Edit:
        return learned(store, wanted, settings, now)

    def say(edit: Edit, settings: Settings) -> str:
        return commit_message(edit, settings.commit, direct=True, signer=signer)

    with place.branch() as branch:
        return apply(
            branch,
            decide,
            say,
            repository=known.id,
            dry_run=dry_run,
            owner_defaults=place.owner_defaults(),
        )


def _write(
    by: Operator,
    known: Known,
    place: Place,
    wanted: Sequence[Wanted],
    settings: Settings,
    now: Callable[[], datetime],
) -> tuple[Written, int | None]:
    """What was written, and in which pull request of ours; None: on the default branch."""
    pulls = place.forge.own_pull_requests(ROLLING, place.us)
    signed = False
    if not wanted or not is_way(place, settings, pulls):
        try:
            return _commit(known, place, wanted, now(), dry_run=False), None
        except Refused as refused:
            if not is_way_round(refused, settings):
                raise
            signed = Way.SIGNED in refused.refusal.ways
    proposing = Proposing(by.memory, by.writes, now)
    proposed = proposing.propose(known, place, pulls, signed=signed, past=wanted)
    if proposed.written is None:
        raise UserError(
            f"Pull request #{proposed.pull} was approved, so it is left alone for now.",
            remedy="Merge it, then run the same command again: what was read is kept for a day.",
        )
    return proposed.written, proposed.pull if proposed.written.commit else None


def _unlisted(pulls: Sequence[PastPullRequest], settings: Settings) -> dict[str, int]:
    bots = Counter(review.login for p in pulls for review in p.reviews if review.is_bot)
    return {
        login: count
        for login, count in bots.most_common()
        if reviewer_of(Account(0, login, "Bot"), settings) is None
    }


class _Bar:
    """Progress on standard error; where nobody looks, GitHub's limit ends the command."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._task = progress.add_task("reading reviews", total=total)

    def advance(self) -> None:
        self._progress.advance(self._task)

    def wait(self, limit: RateLimited) -> None:
        seconds = limit.retry_after or 60.0
        if not self._progress.console.is_terminal:
            task = self._progress.tasks[self._task]
            again = datetime.now(UTC) + timedelta(seconds=seconds)
            raise UserError(
                f"GitHub's rate limit is reached: {task.completed:.0f} of {task.total:.0f} pull"
                " requests are read.",
                remedy=f"Run the same command again from {again:%H:%M} UTC: it goes on from there.",
            ) from limit
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._progress.update(self._task, description=f"GitHub's limit: {left:.0f} s")
            time.sleep(min(left, 1.0))
        self._progress.update(self._task, description="reading reviews")


@contextmanager
def _bar(total: int, *, shown: bool) -> Iterator[_Bar]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        yield _Bar(progress, total)
