"""Opens a repository for a job: its facts from the forge, its files from the mirror.

Joins the forge room and the git room; decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from bot.errors import UserError
from bot.facts import Account, Repository
from bot.forge.app import App
from bot.forge.protocol import Forge
from bot.git.clone import Clone, Kind
from bot.git.commit import Signature
from bot.git.lock import Lock, hold
from bot.git.mirror import Mirror
from bot.git.plan import Outcome, Plan, Published
from bot.git.publish import GitPush
from bot.git.remote import Remote, RemoteFault
from bot.git.store import SETTINGS
from bot.git.trust import distrust
from bot.settings import Settings
from bot.settings.file import read as read_settings
from bot.work.memory import Known
from bot.work.writing import Branch


class Place(Protocol):
    """One repository for the length of a job."""

    @property
    def forge(self) -> Forge: ...

    @property
    def repository(self) -> Repository: ...

    @property
    def us(self) -> Account:
        """The App's own account there."""
        ...

    @property
    def author(self) -> Signature: ...

    def branch(self) -> AbstractContextManager[Branch]:
        """The default branch, under the lock of its mirror."""
        ...

    def settings(self) -> Settings | None:
        """Those on the default branch; None where it has none. Raises UserError when broken."""
        ...


class MirrorBranch:
    """The default branch of a mirrored repository. A refused token is minted anew, once."""

    def __init__(
        self, lock: Lock, branch: str, remote: Callable[[bool], Remote], author: Signature
    ) -> None:
        self.branch = branch
        self._lock = lock
        self._remote = remote
        self._author = author
        self._mirror = Mirror(lock, remote(False))
        self._renewed = False

    @property
    def clone(self) -> Clone:
        return self._mirror.clone

    def head(self) -> str | None:
        try:
            return self._mirror.fetch(self.branch)
        except RemoteFault as fault:
            if fault.outcome is not Outcome.CREDENTIALS or not self._renew():
                raise
            return self._mirror.fetch(self.branch)

    def publish(self, plan: Plan) -> Published:
        published = self._push(plan)
        if published.outcome is Outcome.CREDENTIALS and self._renew():
            return self._push(plan)
        return published

    def _push(self, plan: Plan) -> Published:
        return GitPush(self._mirror, self._lock, self._author, self._author).publish(plan)

    def _renew(self) -> bool:
        if self._renewed:
            return False
        self._renewed = True
        self._mirror = Mirror(self._lock, self._remote(True))
        return True


@dataclass(frozen=True, slots=True)
class GitHubPlace:
    """A repository of an installation, by the present name and default branch."""

    forge: Forge
    repository: Repository
    us: Account
    author: Signature
    mirrors: Path
    remote: Callable[[bool], Remote]

    @contextmanager
    def branch(self) -> Iterator[MirrorBranch]:
        with hold(self.mirrors, self.repository.id) as lock:
            yield MirrorBranch(lock, self.repository.default_branch, self.remote, self.author)

    def settings(self) -> Settings | None:
        with self.branch() as branch:
            head = branch.head()
            if head is None:
                return None
            file = branch.clone.read(head, SETTINGS)
        if file.kind is Kind.ABSENT:
            return None
        reason = distrust(file)
        if reason is not None:
            raise UserError(f"it {reason}.", file=SETTINGS, remedy="Repair it on this branch.")
        return read_settings(file.data, file=SETTINGS)


@dataclass(slots=True)
class Places:
    """Repositories of one App, mirrored under `data`. `protocols`: those that git may speak."""

    app: App
    data: Path
    now: Callable[[], datetime]
    protocols: tuple[str, ...] = ("https",)
    _bots: dict[int, Account] = field(default_factory=dict)

    def bot(self) -> Account | None:
        """Our own account, once any repository was opened."""
        return next(iter(self._bots.values()), None)

    @contextmanager
    def open(self, known: Known) -> Iterator[GitHubPlace]:
        """The place of a repository. Raises the errors of the forge room."""
        if known.installation not in self._bots:
            self._bots[known.installation] = self.app.bot(known.installation)
        bot = self._bots[known.installation]
        with self.app.forge(known.installation, known.full_name) as forge:
            repository = forge.repository()

            def remote(fresh: bool) -> Remote:
                token = self.app.installation_token(known.installation, fresh=fresh)
                return Remote(repository.clone_url, token, self.protocols)

            email = f"{bot.id}+{bot.login}@users.noreply.github.com"
            author = Signature(bot.login, email, self.now())
            yield GitHubPlace(forge, repository, bot, author, self.data / "mirrors", remote)
