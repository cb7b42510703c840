"""People who are signed in: their GitHub tokens, in memory alone, and the rights read with them.

A restart signs everybody out; nothing of this is on disk or in a cookie. Knows no page.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.errors import Fault
from bot.facts import Account, Permission
from bot.forge.errors import Unauthorized
from bot.forge.visitors import Client
from bot.web.visitor import Visitor

log = logging.getLogger(__name__)

LIFE = timedelta(hours=8)  # that of a user's token
RIGHTS = timedelta(minutes=1)  # after a right was taken away a page may still be seen that long
STALE = timedelta(minutes=10)  # how long they hold while GitHub does not answer
MOST = 1000  # signed in at once; the one who was not seen longest goes


@dataclass(slots=True)
class _Session:
    account: Account | None
    token: str | None = field(repr=False)  # None: at the server itself
    until: datetime
    rights: Mapping[int, Permission] = field(default_factory=dict)
    read_at: datetime | None = None


class Visitors:
    """To be shared between threads. `client` is None where nobody can sign in through GitHub."""

    def __init__(self, client: Client | None, now: Callable[[], datetime]) -> None:
        self.client = client
        self._now = now
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    def enter(self, code: str, redirect: str, verifier: str) -> str:
        """A new session for the code that GitHub sent back. Raises UserError, Fault."""
        if self.client is None:
            raise Fault("no App is known that people could sign in through", retry=False)
        token = self.client.token(code, redirect, verifier)
        account = self.client.account(token)
        log.info("account %d signed in", account.id)
        return self._keep(_Session(account, token, self._now() + LIFE))

    def enter_here(self, account: Account | None) -> str:
        """A new session of whoever sits at the server, who may press in the name of `account`."""
        return self._keep(_Session(account, None, self._now() + LIFE))

    def leave(self, session: str) -> None:
        with self._lock:
            self._sessions.pop(session, None)

    def visitor(self, session: str) -> Visitor | None:
        """Whose session this is; None where it is over. Raises Fault where GitHub is silent."""
        with self._lock:
            found = self._sessions.get(session)
            if found is not None:
                self._sessions.move_to_end(session)
        if found is None or found.until <= self._now():
            self.leave(session)
            return None
        if found.token is None:
            return Visitor(found.account, None)
        try:
            return Visitor(found.account, self._rights(found, found.token))
        except Unauthorized:
            self.leave(session)  # taken back at GitHub, or over there
            return None

    def _rights(self, session: _Session, token: str) -> Mapping[int, Permission]:
        now, read_at = self._now(), session.read_at
        if read_at is not None and now - read_at < RIGHTS:
            return session.rights
        assert self.client is not None
        try:
            session.rights, session.read_at = self.client.rights(token), now
        except Unauthorized:
            raise
        except Fault as fault:
            if read_at is None or now - read_at >= STALE:
                raise
            log.warning("the rights of a visitor are those of %s: %s", read_at, fault)
        return session.rights

    def _keep(self, session: _Session) -> str:
        name = secrets.token_urlsafe(32)
        with self._lock:
            self._sessions[name] = session
            while len(self._sessions) > MOST:
                self._sessions.popitem(last=False)
        return name
