"""What the documentation tells people to put into a workflow of GitHub Actions is safe there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
EXAMPLES = [
    pytest.param(block, id=page.name)
    for page in sorted(DOCS.glob("*.md"))
    for block in re.findall(
        r"^```yaml\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    if "steps:" in block
]
AROUND = """name: Review
on: pull_request
permissions: {{}}
concurrency: {{group: "${{{{ github.ref }}}}", cancel-in-progress: true}}
jobs:
  review:
    name: Review
    runs-on: ubuntu-24.04
{}"""


def audit(block: str, folder: Path) -> subprocess.CompletedProcess[str]:
    workflow = folder / "workflow.yml"
    job = "".join(f"    {line}" for line in block.splitlines(keepends=True))
    workflow.write_text(AROUND.format(job), "utf-8")
    zizmor = Path(sys.executable).with_name("zizmor")
    return subprocess.run(
        [zizmor, "--offline", "--persona=pedantic", "--format=plain", workflow],
        capture_output=True,
        text=True,
        check=False,
    )


def test_there_are_examples() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("block", EXAMPLES)
def test_an_example_has_no_finding(block: str, tmp_path: Path) -> None:
    done = audit(block, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_hole_would_be_found(tmp_path: Path) -> None:
    hole = 'steps:\n  - run: echo "${{ github.event.pull_request.title }}"\n'
    assert "template-injection" in audit(hole, tmp_path).stdout
