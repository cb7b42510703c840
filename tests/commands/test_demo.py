"""`demo`: the whole story, and the press that its reader makes in the browser."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

ROOT = Path(__file__).parents[2]


def _hear_ctrl_c() -> None:
    """Whatever runs the tests in the background has it ignored, and children inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def demo() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-u", str(ROOT / "app.py"), "demo", "--stay"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, preexec_fn=_hear_ctrl_c
    ) as process:
        yield process
        process.kill()


def lines_until(demo: subprocess.Popen[str], pattern: str) -> tuple[list[str], re.Match[str]]:
    """What it prints up to the line in which the pattern is found."""
    assert demo.stdout is not None
    seen = []
    for line in demo.stdout:
        seen.append(line)
        if found := re.search(pattern, line):
            return seen, found
    raise AssertionError("".join(seen))


def test_the_story_holds_and_its_reader_keeps_a_lesson(demo: subprocess.Popen[str]) -> None:
    told, link = lines_until(demo, r"http://\S+sign-in/once\S+")
    assert sum("✓" in line for line in told) == 8
    assert not [line for line in told if "✗" in line]
    with requests.Session() as browser:
        home = browser.get(link[0]).url.rstrip("/")
        page = browser.get(f"{home}/repos/acme/shop").text
        form = re.search(r'action="(\S+/keep)">\s*<input [^>]*value="([^"]+)"', page)
        assert form is not None
        browser.post(home + form[1], data={"csrf_token": form[2]}).raise_for_status()
    lines_until(demo, r"→ chore\(lessons\): 1 appended from #7")
    demo.send_signal(signal.SIGINT)
    assert demo.wait(60) == 0


@pytest.mark.parametrize("where", ["taken", "taken/file"])
def test_a_place_that_cannot_be_kept_is_a_wrong_call(tmp_path: Path, where: str) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("mine\n")
    done = subprocess.run(
        [sys.executable, str(ROOT / "app.py"), "demo", "--keep", str(tmp_path / where)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "with --keep" in done.stderr
