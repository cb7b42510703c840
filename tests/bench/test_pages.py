"""The page of all stores is measured as its visitors get it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.bench import pages


@pytest.mark.parametrize(("reach", "ok"), [(60.0, True), (0.0, False)])
def test_the_measured_page_names_every_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reach: float, ok: bool
) -> None:
    monkeypatch.setattr(pages, "STORES", 3)
    monkeypatch.setattr(pages, "ROUNDS", 1)
    monkeypatch.setattr(pages, "REACH", reach)
    ticks: list[None] = []
    (row,) = pages.fleet(tmp_path, lambda: ticks.append(None))
    assert len(ticks) == 3
    assert row.what == "the page of 3 stores with 120 bullets, server time"
    assert row.reach == f"≤ {reach * 1000:.0f} ms"
    assert row.ok is ok
