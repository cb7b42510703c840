"""A page in passages, whatever stands in it."""

from __future__ import annotations

import pytest

from bot.search.passages import passages


def test_a_passage_knows_the_heading_of_its_section() -> None:
    found = passages("Before.\n\n# Ports\n\n8443.\n\n## Of *tests*\n\n9443.\n")
    assert [(each.heading, each.text) for each in found] == [
        ("", "Before."),
        ("Ports", "8443."),
        ("Of *tests*", "9443."),
    ]


@pytest.mark.parametrize("piece", ["[", "*a", "`", "![", "<", "&", "~~"])
def test_hostile_repetition_comes_to_an_end(piece: str) -> None:
    assert passages(f"# Ports\n\n{piece * (300_000 // len(piece))}\n")[0].heading == "Ports"
