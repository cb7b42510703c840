"""What is shipped to run it names what the program reads, and the service unit is well-formed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
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


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A clone of a program with two versions: in the second the canary does not sing."""
    clone = tmp_path / "program"
    (clone / "deploy").mkdir(parents=True)
    shutil.copy(DEPLOY / "upgrade.sh", clone / "deploy")
    python = f"venv:\n\t@mkdir -p .venv/bin && ln -sf {sys.executable} .venv/bin/python\n"
    (clone / "Makefile").write_text(python)
    (clone / ".gitignore").write_text(".venv\n")
    (clone / "restart").write_text('#!/bin/sh\ngit rev-parse HEAD >> "$STARTED"\n')
    (clone / "restart").chmod(0o755)
    git(clone, "init", "--quiet", "--initial-branch=main")
    for version, status in (("1", 0), ("2", 1), ("3", 0)):
        (clone / "app.py").write_text(f"import sys\nsys.exit({status})  # {version}\n")
        git(clone, "add", "--all")
        git(clone, "commit", "--quiet", "--message", version)
        git(clone, "tag", version)
    git(clone, "checkout", "--quiet", "--detach", "1")
    return clone


def git(place: Path, *arguments: str) -> str:
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    done = subprocess.run(
        ["git", *who, *arguments], cwd=place, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize(("version", "status", "runs"), [("2", 1, "1"), ("3", 0, "3")])
def test_a_version_whose_canary_is_silent_goes_back_by_itself(
    installed: Path, version: str, status: int, runs: str
) -> None:
    log = installed.parent / "started"
    health = (installed / "app.py").as_uri()
    environment = {**os.environ, "RESTART": "./restart", "HEALTH": health, "STARTED": str(log)}
    done = subprocess.run(
        ["deploy/upgrade.sh", version],
        cwd=installed,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    running = git(installed, "rev-parse", runs)
    assert git(installed, "rev-parse", "HEAD") == running
    assert log.read_text().splitlines()[0] == git(installed, "rev-parse", version)
    assert log.read_text().splitlines()[-1] == running


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is missing")
def test_the_script_is_clean() -> None:
    subprocess.run(["shellcheck", DEPLOY / "upgrade.sh"], check=True)
