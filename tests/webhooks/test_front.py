"""From the letterbox to the inbox: each letter once, and none lost with another."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.delivery import Delivery
from bot.errors import Fault
from bot.inbox import Status
from bot.letterbox import Letterbox
from bot.metrics import Metrics
from tests.stores import Stores, stores
from tests.webhooks.conftest import push
from webhooks.events import Event, InstallationChanged, Pushed
from webhooks.front import Collector
from webhooks.reception import Reception

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
SETTLES = timedelta(seconds=5)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Stores]:
    with stores(f"sqlite:///{tmp_path / 'bot.sqlite'}") as made:
        yield made


@pytest.fixture
def letterbox(tmp_path: Path) -> Iterator[Letterbox]:
    made = Letterbox(tmp_path)
    yield made
    made.close()


def wait(event: Event) -> timedelta | None:
    """Nobody wants repository 12, and nobody can read repository 13."""
    if isinstance(event, InstallationChanged):
        return timedelta(0)
    if event.origin.repository.id == 13:
        raise ZeroDivisionError("a fault of ours")
    return SETTLES if event.origin.repository.id == 11 and isinstance(event, Pushed) else None


def letter(guid: str, repository: int = 11) -> Delivery:
    body = push(repository={"id": repository, "full_name": "acme/shop"})
    return Delivery(guid, "push", body, NOON, NOON)


def collector(tmp_path: Path, kept: Stores) -> Collector:
    return Collector(tmp_path, Reception(kept.inbox, wait), Metrics())


def test_a_letter_becomes_a_row_as_if_it_had_been_heard_at_once(
    tmp_path: Path, kept: Stores, letterbox: Letterbox
) -> None:
    letterbox.put([letter("a")])
    assert collector(tmp_path, kept).collect() == 1
    entry = kept.inbox.find("a")
    assert entry is not None
    assert (entry.event, entry.repository, entry.installation) == ("push", 11, 100)
    assert (entry.received_at, entry.next_try_at) == (NOON, NOON + SETTLES)
    assert json.loads(entry.body or b"")["ref"] == "refs/heads/main"


def test_what_nobody_wants_goes_no_further(
    tmp_path: Path, kept: Stores, letterbox: Letterbox
) -> None:
    letterbox.put([letter("a", repository=12), letter("b")])
    assert collector(tmp_path, kept).collect() == 2
    assert kept.inbox.unknown(["a", "b"]) == {"a"}


def test_one_that_cannot_be_read_holds_no_other_back_and_is_kept(
    tmp_path: Path, kept: Stores, letterbox: Letterbox
) -> None:
    letterbox.put([letter("a"), letter("broken", repository=13), letter("c")])
    assert collector(tmp_path, kept).collect() == 3
    found = [kept.inbox.find(guid) for guid in ("a", "broken", "c")]
    assert [entry and entry.status for entry in found] == [Status.RECEIVED] * 3


def test_without_its_database_it_takes_nothing_and_forgets_nothing(
    tmp_path: Path, kept: Stores, letterbox: Letterbox
) -> None:
    letterbox.put([letter("a")])
    with stores(f"sqlite:///{tmp_path / 'another.sqlite'}") as gone:
        collecting = collector(tmp_path, gone)
    with pytest.raises(Fault):
        collecting.empty()
    assert [number for number, _ in letterbox.after(0, 10)] == [1]
    collector(tmp_path, kept).empty()
    assert letterbox.after(0, 10) == []
    assert kept.inbox.unknown(["a"]) == set()


def test_taken_twice_it_is_one_row(tmp_path: Path, kept: Stores, letterbox: Letterbox) -> None:
    """As after a death between the inbox and the letterbox."""
    letterbox.put([letter("a")])
    for _ in range(2):
        collector(tmp_path, kept).collect()
    assert [entry.guid for entry in kept.inbox.newest(10)] == ["a"]
