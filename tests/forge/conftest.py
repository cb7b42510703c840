from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.facts import Permission
from bot.forge.app import App
from bot.forge.protocol import Forge
from bot.sandbox.forge import SandboxForge
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 2, 10, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_minutes(self, minutes: int) -> datetime:
        self.now += timedelta(minutes=minutes)
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sandbox(tmp_path: Path, clock: Clock) -> SandboxForge:
    return SandboxForge(tmp_path, clock)


@pytest.fixture
def server(sandbox: SandboxForge) -> Iterator[SandboxServer]:
    with SandboxServer(sandbox) as running:
        yield running
    running.assert_no_surprises()


@pytest.fixture
def shop(sandbox: SandboxForge) -> SandboxRepository:
    repository = sandbox.create_repository("acme/shop", {"src/a.py": "a = 1\n"}, private=True)
    repository.set_permission("ada", Permission.WRITE)
    repository.set_permission("rita", Permission.READ)
    sandbox.account("bob")
    return repository


@pytest.fixture
def app(sandbox: SandboxForge, server: SandboxServer) -> App:
    return App(sandbox.app_id, sandbox.private_key, base_url=server.url, pause=0)


@pytest.fixture
def forge(app: App, shop: SandboxRepository) -> Iterator[Forge]:
    assert shop.installation is not None
    with app.forge(shop.installation.id, "acme/shop") as made:
        yield made
