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
)
# Names no file, so that each gets the one it was said about, and is a lesson of its own.
OWN_FINDING = "Add an index to every migration that filters orders by `orders.customer_id`."
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


Act = Callable[[], None]


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


def script(made: World, seed: int, length: int) -> list[Act]:
    """What people will do, the same for every run of a seed. Their pull requests are open already.

    So none of them has been shown a lesson, and to say a finding again is not to quote it.
    """
    chance = random.Random(seed)  # nosec B311
    acts: list[Act] = []
    for number in range(length):
        name, shop = f"act{number}", chance.choice(made.shops)
        kind = chance.random()
        if kind < 0.70:
            then = chance.choices(("stay", "merge", "dismiss"), (8, 1, 1))[0]
            # What stops counting stands alone: else the order would decide which lesson it ends.
            text = chance.choice(FINDINGS) if then == "stay" else OWN_FINDING
            acts.append(_taught(made, name, shop, text, then))
        elif kind < 0.85:
            acts.append(_noted(made, name, shop, chance.choice(NOTES)))
        else:
            acts.append(_moved(name, shop))
    return acts


def _taught(made: World, name: str, shop: SandboxRepository, text: str, then: str) -> Act:
    """A pull request with one finding, and what becomes of it."""
    path = f"src/{name}.py"
    pull = shop.open_pull_request("ben", {path: f"{name} = 1\n"}, title=f"Change {name}")

    def act() -> None:
        review = pull.review("ada", "changes_requested", "", [Inline(path, text, 1)])
        made.acts[review] = name
        if then == "merge":
            pull.merge("ben")
        elif then == "dismiss":
            pull.dismiss_review(review, "ada")

    return act


def _noted(made: World, name: str, shop: SandboxRepository, text: str) -> Act:
    pull = shop.open_pull_request("ben", {f"docs/{name}.md": "1\n"}, title=f"Doc {name}")

    def act() -> None:
        made.acts[shop.comment(pull.number, "ada", f"/lesson {text}")] = name

    return act


def _moved(name: str, shop: SandboxRepository) -> Act:
    """A person pushes to the default branch, perhaps between our read and our push."""

    def act() -> None:
        shop.commit("ada", {f"docs/{name}.md": "1\n"}, message=f"Write {name}")

    return act
