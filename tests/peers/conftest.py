"""What others wrote and we are judged by: installed from a lock file by `make peers`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def packages() -> Path:
    """The folder of the npm packages in `package-lock.json` beside this file."""
    folder = Path(__file__).parent / "node_modules"
    if folder.is_dir():
        return folder
    missing = "the independent peers are not installed: run `make peers`"
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)
