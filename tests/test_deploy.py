"""What is shipped to run it names what the program reads, and the service unit is well-formed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.environment import VARIABLES

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
PEM, PKCS8 = Encoding.PEM, PrivateFormat.PKCS8
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


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The service unit, with a program that is on this machine."""
    if not shutil.which("systemd-analyze"):
        missing = "systemd-analyze is missing: install systemd"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    path = tmp_path / "lessonkeeper.service"
    text = (DEPLOY / "lessonkeeper.service").read_text()
    path.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", text, flags=re.MULTILINE))
    return path


def analyze(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_systemd_understands_the_unit(unit: Path) -> None:
    checked = analyze("verify", "--man=no", unit)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_systemd_finds_the_unit_well_confined(unit: Path) -> None:
    checked = analyze("security", "--offline=true", "--threshold=20", unit)  # tenths; 0 is best
    assert checked.returncode == 0, checked.stdout


# --- the image: its steps, where no builder is ---------------------------------------------------


def copied() -> list[str]:
    """What the image takes from the repository."""
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    return re.findall(r"^COPY (?!--from)(\S+) ", dockerfile, re.MULTILINE)


def test_what_the_image_copies_is_there_and_let_in() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    assert ignored[0] == "*"
    assert all((ROOT / name).exists() and f"!{name}" in ignored for name in copied())


def test_it_serves_from_what_the_image_copies_on_a_root_that_it_cannot_write(
    tmp_path: Path,
) -> None:
    """Where the system lets us, the whole root is read-only but for the data and temporary files;
    elsewhere the program's folder is compared."""
    program, data, temporary = (tmp_path / name for name in ("program", "data", "temporary"))
    for folder in (program, data, temporary):
        folder.mkdir()
    for name in set(copied()) - {"requirements.lock"}:
        source, target = ROOT / name, program / name
        compiled = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, target, ignore=compiled) if source.is_dir() else shutil.copy(
            source, target
        )
    key = generate_private_key(65537, 2048).private_bytes(PEM, PKCS8, NoEncryption())
    (tmp_path / "key.pem").write_bytes(key)
    before = {path: path.stat().st_mtime_ns for path in program.rglob("*")}
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "TMPDIR": str(temporary),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "LESSONKEEPER_DATA": str(data),
        "LESSONKEEPER_APP_ID": "1",
        "LESSONKEEPER_PRIVATE_KEY_FILE": str(tmp_path / "key.pem"),
        "LESSONKEEPER_WEBHOOK_SECRETS": "a" * 24,
        "LESSONKEEPER_GITHUB_URL": "http://127.0.0.1:9",  # nobody is there
    }
    serve = [sys.executable, "app.py", "serve", "--host", "127.0.0.1", "--port", "0"]
    command = [*read_only_but_for(data, temporary), *serve]
    with subprocess.Popen(
        command, cwd=program, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix("Listening on ").strip()
        try:
            with urllib.request.urlopen(f"{address}/healthz", timeout=10) as answer:
                assert answer.status == 200
        finally:
            process.terminate()
    assert {path: path.stat().st_mtime_ns for path in program.rglob("*")} == before
    assert (data / "lessonkeeper.sqlite").exists()


def read_only_but_for(*folders: Path) -> list[str]:
    """What to put before a command so; nothing where namespaces are not to be had."""
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        return []
    kept = "".join(f"mount --bind '{folder}' '{folder}' && " for folder in folders)
    mounts = f"mount --make-rprivate / && {kept}mount -o remount,ro,bind / && "
    tried = 'if touch /written 2>/dev/null; then exit 9; fi; exec "$@"'
    return [*unshare, "sh", "-c", mounts + tried, "sh"]


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
