"""A person who calls reports in a directory of files, and a repository to call them on."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.answers import Answer, answer


@dataclass
class Caller:
    """Runs `report …` and types what is asked of it."""

    place: Path
    capture: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch

    def write(self, name: str, data: str) -> str:
        (self.place / name).write_text(data, encoding="utf-8")
        return name

    def report(self, *arguments: str, typed: str | io.TextIOBase = "") -> Answer:
        self.patch.setattr("sys.stdin", io.StringIO(typed) if isinstance(typed, str) else typed)
        return answer(self.capture, "report", *arguments)


class Clone:
    """A work tree whose commits are made on days that the test chooses."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        tree.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, at: str = "2026-11-01T12:00:00Z") -> str:
        signature = dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Ann")
        signature |= dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "ann@example.org")
        signature |= dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), at)
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.tree,
            env={**os.environ, **signature, "GIT_CONFIG_GLOBAL": os.devnull},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit(self, files: Mapping[str, str | bytes | None], at: str) -> str:
        """The id of a commit of that time in which `files` stand so; None deletes."""
        for path, data in files.items():
            place = self.tree / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if data is None:
                place.unlink()
            else:
                place.write_bytes(data.encode() if isinstance(data, str) else data)
        self.git("add", "--all", "--force", at=at)
        self.git("commit", "--quiet", "--allow-empty", "--message", "work", at=at)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path / "shop")


@pytest.fixture
def caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    monkeypatch.chdir(tmp_path)
    return Caller(tmp_path, capsys, monkeypatch)
