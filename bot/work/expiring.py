"""Tells whoever kept a founder note that it ends soon: in the chat, otherwise in one issue.

Looks once a day, and again after a commit while the issue is open; tells what holds then, so a
restart or a lost day repeats nothing. What GitHub or Telegram refuses holds no write back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot import expiry_text as words
from bot.channels.expiring import Act, Ending, endings, notice
from bot.channels.trust import is_listed
from bot.errors import Fault, UserError
from bot.facts import Account
from bot.git.store import read_store
from bot.handover import ATTEMPTS, pause
from bot.lessons.document import Document
from bot.lessons.history import History
from bot.settings import Settings
from bot.telegram import Bot, Message
from bot.work.expiries import Expiries
from bot.work.hearing import permits
from bot.work.memory import Known, Waiting
from bot.work.places import Place
from bot.work.visit import Open
from bot.work.writing import Written

log = logging.getLogger(__name__)

ISSUE = "expiring"  # the key that the issue is found by


@dataclass(frozen=True, slots=True)
class Expiring:
    """Listens to `bot.work.committing`. `bot` is None where Telegram is not configured."""

    expiries: Expiries
    bot: Bot | None
    open: Open
    now: Callable[[], datetime]

    def landed(self, known: Known, written: Written, waiting: Sequence[Waiting]) -> None:
        """A note may have been kept again: the issue is brought up to that at once."""
        if written.commit is not None and self.expiries.issue(known.id):
            self.expiries.want(known.id, self.now())

    def refused(self, known: Known, waiting: Sequence[Waiting], reason: str) -> None:
        """Nothing: no note is kept by what was not written."""

    def after(self, known: Known, opened: Open) -> None:
        failed = self.expiries.due(known.id, self.now())
        if failed is None:
            return
        try:
            with self.open(known) as place:
                self._look(known, place)
        except Fault as fault:
            log.warning("repository %d: notes that end soon: %s", known.id, fault)
            if fault.retry and failed + 1 < ATTEMPTS:
                again_at = self.now() + pause(failed + 1, fault.retry_after, 0)
                self.expiries.want(known.id, again_at, failed + 1)
                return
        except UserError as error:  # tomorrow's look finds whether it was mended
            log.warning("repository %d: notes that end soon: %s", known.id, error)
        self.expiries.done(known.id)

    def _look(self, known: Known, place: Place) -> None:
        settings = place.settings()
        if settings is None or not permits(settings, place.repository):
            return
        with place.branch() as branch:
            store = read_store(branch.clone, branch.head(), known.id)
        if store.distrust is not None:
            return  # the write says so, and nothing expires there meanwhile
        today = self.now().date()
        found = endings(
            Document.parse(store.snapshot.lessons or b"", today),
            History.read(store.snapshot.events, known.id),
            settings.store,
            today,
        )
        keepers = _keepers(place, found)
        left = [each for each in found if not self._tell_in_chat(known, settings, each, keepers)]
        logins = {number: account.login for number, account in keepers.items()}
        self._tell_in_issue(known, place, left, logins)

    def _tell_in_chat(
        self, known: Known, settings: Settings, ending: Ending, keepers: dict[int, Account]
    ) -> bool:
        """Whether the chat of whoever kept it was told, now or before."""
        by, chat = keepers.get(ending.by or 0), settings.telegram.chat
        if self.bot is None or not chat or by is None:
            return False
        if not is_listed(by, tuple(settings.telegram.people.values())):
            return False  # who is not listed does not read that chat
        if not self.expiries.untold(known.id, [ending.listed]):
            return True
        text = words.in_chat(known.full_name, ending, by.login)
        try:
            self.bot.send_message(chat, Message(text))
        except UserError as error:
            log.warning("repository %d: told in its issue instead: %s", known.id, error)
            return False
        self.expiries.tell(known.id, ending.listed, self.now())
        return True

    def _tell_in_issue(
        self, known: Known, place: Place, left: Sequence[Ending], logins: dict[int, str]
    ) -> None:
        if not left and self.expiries.issue(known.id) is False:
            return
        forge = place.forge
        issue = forge.find_issue(ISSUE, place.us)
        told = words.listed(issue.body) if issue is not None else None
        to_do = notice(left[: words.SHOWN], told, is_open=issue is not None and issue.open)
        body = words.body(left, logins)
        match to_do.act:
            case Act.OPEN:
                issue = forge.open_issue(words.TITLE, body, key=ISSUE)
            case Act.UPDATE | Act.REOPEN if issue is not None:
                forge.edit_issue(issue, replace(issue, body=body, open=True))
                if to_do.news and to_do.act is Act.UPDATE:
                    key = f"{ISSUE}:{self.now().date()}"
                    forge.comment(issue.number, words.more(to_do.news, logins), key=key)
            case Act.CLOSE if issue is not None:
                forge.edit_issue(issue, replace(issue, body=words.NOTHING, open=False))
        if to_do.act is not Act.NOTHING:
            log.info("repository %d: issue of ending notes: %s", known.id, to_do.reason)
        self.expiries.issue_is(known.id, is_open=bool(left))


def _keepers(place: Place, found: Sequence[Ending]) -> dict[int, Account]:
    """By numeric id, under their present logins; an account that was deleted is not among them."""
    accounts = (place.forge.account_of(by) for by in {each.by for each in found if each.by})
    return {account.id: account for account in accounts if account is not None}
