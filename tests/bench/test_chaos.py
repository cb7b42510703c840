"""A small campaign of kills; `make chaos` is the whole one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bot.bench.chaos.campaign import Plan, run
from bot.bench.chaos.outcome import Outcome, differences
from bot.bench.postgres import postgres_folder, postgres_server

CALM = Outcome(
    applied=Counter({"act1": 1, "act2": 1}),
    lessons=frozenset({(0, frozenset({"act1", "act2"}), "")}),
    counts={"appended": 1, "refreshed": 1},
    repeated=0,
    unstored=0,
    given_up=0,
    left_behind=(),
    megabytes=100.0,
    bytes_on_disk=1000,
)


@pytest.mark.campaign
def test_a_few_kills_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    calm, _ = run(tmp_path / "calm", Plan(seed=7, acts=5), lambda: None)
    rough, tally = run(tmp_path / "rough", Plan(seed=7, acts=5, kills=3), lambda: None)
    assert tally.kills == 3
    assert calm.applied
    assert differences(calm, rough) == []


@pytest.mark.campaign
def test_a_fleet_loses_nothing_with_its_database_or_a_process(tmp_path: Path) -> None:
    programs = postgres_folder()
    if programs is None:
        pytest.skip("PostgreSQL is missing")
    calm, _ = run(tmp_path / "calm", Plan(seed=7, acts=5), lambda: None)
    with postgres_server(programs) as database:
        plan = Plan(seed=7, acts=5, kills=6, processes=4, database=database)
        rough, tally = run(tmp_path / "rough", plan, lambda: None)
    assert tally.kills == 6
    assert differences(calm, rough) == []


def test_every_kind_of_damage_is_named() -> None:
    assert differences(CALM, CALM) == []
    damaged = replace(
        CALM,
        applied=Counter({"act2": 2, "act3": 1}),
        lessons=frozenset({(0, frozenset({"act2"}), "overridden")}),
        counts={"appended": 2, "refreshed": 1},
        repeated=1,
        unstored=2,
        given_up=3,
        left_behind=("mirrors/1/index.lock",),
        megabytes=200.0,
        bytes_on_disk=10_000,
    )
    found = "\n".join(differences(CALM, damaged))
    for said in (
        "applied 2 times: act2",
        "lost: act1",
        "invented: act3",
        "only in the calm run",
        "only in the rough run",
        "commits say 2 appended, 1 in peace",
        "1 event rows stand twice",
        "2 acknowledged deliveries are not in the inbox",
        "the work of 3 deliveries was given up",
        "left behind: mirrors/1/index.lock",
        "memory grew",
        "the disk fills",
    ):
        assert said in found
