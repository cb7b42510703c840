"""What the receivers are sent: verdicts and chatter of a sandbox, of the size of GitHub's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import psutil

from bot.facts import Permission
from bot.sandbox.deliver import signature
from bot.sandbox.forge import SandboxForge
from bot.sandbox.pull_request import Inline
from bot.sandbox.records import Delivery
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer

Tick = Callable[[], None]

BYTES = 22_000  # of a pull_request_review as GitHub sends it, with all its addresses

FINDINGS = (
    "Close the {0} session in a `finally` block in `src/{0}.py`, or a query that raises leaks it.",
    "Bump `MIN_{0}` in `scripts/{0}.sh` whenever you add a test, or the run passes without it.",
    "Never round the {0} total in `src/{0}.py` before the tax is added to the whole cart.",
    "Escape every {0} label in `web/{0}.js` before you put it into the page.",
    "Take the {0} lock in `src/{0}.py` before you read the queue, not after it.",
)


@contextmanager
def sandbox(directory: Path) -> Iterator[SandboxForge]:
    """A forge to deliver from: its repository writes at once what it learns."""
    forge = SandboxForge(directory / "github", lambda: datetime.now(UTC))
    with SandboxServer(forge):
        yield forge


def new_shop(forge: SandboxForge, name: str) -> SandboxRepository:
    shop = forge.create_repository(
        f"acme/{name}",
        {"README.md": "# Shop\n", ".github/lessonkeeper.yml": "version: 1\ncommit_every: 0\n"},
    )
    for login in ("ada", "ben"):
        shop.set_permission(login, Permission.WRITE)
    forge.take_deliveries()
    return shop


def verdict(shop: SandboxRepository, number: int) -> Delivery:
    """A review that asks for changes, in a pull request of its own; the delivery that tells it."""
    finding = FINDINGS[number % len(FINDINGS)].format(f"part{number}")
    pull = shop.open_pull_request(
        "ben", {f"src/part{number}.py": f"n = {number}\n"}, title=f"Change {number}"
    )
    shop.forge.take_deliveries()
    pull.review("ada", "changes_requested", "", [Inline(f"src/part{number}.py", finding, 1)])
    told = shop.forge.take_deliveries()
    return next(each for each in told if each.event == "pull_request_review")


def chatter(shop: SandboxRepository) -> Delivery:
    """A comment that asks nothing of us: kept and heard like any other."""
    pull = shop.open_pull_request("ben", {"docs/talk.md": "Talk.\n"}, title="Talk")
    shop.comment(pull.number, "ada", "Looks fine to me, one more look tomorrow.")
    return next(e for e in shop.forge.take_deliveries() if e.event == "issue_comment")


def _body(delivery: Delivery) -> str:
    """Its JSON, padded to the size of GitHub's own."""
    bare = json.dumps(delivery.payload, separators=(",", ":"))
    padded = {**delivery.payload, "enterprise": {"description": "x" * max(0, BYTES - len(bare))}}
    return json.dumps(padded, separators=(",", ":"))


def as_sent(forge: SandboxForge, delivery: Delivery) -> tuple[str, str, str]:
    body = _body(delivery)
    return delivery.event, body, signature(body.encode(), forge.webhook_secret)


def family(pid: int) -> list[psutil.Process]:
    """A process and its children."""
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def megabytes(first: psutil.Process, *others: psutil.Process) -> float:
    """Resident memory in MB, pages that they share counted once: what is the first one's, and of
    each other what is its own."""
    found = int(first.memory_info().rss)
    for each in others:
        with suppress(psutil.Error):  # it has ended meanwhile
            found += int(each.memory_full_info().uss)
    return found / 1e6
