"""The page of all stores is measured as its visitors get it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.bench import pages


def test_the_measured_page_names_every_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "STORES", 3)
    monkeypatch.setattr(pages, "ROUNDS", 1)
    ticks: list[None] = []
    (row,) = pages.fleet(tmp_path, lambda: ticks.append(None))
    assert len(ticks) == 3
    assert row.what == "the page of 3 stores with 120 bullets, server time"
    assert row.ok is not None
