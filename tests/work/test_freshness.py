"""Many readers of one repository: one look at GitHub, and nobody waits for another's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from bot.demo.stage import Stage
from bot.errors import Fault
from bot.work.freshness import FETCHES, FRESH, Freshness
from bot.work.memory import Known
from bot.work.places import GitHubPlace
from tests.queues import wait_until
from tests.work.conftest import Shop
from webhooks.serve import THREADS


@dataclass
class Gate:
    """Opens repositories for the server's own places, as long as it is not shut."""

    stage: Stage
    looks: int = 0
    way: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.way.set()

    @contextmanager
    def open(self, known: Known) -> Iterator[GitHubPlace]:
        self.looks += 1
        self.way.wait()
        with self.stage.server.presence.opening(known) as place:
            assert isinstance(place, GitHubPlace)
            yield place


@pytest.fixture
def gate(playing: Stage) -> Gate:
    return Gate(playing)


@pytest.fixture
def freshness(gate: Gate) -> Freshness:
    return Freshness(gate.open, gate.stage.clock)


def test_of_many_who_come_together_one_looks(
    freshness: Freshness, gate: Gate, known: Known
) -> None:
    with ThreadPoolExecutor(8) as readers:
        found = list(readers.map(lambda _: freshness.seen(known)[0], range(8)))
    assert gate.looks == 1
    assert all(each is found[0] for each in found)


def test_who_finds_another_looking_takes_what_was_seen_before(
    freshness: Freshness, gate: Gate, known: Known, shop: Shop
) -> None:
    before, _ = freshness.seen(known)
    shop.repository.commit("ada", {"README.md": "# Another\n"})
    shop.stage.forge.take_deliveries()
    gate.stage.clock.move(FRESH)
    gate.way.clear()
    with ThreadPoolExecutor(1) as readers:
        looking = readers.submit(freshness.seen, known)
        wait_until(lambda: gate.looks == 2)
        assert freshness.seen(known)[0] is before
        gate.way.set()
        after, notice = looking.result()
    assert after.files.commit == shop.repository.tip()
    assert notice == ""


def test_what_breaks_is_not_tried_for_each_reader(
    freshness: Freshness, gate: Gate, known: Known
) -> None:
    name = f"/repos/{known.full_name}"
    gate.stage.github.fail_next("GET", name, 502, times=4)
    for _ in range(3):
        with pytest.raises(Fault):
            freshness.seen(known)
    assert gate.looks == 1
    gate.stage.clock.move(FRESH)
    assert freshness.seen(known)[0].files.commit is not None


def test_the_limits_leave_the_receiver_its_threads() -> None:
    assert FETCHES < THREADS / 2
