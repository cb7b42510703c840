"""`GET /search` on the real server: pushes and our own writes are found, by who may read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import requests

from bot.actions import Actions
from bot.demo.stage import Clock, Stage, stage
from bot.facts import Permission
from bot.sandbox.repository import SandboxRepository
from bot.search.model import Finding
from bot.search.printing import BEGIN
from bot.work.searching import PUBLIC_KEPT
from tests.fakes.actions_issuer import AUDIENCE, ActionsIssuer
from tests.work.conftest import SETTINGS, START

NOTE = """---
kind: reference
---

# Ports of the gateway

The {name} gateway listens on 8443 behind the balancer.
"""


@dataclass
class Owner:
    """One owner's repositories, each with a note, and readers of them."""

    stage: Stage
    login: str

    def repository(self, name: str, *, private: bool = True) -> SandboxRepository:
        files = {
            ".github/lessonkeeper.yml": SETTINGS,
            "src/db.py": "".join(f"line {n}\n" for n in range(30)),
        }
        full_name = f"{self.login}/{name}"
        made = self.stage.forge.create_repository(full_name, files, private=private)
        for login in ("ada", "ben"):
            made.set_permission(login, Permission.WRITE)
        made.commit("ada", {".agent-corp/notes/ports.md": NOTE.format(name=name)})
        self.stage.settle()
        return made

    def token(self, repository: SandboxRepository) -> str:
        return self.stage.server.tokens.issue(repository.id, repository.full_name, "claude")[0]

    def get(self, *tokens: str, **parameters: Any) -> requests.Response:
        bearer = {"Authorization": ",".join(f"Bearer {token}" for token in tokens)}
        return requests.get(f"{self.stage.url}/search", parameters, headers=bearer, timeout=60)

    def found(self, query: str, *tokens: str) -> set[tuple[str, str]]:
        """Repository and path of what a question finds by its words."""
        answer = self.get(*tokens, q=query, format="json")
        assert answer.status_code == 200, answer.text
        return {(h["repository"], h["path"]) for h in answer.json()["hits"] if h["exact"]}


@pytest.fixture(scope="module")
def issuer() -> Iterator[ActionsIssuer]:
    with ActionsIssuer() as made:
        yield made


@pytest.fixture(scope="module")
def playing(tmp_path_factory: pytest.TempPathFactory, issuer: ActionsIssuer) -> Iterator[Stage]:
    clock = Clock(START - datetime.now(UTC))
    actions = Actions(AUDIENCE, issuer.url)
    with stage(tmp_path_factory.mktemp("stage"), clock, actions=actions) as made:
        yield made
    made.github.assert_no_surprises()


@pytest.fixture
def owner(playing: Stage, request: pytest.FixtureRequest) -> Owner:
    name = request.node.name.removeprefix("test_").replace("_", "-")[:30].rstrip("-")
    return Owner(playing, f"o-{name}")


NOTES = ".agent-corp/notes/ports.md"


def test_a_pushed_note_is_found_and_one_taken_away_is_not(owner: Owner) -> None:
    shop = owner.repository("shop")
    token = owner.token(shop)
    assert owner.found("gateway ports", token) == {(shop.full_name, NOTES)}
    shop.commit("ada", {NOTES: None})
    owner.stage.settle()
    assert owner.found("gateway ports", token) == set()


def test_a_push_to_another_branch_is_not_found(owner: Owner) -> None:
    shop = owner.repository("shop")
    shop.open_pull_request("ben", {".agent-corp/notes/other.md": NOTE.format(name="volcano")})
    owner.stage.settle()
    assert owner.found("volcano", owner.token(shop)) == set()


def test_what_the_bot_writes_itself_is_found(owner: Owner) -> None:
    shop = owner.repository("shop")
    pull = shop.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    body = "Close every database session in a `finally` block, whatever the query raised."
    pull.review("ada", "changes_requested", body)
    owner.stage.settle()
    ((repository, path),) = owner.found("database session", owner.token(shop))
    assert repository == shop.full_name
    assert path.startswith(".agent-corp/lessons.md#")


def test_whoever_may_read_nothing_gets_the_same_as_for_nothing(owner: Owner) -> None:
    shop = owner.repository("shop")
    gone = owner.stage.server.tokens.issue(4_000_000, "acme/nowhere", "claude")[0]
    answers = [
        owner.get(q="gateway"),
        owner.get("lkr_wrong", q="gateway"),
        owner.get(gone, q="gateway"),
        owner.get(gone, q=""),
        requests.get(f"{owner.stage.url}/search", {"q": "gateway"}, timeout=30),
    ]
    assert {each.status_code for each in answers} == {404}
    assert len({each.text for each in answers}) == 1
    assert owner.get(owner.token(shop), q="gateway").status_code == 200


def test_a_reader_finds_its_own_repository_and_the_public_ones_of_its_owner(
    owner: Owner,
) -> None:
    mine, private = owner.repository("mine"), owner.repository("private")
    public = owner.repository("public", private=False)
    stranger = Owner(owner.stage, f"{owner.login}-2").repository("public", private=False)
    owner.stage.clock.move(PUBLIC_KEPT)
    found = owner.found("gateway ports", owner.token(mine))
    assert found == {(mine.full_name, NOTES), (public.full_name, NOTES)}
    both = owner.found("gateway ports", owner.token(mine), owner.token(private))
    assert both == {(each.full_name, NOTES) for each in (mine, private, public)}
    assert (stranger.full_name, NOTES) not in both


def test_a_job_of_github_actions_finds_what_its_repository_may_see(
    owner: Owner, issuer: ActionsIssuer
) -> None:
    mine, private = owner.repository("mine"), owner.repository("private")
    public = owner.repository("public", private=False)
    owner.stage.clock.move(PUBLIC_KEPT)
    found = owner.found("gateway ports", issuer.token(mine.id, mine.full_name))
    assert found == {(mine.full_name, NOTES), (public.full_name, NOTES)}
    both = [issuer.token(each.id, each.full_name) for each in (mine, private)]
    assert (private.full_name, NOTES) in owner.found("gateway ports", *both)
    for wrong in (
        issuer.token(mine.id, mine.full_name, aud="https://elsewhere.example"),
        issuer.token(4_000_000, "acme/nowhere"),
    ):
        assert owner.get(wrong, q="gateway").status_code == 404


def test_a_repository_that_became_private_is_not_found_any_more(owner: Owner) -> None:
    mine, public = owner.repository("mine"), owner.repository("public", private=False)
    owner.stage.clock.move(PUBLIC_KEPT)
    assert (public.full_name, NOTES) in owner.found("gateway", owner.token(mine))
    public.private = True
    owner.stage.clock.move(PUBLIC_KEPT)
    assert owner.found("gateway", owner.token(mine)) == {(mine.full_name, NOTES)}


def test_a_repository_without_the_app_is_searched_by_nobody(owner: Owner) -> None:
    shop = owner.repository("shop")
    token = owner.token(shop)
    owner.stage.server.memory.leave(repository=shop.id)
    assert owner.get(token, q="gateway").status_code == 404


@pytest.mark.parametrize("damage", ["deleted", "cut short"])
def test_an_index_lost_while_serving_is_filled_before_the_answer(
    playing: Stage, damage: str
) -> None:
    owner = Owner(playing, f"o-lost-{damage.replace(' ', '-')}")
    token = owner.token(owner.repository("shop"))
    file = playing.forge.directory.parent / "bot" / "search.sqlite"
    if damage == "deleted":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:9000])
    assert owner.found("gateway ports", token) == {(f"{owner.login}/shop", NOTES)}


def test_an_answer_is_framed_and_says_which_half_answered(owner: Owner) -> None:
    token = owner.token(owner.repository("shop"))
    text = owner.get(token, q="gateway ports")
    assert text.headers["Content-Type"].startswith("text/markdown")
    assert text.headers["Cache-Control"] == "no-store"
    assert BEGIN in text.text
    answer = owner.get(token, q="gateway ports", format="json").json()
    assert answer["halves"] == {"exact": "ok", "meaning": "ok"}
    assert answer["finding"] == "found"


def test_a_query_that_is_none_is_refused_with_a_remedy(owner: Owner) -> None:
    token = owner.token(owner.repository("shop"))
    for query in ("", "  ", "???"):
        answer = owner.get(token, q=query)
        assert answer.status_code == 422
        assert answer.json()["remedy"]
    assert owner.get(token, q="a", limit="many").status_code == 400


def test_an_empty_search_is_kept_with_what_is_near(owner: Owner) -> None:
    shop = owner.repository("shop")
    token = owner.token(shop)
    owner.found("xyzzy plugh", token)
    owner.found("on which number does the entrance wait for connections", token)
    near, nothing = owner.stage.server.gaps.of(shop.id)
    assert (nothing.query, nothing.finding, nothing.nearest) == (
        "xyzzy plugh",
        Finding.NOTHING,
        (),
    )
    assert near.finding is Finding.OTHER_WORDS
    assert near.nearest == (f"{shop.full_name}:{NOTES}",)
    owner.stage.server.gaps.prune(near.at + timedelta(days=91))
    assert owner.stage.server.gaps.of(shop.id) == ()


def test_the_lag_and_the_searches_are_figures(owner: Owner) -> None:
    token = owner.token(owner.repository("shop"))
    owner.found("gateway", token)
    figures = owner.stage.server.metrics.render().decode()
    assert "lessonkeeper_index_lag_seconds_count" in figures
    assert 'lessonkeeper_searches_total{finding="found"}' in figures


def test_a_branch_that_could_not_be_read_is_looked_at_again(owner: Owner) -> None:
    shop = owner.repository("shop")
    server, token = owner.stage.server, owner.token(shop)
    known = server.memory.known(shop.id)
    assert known is not None
    server.index.drop(shop.id)
    server.indexing.look(replace(known, installation=1))
    assert server.indexing.behind == {shop.id}
    server.indexing.retry()
    assert server.indexing.behind == frozenset()
    assert server.index.state(shop.id) is not None
    assert owner.found("gateway", token) == {(shop.full_name, NOTES)}


def test_where_the_app_has_left_nothing_is_looked_at_again(owner: Owner) -> None:
    shop = owner.repository("shop")
    server = owner.stage.server
    known = server.memory.known(shop.id)
    assert known is not None
    server.index.drop(shop.id)
    server.indexing.look(replace(known, installation=1))
    server.memory.leave(repository=shop.id)
    server.indexing.retry()
    assert server.indexing.behind == frozenset()
    assert server.index.state(shop.id) is None


def test_an_empty_repository_knows_nothing_and_hides_nothing(owner: Owner) -> None:
    mine, empty = owner.repository("mine"), owner.repository("empty")
    owner.found("gateway", owner.token(empty))
    empty.bare.delete_ref("refs/heads/main")
    known = owner.stage.server.memory.known(empty.id)
    assert known is not None
    owner.stage.server.indexing.look(known)
    tokens = owner.token(mine), owner.token(empty)
    assert owner.get(*tokens, q="xyzzy plugh", format="json").json()["finding"] == "nothing known"
    assert owner.found("gateway ports", *tokens) == {(mine.full_name, NOTES)}
