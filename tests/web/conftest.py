"""The real server's pages over a sandbox: two stores, and people with rights of every kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
import requests

from bot.demo.stage import Clock, Stage, stage
from bot.facts import Permission
from bot.sandbox.pull_request import Inline, SandboxPullRequest
from bot.sandbox.repository import SandboxRepository

START = datetime(2026, 9, 21, 10, tzinfo=UTC)
SETTINGS = "commit_every: 0\nfounders: [fay]\n"
SESSION = (
    "A query that raises leaks the database session. "
    "Please close the session in a `finally` block in `src/db.py`."
)
SESSION_AGAIN = (
    "A query that raises leaves the session open for ever. "
    "Close every database session in a `finally` block in `src/db.py`."
)
CURSOR = "Never keep a cursor of `src/db.py` open while another query is waiting for its lock."
ROUNDED = "Never round prices in `src/cart.py` before the tax is added to the whole cart."
OFFERED = "Always name the timeout of every request that `src/db.py` sends to the stock service."


@dataclass
class Visit:
    """A browser without scripts: it keeps cookies and sends what the forms of a page would send."""

    on: Stage
    session: requests.Session = field(default_factory=requests.Session)

    def __post_init__(self) -> None:
        self.session.trust_env = False

    def sign_in(self, login: str) -> requests.Response:
        self.on.github.sign_in.visitor = login
        return self.session.get(f"{self.on.url}/sign-in/github")

    def get(self, path: str, **headers: str) -> requests.Response:
        return self.session.get(f"{self.on.url}{path}", headers=headers, allow_redirects=False)

    def press(self, path: str, method: str = "POST") -> requests.Response:
        """Sends a form to `path` with the token of a page; who sees no page has none."""
        found = re.search(r'name="csrf_token" value="([^"]+)"', self.get("/deliveries").text)
        sent = {"csrf_token": found[1]} if found else {}
        url = f"{self.on.url}{path}"
        return self.session.request(method, url, data=sent, allow_redirects=False)


@dataclass
class Estate:
    """`shop` is what everybody's rights differ on, `mine` another owner's."""

    stage: Stage
    shop: SandboxRepository
    mine: SandboxRepository

    def visit(self, login: str | None = None) -> Visit:
        visit = Visit(self.stage)
        if login is not None:
            assert visit.sign_in(login).status_code == 200
        return visit

    def subjects(self) -> list[str]:
        """Of our commits in the shop, oldest first."""
        messages = [c.message for c in self.shop.bare.commits(self.shop.tip())]
        return [m.splitlines()[0] for m in messages if m.startswith("chore(lessons)")]

    def bullets(self) -> dict[str, str]:
        """The lines of the shop's lessons by id."""
        text = self.shop.bare.read(self.shop.tip(), ".agent-corp/lessons.md").decode()
        return {found[1]: found[0] for found in re.finditer(r"^- .*<!-- (\w{8}) -->$", text, re.M)}

    def id_of(self, words: str) -> str:
        return next(id_ for id_, line in self.bullets().items() if words in line)


def make_estate(on: Stage) -> Estate:
    """Two stores; in the shop one lesson, and one that a founder's review offers."""
    files = {
        "src/db.py": "".join(f"line {n}\n" for n in range(30)),
        ".github/lessonkeeper.yml": SETTINGS,
    }
    shop = on.forge.create_repository("acme/shop", files, private=True)
    mine = on.forge.create_repository("zoe/mine", files, private=True)
    for login in ("ada", "ben", "cleo", "fay"):
        shop.set_permission(login, Permission.WRITE)
    shop.set_permission("rita", Permission.READ)
    for login in ("nobody", "zoe"):
        on.forge.account(login)
    mine.set_permission("ada", Permission.READ)
    review(shop, "ada", SESSION)
    review(shop, "fay", OFFERED)
    on.settle()
    return Estate(on, shop, mine)


def grow(estate: Estate) -> None:
    """Five weeks later: the lesson is met again, two more come, one of them is merged over."""
    on, shop = estate.stage, estate.shop
    on.clock.move(timedelta(days=38))
    review(shop, "ada", SESSION_AGAIN)
    over = review(shop, "ada", ROUNDED)
    review(shop, "ben", CURSOR).review("rabbit[bot]", "commented", SESSION)
    on.settle()
    over.merge("cleo")  # over the open verdict
    on.settle()
    on.clock.move(timedelta(days=5))


def review(shop: SandboxRepository, reviewer: str, body: str) -> SandboxPullRequest:
    """A pull request of cleo's with a review that asks for changes in one line."""
    pull = shop.open_pull_request("cleo", {"src/db.py": f"{body[:30]!r}\n"})
    pull.review(reviewer, "changes_requested", "", [Inline("src/db.py", body, 5)])
    return pull


@pytest.fixture(scope="module")
def young(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Estate]:
    """One server for a module. Its tests leave rights and accounts as they found them."""
    clock = Clock(START - datetime.now(UTC))
    with stage(tmp_path_factory.mktemp("stage"), clock) as made:
        yield make_estate(made)
    made.github.assert_no_surprises()


@pytest.fixture(scope="module")
def estate(young: Estate) -> Estate:
    """The same with a past."""
    grow(young)
    return young
