"""A small campaign of kills; `make chaos` is the whole one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bot.bench.chaos import Outcome, differences, run

CALM = Outcome(
    applied=Counter({"act1": 1, "act2": 1}),
    lessons=frozenset({(0, frozenset({"act1", "act2"}), "")}),
    kills=0,
    repeated=0,
    left_behind=(),
    megabytes=100.0,
    bytes_on_disk=1000,
    seconds=1.0,
)


@pytest.mark.campaign
def test_a_few_kills_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    calm = run(tmp_path / "calm", 7, 5, 0, lambda: None)
    rough = run(tmp_path / "rough", 7, 5, 3, lambda: None)
    assert rough.kills == 3
    assert calm.applied
    assert differences(calm, rough) == []


def test_every_kind_of_damage_is_named() -> None:
    assert differences(CALM, CALM) == []
    damaged = replace(
        CALM,
        applied=Counter({"act2": 2, "act3": 1}),
        lessons=frozenset({(0, frozenset({"act2"}), "overridden")}),
        repeated=1,
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
        "1 event rows stand twice",
        "left behind: mirrors/1/index.lock",
        "memory grew",
        "the disk fills",
    ):
        assert said in found
