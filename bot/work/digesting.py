"""The weekly digest: once an owner, in one issue or one message, where its settings ask for it.

A repository takes part that says so itself. What is told of private ones is told in a private one.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from bot.digest_text import KEY, command, issue, markdown, plain, tells, title
from bot.errors import Fault, UserError
from bot.facts import Repository
from bot.forge.errors import Archived, Forbidden, Gone
from bot.git.store import read_store
from bot.lessons.history import History
from bot.reports.digest import WEEK, Digest, digest
from bot.settings import Settings
from bot.telegram import Bot, Message
from bot.work.hearing import permits
from bot.work.memory import Known, Memory
from bot.work.places import Place
from bot.work.rounds import Rounds

log = logging.getLogger(__name__)

BEGUN = "digesting"  # of a week whose telling is not done yet; the names of rounds are short
LEASE = timedelta(hours=1)

Open = Callable[[Known], AbstractContextManager[Place]]


@dataclass(frozen=True, slots=True)
class Member:
    """A repository that takes part."""

    known: Known
    repository: Repository
    settings: Settings
    history: History


@dataclass(frozen=True, slots=True)
class Digesting:
    """Wired once. `bot` is None where the operator has no Telegram bot."""

    memory: Memory
    rounds: Rounds
    open: Open
    bot: Bot | None
    now: Callable[[], datetime]

    def look(self) -> None:
        """Tells each owner whose week is over. What fails is tried again at the next look."""
        owners: defaultdict[str, list[Known]] = defaultdict(list)
        for known in self.memory.here():
            owners[known.full_name.partition("/")[0].casefold()].append(known)
        for owner, repositories in sorted(owners.items()):
            name, now = f"{KEY}:{owner}", self.now()
            if not self.rounds.begin(name, WEEK, now, LEASE):
                continue
            try:
                self._tell([*self._members(repositories)], self._until(owner, now))
            except Fault as fault:
                log.warning("the digest of %s is not told yet: %s", owner, fault)
                self.rounds.forget(name)
                continue
            except UserError as error:
                log.warning("the digest of %s cannot be told: %s", owner, error)
            self.rounds.done(name, now)
            self.rounds.forget(f"{BEGUN}:{owner}")

    def _until(self, owner: str, now: datetime) -> datetime:
        """When this telling was first begun: a second try tells the same week."""
        name = f"{BEGUN}:{owner}"
        self.rounds.begin(name, WEEK, now)
        return self.rounds.last(name) or now

    def _members(self, repositories: Sequence[Known]) -> Iterator[Member]:
        for known in repositories:
            try:
                with self.open(known) as place:
                    settings = place.settings()
                    if settings is None or settings.digest is None:
                        continue
                    if not permits(settings, place.repository):
                        continue
                    with place.branch() as branch:
                        store = read_store(branch.clone, branch.head(), known.id)
                    history = History.read(store.snapshot.events, known.id)
                    yield Member(known, place.repository, settings, history)
            except UserError as error:  # it is gone, or its settings are broken
                log.info("repository %d takes no part in the digest: %s", known.id, error)

    def _tell(self, members: Sequence[Member], begun: datetime) -> None:
        until = begun.date()
        issues = [each for each in members if each.settings.digest == "issue"]
        if (found := _digest(issues, until)) is not None:
            self._put(found, issues)
        chats: defaultdict[int, list[Member]] = defaultdict(list)
        for each in members:
            if each.settings.digest == "telegram" and each.settings.telegram.chat:
                chats[each.settings.telegram.chat].append(each)
        for chat, those in sorted(chats.items()):
            told = f"{KEY}:{chat}:{min(each.known.id for each in those)}"
            # At most once: Telegram takes no key that would tell a second message from the first,
            # so the week is noted before it is sent. Whoever is killed between the two leaves the
            # chat without it: the same figures are a command away, and two would be noise to all.
            found = _digest(those, until)
            if found is not None and self.rounds.begin(told, WEEK, begun):
                self._send(chat, found, those)

    def _send(self, chat: int, found: Digest, members: Sequence[Member]) -> None:
        """Tried once: of a message that failed nobody can say whether it came."""
        owner = members[0].repository.owner
        if self.bot is None:
            log.warning("there is no Telegram bot to tell %s its digest with", owner)
            return
        try:
            self.bot.send_message(chat, Message(plain(found, owner, _again(found, members))))
        except (Fault, UserError) as error:
            log.warning("this week's digest of %s may not have come: %s", owner, error)

    def _put(self, found: Digest, members: Sequence[Member]) -> None:
        """Into the first repository that has issues, and nothing where a person closed ours."""
        again = _again(found, members)
        for home in homes(members):
            with self.open(home.known) as place:
                try:
                    there = place.forge.find_issue(KEY, place.us)
                    heading, body = title(home.repository.owner), issue(found, again)
                    if there is None:
                        place.forge.open_issue(heading, body, key=KEY)
                    elif there.open and not tells(there.body, found):
                        # The body comes last: it says that the whole of it was told.
                        key = f"{KEY}:{found.until.isoformat()}"
                        place.forge.comment(there.number, markdown(found, again), key=key)
                        place.forge.edit_issue(there, replace(there, title=heading, body=body))
                    return
                except (Archived, Forbidden, Gone) as error:
                    log.info("repository %d: no digest here: %s", home.known.id, error)
        log.warning("no repository of %s has issues for its digest", members[0].repository.owner)


def homes(members: Sequence[Member]) -> list[Member]:
    """Where the issue may stand: not in public where a private repository takes part.

    The owner's `.github` first, then the oldest repository.
    """
    private = [each for each in members if each.repository.private]
    return sorted(
        private or members, key=lambda each: (each.repository.name != ".github", each.known.id)
    )


def _digest(members: Sequence[Member], until: date) -> Digest | None:
    return digest([each.history for each in members], until) if members else None


def _again(found: Digest, members: Sequence[Member]) -> str:
    return command(found, [each.repository.clone_url for each in members])
