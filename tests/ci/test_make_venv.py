"""`make venv` says what is missing before it fails in words of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def make_venv(checkout: Path, python: str) -> subprocess.CompletedProcess[str]:
    """`make venv` in a copy of the set-up files, with `python` as the only python3 on PATH."""
    for name in ("Makefile", "requirements.lock"):
        shutil.copy(ROOT / name, checkout)
    stub = checkout / "bin" / "python3"
    stub.parent.mkdir()
    stub.write_text(f"#!/bin/sh\n{python}\n")
    stub.chmod(0o755)
    path = os.pathsep.join([str(stub.parent), os.environ["PATH"]])
    return subprocess.run(
        ["make", "--silent", "venv"],
        cwd=checkout,
        env={"PATH": path, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_python_without_ensurepip_is_told_the_package(tmp_path: Path) -> None:
    without = f"""case "$*" in *ensurepip*) exit 1;; *) exec {sys.executable} "$@";; esac"""
    ran = make_venv(tmp_path, without)
    assert ran.returncode == 2
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert f"install the package python{version}-venv (apt-get install python3-venv)" in ran.stderr
    assert not (tmp_path / ".venv").exists()


def test_a_python_that_is_too_old_is_told_which_is_needed(tmp_path: Path) -> None:
    old = """case "$1" in --version) echo Python 3.9.2;; *) exit 1;; esac"""
    ran = make_venv(tmp_path, old)
    assert ran.returncode == 2
    assert "needs Python 3.11 or newer; found: Python 3.9.2." in ran.stderr
    assert not (tmp_path / ".venv").exists()


def test_it_is_set_up_again_only_when_the_lock_file_is_newer(tmp_path: Path) -> None:
    for name in ("Makefile", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    lock, done = tmp_path / "requirements.lock", tmp_path / ".venv" / ".runtime"
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").touch()
    done.touch()
    for lock_time, is_up_to_date in ((1_000, True), (3_000, False)):
        os.utime(done, (2_000, 2_000))
        os.utime(lock, (lock_time, lock_time))
        ran = subprocess.run(["make", "--question", "venv"], cwd=tmp_path, check=False)
        assert (ran.returncode == 0) is is_up_to_date
