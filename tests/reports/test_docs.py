"""What docs/REPORTS.md shows is what the commands print."""

from __future__ import annotations

from pathlib import Path

from tests.reports.conftest import Caller

DOCS = Path(__file__).parents[2] / "docs"


def test_table_and_picture_are_those_of_the_generated_corpus(caller: Caller) -> None:
    page = (DOCS / "REPORTS.md").read_text(encoding="utf-8")
    printed = caller.report("retention", "--generated", "--plot", "drawn.png").out.splitlines()
    shown = [line for line in page.splitlines() if line.startswith(("| × ", "| length "))]
    assert len(shown) == 4
    assert set(shown) <= set(printed)
    drawn = (caller.place / "drawn.png").read_bytes()
    assert drawn == (DOCS / "pictures" / "retention.png").read_bytes()
