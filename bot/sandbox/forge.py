"""The sandbox forge as a whole: accounts, one App, its installations, repositories, deliveries.

People's acts are methods here, of SandboxRepository and of SandboxPullRequest; each queues the
webhooks that GitHub would send, in order. The clock is the caller's.
"""

from __future__ import annotations

import itertools
import random
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.facts import Account
from bot.sandbox import events, records
from bot.sandbox.attempts import Attempts
from bot.sandbox.repository import SandboxRepository

GRANTED = {
    "metadata": "read",
    "contents": "write",
    "pull_requests": "write",
    "checks": "write",
    "issues": "write",
    "actions": "read",
}


@cache
def _app_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class SandboxForge:
    """`directory` holds the bare repositories; `clock` times every act; `seed` makes the GUIDs."""

    def __init__(self, directory: Path, clock: Callable[[], datetime], *, seed: int = 0) -> None:
        self.directory = directory.resolve()
        self.clock = clock
        self.url = "http://127.0.0.1"  # until a server says where it listens
        self.accounts: dict[str, Account] = {}
        self.installations: dict[int, records.Installation] = {}
        self.repositories: dict[int, SandboxRepository] = {}
        self.redirects: dict[str, int] = {}
        self._guids = random.Random(seed)  # nosec B311
        self._ids = itertools.count(3_000_000_001)  # ids on GitHub no longer fit 32 bits
        self._queued: list[records.Delivery] = []
        self.attempts = Attempts(self.next_id, clock)
        self.app_id = 4242
        self.app_slug = "lessonkeeper"
        self.webhook_secret = "sandbox-webhook-secret"  # nosec B105
        self.app_account = self.account(f"{self.app_slug}[bot]")
        self.git_url: str | None = None  # until git is served
        self.archived: set[str] = set()  # paths below `directory` that take no push

    @property
    def private_key(self) -> str:
        """The App's key as GitHub hands it out: PEM, PKCS#1."""
        return (
            _app_key()
            .private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.TraditionalOpenSSL,
                serialization.NoEncryption(),
            )
            .decode()
        )

    @property
    def public_key(self) -> rsa.RSAPublicKey:
        return _app_key().public_key()

    def account(self, login: str, kind: str = "") -> Account:
        """The account of that login, registered at its first mention; `[bot]` makes it a Bot."""
        known = self.accounts.get(login.lower())
        if known is None:
            kind = kind or ("Bot" if login.endswith("[bot]") else "User")
            known = self.accounts[login.lower()] = Account(self.next_id(), login, kind)
        return known

    def create_repository(
        self,
        name: str,
        files: Mapping[str, str | bytes] | None = None,
        *,
        private: bool = False,
        default_branch: str = "main",
        installed: bool = True,
    ) -> SandboxRepository:
        """ "owner/name" with one first commit of `files`; `installed`: where the App works."""
        if self.redirects.pop(name.lower(), None):
            (self.directory / f"{name}.git").unlink()
        repository = SandboxRepository(
            self, self.next_id(), name, private=private, default_branch=default_branch
        )
        self.repositories[repository.id] = repository
        repository.start(files or {"README.md": f"# {repository.name}\n"})
        if installed:
            self._install(repository)
        return repository

    def repository(self, name: str) -> SandboxRepository | None:
        wanted = name.lower()
        return next((r for r in self.repositories.values() if r.full_name.lower() == wanted), None)

    def repository_of(self, pull_request: str) -> SandboxRepository | None:
        """The repository that the pull request of that node id belongs to."""
        every = ((r, p) for r in self.repositories.values() for p in r.pulls.values())
        return next((r for r, p in every if f"PR_{p.id}" == pull_request), None)

    def clone_url(self, repository: SandboxRepository) -> str:
        """Over HTTP where a server serves git, otherwise the bare repository's path."""
        if self.git_url is None:
            return str(repository.bare.path)
        return f"{self.git_url}/{repository.git_path}"

    def suspend(self, installation: records.Installation) -> None:
        installation.suspended_at = self.clock()
        events.installation(self, "suspend", installation)

    def unsuspend(self, installation: records.Installation) -> None:
        installation.suspended_at = None
        events.installation(self, "unsuspend", installation)

    def uninstall(self, installation: records.Installation) -> None:
        del self.installations[installation.id]
        events.installation(self, "deleted", installation)
        for repository in self.repositories.values():
            if repository.installation is installation:
                repository.installation = None

    def add(self, repository: SandboxRepository, installation: records.Installation) -> None:
        """The owner of the installation lets the App into one more repository."""
        repository.installation = installation
        events.installation_repositories(self, "added", installation, repository)

    def remove(self, repository: SandboxRepository) -> None:
        installation = repository.installation
        if installation is None:
            raise KeyError(repository.full_name)
        repository.installation = None
        events.installation_repositories(self, "removed", installation, repository)

    def grant(self, installation: records.Installation, permissions: Mapping[str, str]) -> None:
        """The owner accepts these permissions, in place of those granted before."""
        installation.permissions = dict(permissions)
        events.installation(self, "new_permissions_accepted", installation)

    def delete(self, repository: SandboxRepository) -> None:
        """Its name is free again afterwards; the id never is."""
        events.repository(repository, "deleted")
        del self.repositories[repository.id]
        repository.bare.move(self.directory / f"deleted/{repository.id}.git")

    def emit(self, event: str, payload: Mapping[str, object]) -> None:
        guid = str(uuid.UUID(int=self._guids.getrandbits(128), version=4))
        self._queued.append(records.Delivery(guid, event, payload))

    def take_deliveries(self) -> list[records.Delivery]:
        """The webhooks since the last call, oldest first; pushes made over git are among them."""
        for repository in self.repositories.values():
            repository.notice_pushes_of_the_app()
        taken, self._queued = self._queued, []
        return taken

    def lose_deliveries(self) -> list[records.Delivery]:
        """The webhooks since the last call are sent to an address where nobody listens."""
        lost = self.take_deliveries()
        for delivery in lost:
            self.attempts.record(delivery, 0)
        return lost

    def redeliver(self, attempt: int) -> bool:
        """Queues a delivery once more, under its old GUID; whether there is such an attempt."""
        found = self.attempts.find(attempt)
        if found is not None:
            self._queued.append(found.delivery)
        return found is not None

    def next_id(self) -> int:
        return next(self._ids)  # threads may ask at once

    def _install(self, repository: SandboxRepository) -> None:
        owner = self.account(repository.owner)
        known = next((i for i in self.installations.values() if i.account == owner), None)
        repository.installation = known or records.Installation(
            self.next_id(), owner, dict(GRANTED), self.clock()
        )
        if known is None:
            self.installations[repository.installation.id] = repository.installation
            events.installation(self, "created", repository.installation)
