"""docs/SECURITY.md promises a test for every line: each of them has to be there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "SECURITY.md").read_text("utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and " | " in line]
CLAIMS = [row for row in ROWS if not row.endswith("| held by |")]


def _defined() -> set[str]:
    return {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
    }


def test_every_test_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert named - _defined() == set()


def test_every_claim_names_a_test() -> None:
    assert CLAIMS
    assert [row for row in CLAIMS if "`test_" not in row.strip("| ").split(" | ")[-1]] == []
