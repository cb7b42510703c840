"""Real reviews and findings, as they were handed over."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def field() -> Path:
    return Path(__file__).parents[1] / "field"
