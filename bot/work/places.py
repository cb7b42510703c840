"""Opens a repository for a job: its facts from the forge, its files from the mirror.

Joins the forge room and the git room; decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from bot.errors import UserError
from bot.facts import Account, Repository
from bot.forge.app import App
from bot.forge.errors import Forbidden, Gone
from bot.forge.protocol import Forge
from bot.git.clone import Clone, File, Kind
from bot.git.commit import Signature, demand_writable
from bot.git.lock import Lock, hold
from bot.git.mirror import Mirror
from bot.git.plan import Built, Outcome, Plan, Published, unseen
from bot.git.policy import Way, refusal
from bot.git.publish import GitPush
from bot.git.remote import Remote, RemoteFault
from bot.git.store import SETTINGS
from bot.git.trust import distrust
from bot.recent import Lately, Recent
from bot.settings import Settings
from bot.settings.file import read as read_settings
from bot.settings.file import written
from bot.work.memory import Known

OWNERS = f".github/{SETTINGS}"  # of every repository of one owner, in the owner's `.github`
OWNER_FILE_KEPT = timedelta(minutes=5)

STAGING = "lessonkeeper/next"  # where a commit is signed that a branch is then moved to

# The settings of a repository (its id) with the accounts that their logins mean.
Resolve = Callable[[int, Settings, Forge], Settings]


def as_written(_repository: int, settings: Settings, _forge: Forge) -> Settings:
    return settings


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

    def branch(self) -> AbstractContextManager[MirrorBranch]:
        """The default branch, under the lock of its mirror."""
        ...

    def settings(self) -> Settings | None:
        """Those on the default branch and of the owner; None where neither lets the App act.

        Their logins mean the accounts that bore them when they were first read. Raises UserError
        when either is broken.
        """
        ...

    def owner_defaults(self) -> Mapping[str, object]:
        """What the owner's file sets for all repositories. Raises UserError when it is broken."""
        ...


class MirrorBranch:
    """The default branch of a mirrored repository. A refused token is minted anew, once.

    `forge` signs commits where the branch wants them signed; None: a remote that cannot. Its first
    `head` may have been fetched `lately`, a push on an old one being refused; every further one is
    fetched.
    """

    def __init__(
        self,
        lock: Lock,
        branch: str,
        remote: Callable[[bool], Remote],
        author: Signature,
        forge: Forge | None = None,
        lately: Lately | None = None,
    ) -> None:
        self.branch = branch
        self.author = author
        self._lock = lock
        self._remote = remote
        self._forge = forge
        self._mirror = Mirror(lock, remote(False))
        self._renewed = False
        self._lately = lately or Recent(lambda: datetime.now(UTC)).since()
        self._key = ("tip", lock.repository, branch)
        self._looked = False
        self.signed: bool | None = None  # None: the rules are still to be asked

    @property
    def clone(self) -> Clone:
        return self._mirror.clone

    def head(self) -> str | None:
        ask = self._lately.anew if self._looked else self._lately.ask
        self._looked = True
        return ask(self._key, lambda: self.tip(self.branch))

    def tip(self, branch: str) -> str | None:
        """Where any branch stands now; None where it is not."""
        try:
            return self._mirror.fetch(branch)
        except RemoteFault as fault:
            if fault.outcome is not Outcome.CREDENTIALS or not self._renew():
                raise
            return self._mirror.fetch(branch)

    def has(self, commit: str) -> bool:
        """Whether the remote still has a commit, on a branch or not."""
        return self._mirror.fetch_commit(commit)

    def merges(self, one: str, other: str) -> bool:
        return self._mirror.merges(one, other)

    def publish(self, plan: Plan, built: Built = unseen) -> Published:
        """By git push, or through the API where the default branch wants signed commits."""
        self._lately.forget(self._key)
        if self.signed is None:
            self.signed = self._wants_signatures()
        begun = self._lately.begin()
        published = self._put(plan, built)
        if published.outcome is Outcome.CREDENTIALS and self._renew():
            published = self._put(plan, built)
        if published.outcome is Outcome.REFUSED and not self.signed and self._forge is not None:
            self.signed = refusal(published.detail).ways == {Way.SIGNED}
            return self._put(plan, built) if self.signed else published
        if published.commit is not None and plan.branch == self.branch and not self.signed:
            self._lately.keep(self._key, published.commit, begun)  # no need to fetch it
        return published

    def _wants_signatures(self) -> bool:
        rules = self._forge.branch_rules(self.branch) if self._forge is not None else ()
        return any(rule.type == "required_signatures" for rule in rules)

    def _put(self, plan: Plan, built: Built) -> Published:
        if self._forge is None or not self.signed or plan.head is None:
            return self._git.publish(plan, built)
        demand_writable(self.clone, plan)
        if plan.replaces is None and built is unseen:
            return self._forge.commit_on_branch(plan)
        return self._sign_elsewhere(self._forge, plan, plan.head, built)

    def _sign_elsewhere(self, forge: Forge, plan: Plan, head: str, built: Built) -> Published:
        """The API commits on top of a branch alone, so on one of its own that starts at `head`."""
        begun = self._git.push(head, STAGING, self.tip(STAGING) or "")
        if begun.outcome is not Outcome.LANDED:
            return begun
        made = forge.commit_on_branch(replace(plan, branch=STAGING, replaces=None))
        try:
            if made.outcome is Outcome.LANDED and made.commit is not None and self.has(made.commit):
                built(made.commit)
                made = self._git.push(made.commit, plan.branch, plan.replaces)
        finally:
            self._git.remove(STAGING)
        return made

    @property
    def _git(self) -> GitPush:
        return GitPush(self._mirror, self._lock, self.author, self.author)

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
    owner_file: Callable[[], bytes | None]
    lately: Lately
    resolve: Resolve = as_written

    @contextmanager
    def branch(self) -> Iterator[MirrorBranch]:
        with hold(self.mirrors, self.repository.id) as lock:
            branch = self.repository.default_branch
            yield MirrorBranch(lock, branch, self.remote, self.author, self.forge, self.lately)

    def settings(self) -> Settings | None:
        key = "settings", self.repository.id, self.repository.default_branch
        file = self.lately.ask(key, self._settings_file)  # without the lock that a write holds
        if file is None:
            return None
        reason = distrust(file)
        if reason is not None:
            raise UserError(f"it {reason}.", file=SETTINGS, remedy="Repair it on this branch.")
        defaults = self.owner_defaults()
        if file.kind is Kind.ABSENT and defaults.get("enabled") is not True:
            return None
        settings = read_settings(file.data, file=SETTINGS, owner_defaults=defaults)
        return self.resolve(self.repository.id, settings, self.forge)

    def _settings_file(self) -> File | None:
        with self.branch() as branch:
            head = branch.head()
            return None if head is None else branch.clone.read(head, SETTINGS)

    def owner_defaults(self) -> Mapping[str, object]:
        data = self.owner_file()
        return {} if data is None else written(data, file=f"{self.repository.owner}/{OWNERS}")


@dataclass(slots=True)
class Places:
    """Repositories of one App, mirrored under `data`. `protocols`: those that git may speak."""

    app: App
    data: Path
    now: Callable[[], datetime]
    protocols: tuple[str, ...] = ("https",)
    resolve: Resolve = as_written  # set by whoever has a database to remember accounts in
    _recent: Recent = field(init=False)
    _bots: dict[int, Account] = field(default_factory=dict)
    _owner_files: dict[str, tuple[datetime, bytes | None]] = field(default_factory=dict)
    _forgotten: int = 0  # how often any owner's file was

    def __post_init__(self) -> None:
        self._recent = Recent(self.now)

    def bot(self) -> Account | None:
        """Our own account, once any repository was opened."""
        return next(iter(self._bots.values()), None)

    @contextmanager
    def open(self, known: Known, since: datetime | None = None) -> Iterator[GitHubPlace]:
        """The place of a repository. Raises the errors of the forge room.

        `since`: the last moment of which the job has to know what had happened by then; None: now.
        """
        lately = self._recent.since(since)
        if known.installation not in self._bots:
            self._bots[known.installation] = self.app.bot(known.installation)
        bot = self._bots[known.installation]
        with ExitStack() as stack:
            forge, repository = self._found(known, lately, stack)

            def remote(fresh: bool) -> Remote:
                token = self.app.installation_token(known.installation, fresh=fresh)
                return Remote(repository.clone_url, token, self.protocols)

            email = f"{bot.id}+{bot.login}@users.noreply.github.com"
            author = Signature(bot.login, email, self.now())

            def owner_file() -> bytes | None:
                return self._owner_file(known.installation, repository)

            mirrors = self.data / "mirrors"
            yield GitHubPlace(
                forge,
                repository,
                bot,
                author,
                mirrors,
                remote,
                owner_file,
                lately,
                self.resolve,
            )

    def forget_owner(self, owner: str) -> None:
        """The owner's file may have changed: it is read again when it is needed."""
        self._forgotten += 1
        self._owner_files.pop(owner.casefold(), None)

    def _found(self, known: Known, lately: Lately, stack: ExitStack) -> tuple[Forge, Repository]:
        """By its name where its id is still behind that, otherwise by its id alone."""
        try:
            forge = stack.enter_context(self.app.forge(known.installation, known.full_name, lately))
            if forge.repository().id == known.id:
                return forge, forge.repository()
        except Gone:
            pass
        for each in self.app.repositories(known.installation):
            if each.id == known.id:
                forge = stack.enter_context(
                    self.app.forge(known.installation, each.full_name, lately)
                )
                return forge, forge.repository()
        raise Gone(f"Repository {known.id} is not there, or not for the App.")

    def _owner_file(self, installation: int, repository: Repository) -> bytes | None:
        if repository.name == OWNERS.partition("/")[0]:
            return None  # its own file is the owner's
        key, now = repository.owner.casefold(), self.now()
        forgotten = self._forgotten
        at, data = self._owner_files.get(key, (None, None))
        if at is None or not timedelta(0) <= now - at < OWNER_FILE_KEPT:
            name = f"{repository.owner}/{OWNERS.partition('/')[0]}"
            with self.app.forge(installation, name) as forge:
                try:
                    data = forge.content(SETTINGS)
                except (Gone, Forbidden):
                    data = None
            if forgotten == self._forgotten:  # else it may have been read before it changed
                self._owner_files[key] = (now, data)
        return data
