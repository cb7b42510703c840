"""Every example payload that GitHub's own tools publish (@octokit/webhooks-examples, MIT), and what
a hostile or a future sender could make of it: never a 5xx, never a write that was not asked for.
"""

from __future__ import annotations

import copy
import http.client
import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from bot.demo.stage import Clock, Stage, stage, until
from bot.inbox import Status
from bot.sandbox.deliver import signature
from bot.sandbox.repository import SandboxRepository
from tests.work.conftest import make_shop

Payload = dict[str, Any]
Example = tuple[str, Payload]

MUTATIONS = 2  # of each example, and one unknown action
HUGE = "x" * 200_000
DEEP = 400  # arrays in arrays


@pytest.fixture(scope="session")
def examples(packages: Path) -> list[Example]:
    index = packages / "@octokit" / "webhooks-examples" / "api.github.com" / "index.json"
    found = json.loads(index.read_text("utf-8"))
    return [(event["name"], example) for event in found for example in event["examples"]]


@pytest.fixture(scope="module")
def on(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    clock = Clock(datetime(2026, 11, 2, 10, tzinfo=UTC) - datetime.now(UTC))
    with stage(tmp_path_factory.mktemp("stage"), clock) as made:
        yield made


def shop_with_pull_requests(on: Stage) -> SandboxRepository:
    """Numbers 1 to 3 are pull requests, so that what an example names is there to be read."""
    shop = make_shop(on).repository
    for number in range(1, 4):
        shop.open_pull_request(
            "ben", {f"src/{number}.py": f"n = {number}\n"}, title=f"No. {number}"
        )
    on.settle()
    return shop


def adopted(payload: Payload, shop: SandboxRepository) -> Payload:
    """The example as if it had come from this repository."""
    ours = copy.deepcopy(payload)
    assert shop.installation is not None
    ours["installation"] = {"id": shop.installation.id}
    if isinstance(ours.get("repository"), dict):
        ours["repository"] |= {"id": shop.id, "name": shop.name, "full_name": shop.full_name}
        ours["repository"]["owner"] = {"login": shop.owner, "id": 1, "type": "User"}
    return ours


def post(on: Stage, examples: list[Example]) -> list[int]:
    """Each under a GUID of its own, over one connection; the statuses."""
    where = urlsplit(on.url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
    statuses = []
    for event, payload in examples:
        body = json.dumps(payload).encode()
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": str(uuid4()),
            "X-Hub-Signature-256": signature(body, on.forge.webhook_secret),
        }
        connection.request("POST", "/webhooks/github", body, headers)
        answer = connection.getresponse()
        answer.read()
        statuses.append(answer.status)
    connection.close()
    return statuses


def written(on: Stage) -> int:
    """How many requests so far were to change something on GitHub."""
    changing = sum(on.github.count(method, "*") for method in ("POST", "PATCH", "PUT", "DELETE"))
    reading = ("/app/installations/*", "/graphql")
    return changing - sum(on.github.count("POST", path) for path in reading)


def test_there_are_as_many_as_the_package_promises(examples: list[Example]) -> None:
    assert len(examples) == 329
    assert len({event for event, _ in examples}) == 58


@pytest.mark.parametrize("whose", ["as published", "as if from a repository of ours"])
def test_no_example_is_refused_or_writes(on: Stage, examples: list[Example], whose: str) -> None:
    shop = shop_with_pull_requests(on)
    sent = examples
    if whose != "as published":
        sent = [(event, adopted(payload, shop)) for event, payload in examples]
    tip, before = shop.tip(), written(on)
    assert set(post(on, sent)) == {202}
    until(on.server.idle)
    assert (shop.tip(), written(on)) == (tip, before)
    assert on.server.inbox.counts()[Status.FAILED] == 0


def _keys(payload: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a payload, as its container and its key there."""
    places = payload.items() if isinstance(payload, dict) else enumerate(payload)
    for key, value in list(places):
        yield payload, key
        if isinstance(value, dict | list):
            yield from _keys(value)


def _deep() -> Any:
    nested: Any = []
    for _ in range(DEEP):
        nested = [nested]
    return nested


def _without(container: Any, key: Any) -> None:
    del container[key]


def _put(value: Callable[[], Any]) -> Callable[[Any, Any], None]:
    def put(container: Any, key: Any) -> None:
        container[key] = value()

    return put


WAYS: list[Callable[[Any, Any], None]] = [
    _without,
    _put(lambda: None),
    _put(lambda: 7),
    _put(lambda: "seven"),
    _put(lambda: {"seven": 7}),
    _put(lambda: [7]),
    _put(lambda: True),
    _put(lambda: -(2**70)),
    _put(lambda: HUGE),
    _put(lambda: "\ud800\u202e\u0000"),
    _put(_deep),
]


def mutations(payload: Payload, chance: random.Random) -> Iterator[Payload]:
    """Some places removed or holding what nobody expects there; near the top more often."""
    for _ in range(MUTATIONS):
        mutated = copy.deepcopy(payload)
        places = list(_keys(mutated))
        top = [place for place in places if place[0] is mutated]
        container, key = chance.choice(top if chance.random() < 0.3 else places)
        chance.choice(WAYS)(container, key)
        yield mutated
    yield payload | {"action": "one_that_github_has_not_thought_of_yet"}


def test_no_mutation_breaks_the_receiver_or_writes(on: Stage, examples: list[Example]) -> None:
    shop = shop_with_pull_requests(on)
    chance = random.Random(20261102)
    sent = [
        (event, mutated)
        for event, payload in examples
        for mutated in mutations(adopted(payload, shop), chance)
    ]
    tip, before = shop.tip(), written(on)
    statuses = post(on, sent)
    assert [status for status in statuses if status >= 500] == []
    until(on.server.idle)
    assert (shop.tip(), written(on)) == (tip, before)
    assert on.server.inbox.counts()[Status.FAILED] == 0
