"""Each measurement of growth does what it says, as often as it is asked."""

from __future__ import annotations

from pathlib import Path

from bot.bench import growth

FINDINGS = (Path(__file__).parents[1] / "field" / "findings-pairs.tsv").read_bytes()


def test_each_side_can_be_taken_turn_by_turn(tmp_path: Path) -> None:
    with growth.waiting(tmp_path, 5) as queue:
        for side in (growth.bullets(3), growth.events(FINDINGS, 20), queue):
            assert min(side(), side()) > 0
