"""What people do in the campaign: pull requests, reviews, notes and pushes of a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bot.facts import Permission
from bot.sandbox.forge import SandboxForge
from bot.sandbox.pull_request import Inline
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer

REPOSITORIES = 4
FINDINGS = (
    "Close the session in a `finally` block in `src/db.py`, or a query that raises leaks it.",
    "Bump `MIN_TESTS` in `scripts/run-tests.sh` whenever you add a test, or it never runs.",
    "Never round prices in `src/cart.py` before the tax is added to the whole cart.",
    "Escape every label in `web/list.js` before you put it into the page.",
    "Take the lock in `src/queue.py` before you read the next job, not after it.",
    "Read `LIMIT_BYTES` from the settings in `src/upload.py` instead of repeating the number.",
    "Send dates to `src/api.py` in UTC with an offset, because the client cannot guess the zone.",
    "Add an index on `orders.customer_id` to every migration that filters orders by customer.",
)
NOTES = (
    "Say in the changelog what a user has to do, before you tag a release.",
    "Name the migration in the title of a pull request that brings one.",
    "Ask the payments team before you change the shape of an invoice.",
)


@dataclass(slots=True)
class World:
    """The forge, the repositories, and which act each review or comment came from."""

    forge: SandboxForge
    github: SandboxServer
    shops: list[SandboxRepository]
    acts: dict[int, str] = field(default_factory=dict)

    def tip(self, repository: int) -> str:
        """Of the default branch, now."""
        return next(shop.tip() for shop in self.shops if shop.id == repository)


Act = Callable[[World], None]


@contextmanager
def world(directory: Path, seed: int) -> Iterator[World]:
    forge = SandboxForge(directory / "github", lambda: datetime.now(UTC), seed=seed)
    with SandboxServer(forge) as github:
        shops = []
        for number in range(REPOSITORIES):
            files = {
                "README.md": "# Shop\n",
                ".github/lessonkeeper.yml": "version: 1\ncommit_every: 0\n",
                **{f"src/{n}.py": "n = 1\n" for n in ("db", "cart", "queue", "upload", "api")},
                "scripts/run-tests.sh": "MIN_TESTS=1\n",
                "web/list.js": "1\n",
            }
            shop = forge.create_repository(f"acme/shop{number}", files)
            for login in ("ada", "ben"):
                shop.set_permission(login, Permission.WRITE)
            shops.append(shop)
        yield World(forge, github, shops)


def script(seed: int, length: int) -> list[Act]:
    """What people do, the same for every run of a seed."""
    chance = random.Random(seed)  # nosec B311
    acts: list[Act] = []
    for number in range(length):
        name, shop = f"act{number}", chance.randrange(REPOSITORIES)
        kind = chance.random()
        if kind < 0.70:
            then = chance.choices(("open", "merge", "dismiss"), (8, 1, 1))[0]
            acts.append(_taught(name, shop, chance.choice(FINDINGS), then))
        elif kind < 0.85:
            acts.append(_noted(name, shop, chance.choice(NOTES)))
        else:
            acts.append(_moved(name, shop))
    return acts


def _taught(name: str, shop: int, text: str, then: str) -> Act:
    """A pull request with one finding, and what becomes of it."""

    def act(world: World) -> None:
        repository = world.shops[shop]
        path = f"src/{name}.py"
        pull = repository.open_pull_request("ben", {path: f"{name} = 1\n"}, title=f"Change {name}")
        review = pull.review("ada", "changes_requested", "", [Inline(path, text, 1)])
        world.acts[review] = name
        if then == "merge":
            pull.merge("ben")
        elif then == "dismiss":
            pull.dismiss_review(review, "ada")

    return act


def _noted(name: str, shop: int, text: str) -> Act:
    def act(world: World) -> None:
        repository = world.shops[shop]
        pull = repository.open_pull_request("ben", {f"docs/{name}.md": "1\n"}, title=f"Doc {name}")
        world.acts[repository.comment(pull.number, "ada", f"/lesson {text}")] = name

    return act


def _moved(name: str, shop: int) -> Act:
    """A person pushes to the default branch, perhaps between our read and our push."""

    def act(world: World) -> None:
        world.shops[shop].commit("ada", {f"docs/{name}.md": "1\n"}, message=f"Write {name}")

    return act
