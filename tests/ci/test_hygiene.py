"""The check of the repository finds what it looks for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PYPROJECT = '[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.11"\ndependencies = []\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository that passes: no dependency, so that nothing is asked of the network."""
    (tmp_path / "pyproject.toml").write_text(PYPROJECT + "[dependency-groups]\ndev = []\n")
    for lock in ("requirements.lock", "requirements-dev.lock"):
        (tmp_path / lock).touch()
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def check(checkout: Path) -> tuple[int, list[str]]:
    subprocess.run(["git", "-C", checkout, "add", "--all"], check=True)
    script = ROOT / ".ci" / "hygiene.py"
    ran = subprocess.run(
        [sys.executable, script], cwd=checkout, capture_output=True, text=True, check=False
    )
    assert ran.stderr == ""
    return ran.returncode, ran.stdout.splitlines()


def test_a_clean_repository_passes(checkout: Path) -> None:
    (checkout / "README").write_text("See docs/tmp/x, $HOME/tmp/y and https://example.org/tmp/z.\n")
    assert check(checkout) == (0, ["Clean: no traces of a machine, lock files in step."])


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        ("cd /home/ann/code", "machine path: /home/ann/c"),
        ('path = "/tmp/x"', "machine path: /tmp/x"),
        ("--index-url https://mirror/simple", "registry: --index-url"),
        ("https://files.pythonhosted" + ".org/packages/x", "registry: pythonhosted" + ".org"),
    ],
)
def test_a_trace_of_a_machine_is_named_with_its_place(
    checkout: Path, line: str, finding: str
) -> None:
    (checkout / "notes.md").write_text(f"# Notes\n{line}\n")
    assert check(checkout) == (1, [f"notes.md:2: {finding}"])


def test_an_untracked_file_is_nobodys_business(checkout: Path) -> None:
    (checkout / ".gitignore").write_text("local\n")
    (checkout / "local").write_text("/home/ann/code\n")
    assert check(checkout)[0] == 0


def test_a_pin_that_nothing_asks_for_is_stale(checkout: Path) -> None:
    (checkout / "requirements.lock").write_text(f"flask==3.1.0 \\\n    --hash=sha256:{'0' * 64}\n")
    assert check(checkout) == (
        1,
        ["requirements.lock: flask==3.1.0: not in step with pyproject.toml: run make lock"],
    )
