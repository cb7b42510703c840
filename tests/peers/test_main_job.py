"""The main job against GitHub as others wrote it: emulate, with git over HTTP behind one address.

The App's JWT and its narrowed tokens, the reviews and comments, the signed deliveries and the push
with the token are all judged by programs that know nothing of us.
"""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.demo.stage import Listener, until
from bot.forge.app import App
from bot.inbox import Status
from bot.sandbox.bare import Bare, Edit
from bot.work.distilling import Chosen
from bot.work.places import Places
from bot.work.server import Parts, Server
from tests.peers.github import APP, SECRET, UNKNOWN, Peer, github
from webhooks.signature import Secrets

LESSONS = ".agent-corp/lessons.md"
LEAK = (
    "A query that raises leaks the database session. "
    "Please close the session in a `finally` block in `src/db.py`."
)
AGAIN = (
    "A query that raises leaves the session open for ever. "
    "Close every database session in a `finally` block in `src/db.py`."
)
FILES = {"src/db.py": "a = 1\n", ".github/lessonkeeper.yml": "version: 1\ncommit_every: 0\n"}


@pytest.fixture(scope="module")
def peer(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    with github(packages, tmp_path_factory.mktemp("github")) as made:
        yield made


@pytest.fixture(scope="module")
def shop(peer: Peer) -> Bare:
    bare = Bare(peer.repositories / "acme" / "shop.git", "main")
    bare.commit(
        "refs/heads/main",
        Edit(FILES, {}),
        parents=[],
        author=("ada", "ada@example.com"),
        message="Initial commit",
        at=datetime.now(UTC),
    )
    return bare


@pytest.fixture(scope="module")
def server(peer: Peer, shop: Bare, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("bot")

    def now() -> datetime:
        return datetime.now(UTC)

    app = App(APP, peer.private_key, base_url=peer.url, pause=0)
    made = Server(
        Parts(
            data=data,
            database=f"sqlite:///{data}/lessonkeeper.db",
            places=Places(app, data, now, protocols=("http",)),
            secrets=Secrets([SECRET]),
            distillers=lambda _memory: Chosen(),
            now=now,
            app_id=APP,
            debounce=timedelta(0),
        )
    )
    made.start()
    listener = Listener(made.web)
    peer.hook = f"{listener.url}/webhooks/github"
    try:
        yield made
    finally:
        listener.close()
        made.stop()


_NUMBERS = itertools.count(1)


def open_pull_request(peer: Peer, path: str) -> int:
    """By ben, with one changed file; its number."""
    branch = f"change-{next(_NUMBERS)}"
    main = peer.api("ben", "GET", "/repos/acme/shop/git/ref/heads/main")["object"]["sha"]
    peer.api(
        "ben", "POST", "/repos/acme/shop/git/refs", {"ref": f"refs/heads/{branch}", "sha": main}
    )
    content = base64.b64encode(branch.encode()).decode()
    peer.api(
        "ben",
        "PUT",
        f"/repos/acme/shop/contents/{path}",
        {"message": f"Change {path}", "content": content, "branch": branch},
    )
    made = peer.api(
        "ben", "POST", "/repos/acme/shop/pulls", {"title": branch, "head": branch, "base": "main"}
    )
    number: int = made["number"]
    return number


def review(peer: Peer, number: int, event: str, body: str) -> int:
    """By ada; its id."""
    said = {"event": event, "body": body}
    made = peer.api("ada", "POST", f"/repos/acme/shop/pulls/{number}/reviews", said)
    found: int = made["id"]
    return found


def lessons(shop: Bare) -> str:
    tip = shop.sha("refs/heads/main")
    assert tip is not None
    return shop.read(tip, LESSONS).decode()


def subjects(shop: Bare) -> list[str]:
    tip = shop.sha("refs/heads/main")
    assert tip is not None
    return [commit.message.splitlines()[0] for commit in shop.commits(tip)]


def test_a_verdict_becomes_a_line_is_refreshed_and_overridden(
    peer: Peer, shop: Bare, server: Server
) -> None:
    first = open_pull_request(peer, "src/one.py")
    review(peer, first, "REQUEST_CHANGES", LEAK)
    until(lambda: len(subjects(shop)) == 2)
    assert subjects(shop)[-1] == f"chore(lessons): 1 appended from #{first}"
    assert f"(#{first}, " in lessons(shop)

    second = open_pull_request(peer, "src/two.py")
    review(peer, second, "REQUEST_CHANGES", AGAIN)
    until(lambda: len(subjects(shop)) == 3)
    assert subjects(shop)[-1] == f"chore(lessons): 1 refreshed from #{second}"
    assert lessons(shop).count("\n- ") == 1

    third = open_pull_request(peer, "src/three.py")
    review(peer, third, "REQUEST_CHANGES", "Never round prices in `src/cart.py` before the tax.")
    until(lambda: len(subjects(shop)) == 4)
    peer.api("ben", "PUT", f"/repos/acme/shop/pulls/{third}/merge", {"merge_method": "merge"})
    until(lambda: len(subjects(shop)) == 5)
    assert subjects(shop)[-1] == f"chore(lessons): 1 overridden from #{third}"


def test_a_lesson_is_kept_by_a_comment_and_answered(peer: Peer, shop: Bare, server: Server) -> None:
    number = open_pull_request(peer, "src/four.py")
    before = len(subjects(shop))
    text = "Announce a release in the channel a day before it is cut."
    peer.api(
        "ada", "POST", f"/repos/acme/shop/issues/{number}/comments", {"body": f"/lesson {text}"}
    )
    until(lambda: len(subjects(shop)) == before + 1)
    # emulate does not say that the comment stands under a pull request, so none is named.
    assert f"- {text} (manual, " in lessons(shop)


def test_what_is_said_in_passing_teaches_nothing(peer: Peer, shop: Bare, server: Server) -> None:
    before = subjects(shop)
    number = open_pull_request(peer, "src/five.py")
    review(peer, number, "APPROVE", "Close the session in `src/db.py`. Looks good.")
    until(lambda: peer.delivered["pull_request_review"] >= 4 and server.idle())
    assert subjects(shop) == before


def test_nothing_was_refused_and_the_front_answered_no_more_than_it_says(
    peer: Peer, server: Server
) -> None:
    until(server.idle)
    # The owner has no settings for all repositories, and GitHub says so in this way.
    # emulate knows no reactions, with which a comment is answered.
    refused = {each for each in peer.refused if "/reactions" not in each}
    assert refused <= {"GET /repos/acme/.github 404"}
    assert server.inbox.counts()[Status.FAILED] == 0
    assert set(peer.answered) <= {*UNKNOWN, "/permission"}
