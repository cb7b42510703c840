"""What a server at rest carries: nothing that only its work or another command needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

NEEDED_BY_OTHERS = {
    "anthropic": "a repository whose settings say `claude`, where the operator has a key",
    "matplotlib": "`report --plot`",
    "mcp": "`mcp`",
    "numpy": "a search, where the database cannot compare vectors itself",
    "psycopg": "a database that is PostgreSQL",
    "pydantic": "`mcp` and Anthropic's library",
    "rich": "a person's terminal",
    "selectolax": "the first remark",
    "tokenizers": "the process of the model of meanings",
    "wordllama": "nobody: its files are enough",
}

WIRED = """
import sys
from bot import logs
from bot.work import serving
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.fixture(scope="module")
def carried() -> set[str]:
    """The packages that a process has read once all of the server is there."""
    done = subprocess.run(
        [sys.executable, "-c", WIRED],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("package", NEEDED_BY_OTHERS)
def test_a_server_at_rest_does_not_carry(carried: set[str], package: str) -> None:
    assert "sqlalchemy" in carried
    assert package not in carried
