"""The real server against the sandbox forge; a repository with two writers and a reviewer bot."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from bot.demo.stage import Clock, Stage, stage
from bot.facts import Permission
from bot.sandbox.repository import SandboxRepository
from bot.telegram import Bot
from bot.work.memory import Known
from tests.fakes.telegram import TOKEN, Telegram

SETTINGS = "commit_every: 0\n"
START = datetime(2026, 11, 2, 10, tzinfo=UTC)
_NAMES = itertools.count(1)


@pytest.fixture(scope="module")
def there() -> Telegram | None:
    """A module that chats brings the stand-in that its server is to speak to."""
    return None


@pytest.fixture(scope="module")
def playing(tmp_path_factory: pytest.TempPathFactory, there: Telegram | None) -> Iterator[Stage]:
    """One server and one forge for a module; each test brings a repository of its own."""
    clock = Clock(START - datetime.now(UTC))
    bot = Bot(TOKEN, there.url) if there else None
    with stage(tmp_path_factory.mktemp("stage"), clock, telegram=bot) as made:
        yield made
    made.github.assert_no_surprises()


@dataclass
class Shop:
    """The repository of these tests, and what stands in it."""

    stage: Stage
    repository: SandboxRepository

    def file(self, path: str = ".agent-corp/lessons.md") -> str:
        tip = self.repository.tip()
        return self.repository.bare.read(tip, path).decode()

    def bullets(self) -> list[str]:
        return [line for line in self.file().splitlines() if line.startswith("- ")]

    def subjects(self) -> list[str]:
        """Of our commits, oldest first."""
        commits = self.repository.bare.commits(self.repository.tip())
        messages = [commit.message.splitlines()[0] for commit in commits]
        return [text for text in messages if text.startswith("chore(lessons)")]

    def today(self, days: int = 0) -> str:
        return (self.stage.clock() + timedelta(days=days)).date().isoformat()

    def pass_time(self, days: int = 0, minutes: int = 0) -> None:
        self.stage.clock.move(timedelta(days=days, minutes=minutes))


@pytest.fixture
def shop(playing: Stage) -> Shop:
    return make_shop(playing)


@pytest.fixture
def known(shop: Shop) -> Known:
    """The shop as the server knows it, which has heard of a pull request there."""
    shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    shop.stage.settle()
    found = shop.stage.server.memory.known(shop.repository.id)
    assert found is not None
    return found


def make_shop(playing: Stage, settings: str = SETTINGS, owner: str = "acme") -> Shop:
    repository = playing.forge.create_repository(
        f"{owner}/shop-{next(_NAMES)}",
        {
            "README.md": "# Shop\n",
            "src/db.py": "".join(f"line {n}\n" for n in range(30)),
            ".github/lessonkeeper.yml": settings,
        },
    )
    for login in ("ada", "ben", "cleo"):
        repository.set_permission(login, Permission.WRITE)
    playing.forge.take_deliveries()
    return Shop(playing, repository)
