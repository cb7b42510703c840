"""What docs/REPORTS.md shows is what the commands print."""

from __future__ import annotations

from pathlib import Path

from tests.reports.conftest import Caller
from tests.reports.test_pairs_command import png_size

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_of_caps_is_that_of_the_generated_corpus(caller: Caller) -> None:
    page = (DOCS / "REPORTS.md").read_text(encoding="utf-8")
    printed = caller.report("retention", "--generated").out.splitlines()
    shown = [line for line in page.splitlines() if line.startswith(("| × ", "| length "))]
    assert len(shown) == 4
    assert set(shown) <= set(printed)


def test_the_picture_is_there() -> None:
    assert png_size((DOCS / "pictures" / "retention.png").read_bytes()) == (864, 528)
