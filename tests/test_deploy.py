"""What is shipped to run it names what the program reads, and the service unit is well-formed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from bot.environment import VARIABLES

DEPLOY = Path(__file__).parent.parent / "deploy"
FILES = [path for path in DEPLOY.iterdir() if path.is_file()]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_variable_that_is_named_is_read(path: Path) -> None:
    named = set(re.findall(r"\b(?:LESSONKEEPER|ANTHROPIC)_[A-Z_]+\b", path.read_text()))
    assert named <= set(VARIABLES)


def test_in_a_container_it_is_an_ordinary_user_on_a_root_that_it_cannot_write() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yml").read_text())["services"]
    assert services["bot"]["read_only"]
    assert services["bot"]["cap_drop"] == ["ALL"]
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    assert re.search(r"^USER (?!0\b|root\b)\S+$", dockerfile, re.MULTILINE)
    assert "--require-hashes -r requirements.lock" in dockerfile


def test_nothing_but_loopback_reaches_a_port() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yml").read_text())["services"]
    ports = [port for service in services.values() for port in service.get("ports", ())]
    assert ports == ["127.0.0.1:8080:8080"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is missing")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "lessonkeeper.service"
    text = (DEPLOY / "lessonkeeper.service").read_text()
    # Where it is installed is not on this machine.
    unit.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", text, flags=re.MULTILINE))
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
