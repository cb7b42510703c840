"""A work tree on this disk, and a person who runs commands in it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.answers import Answer, answer

LESSONS = ".agent-corp/lessons.md"


@dataclass
class Desk:
    """A work tree, and a person who runs commands in it."""

    tree: Path
    capture: pytest.CaptureFixture[str]

    def run(self, *arguments: str) -> Answer:
        return answer(self.capture, *arguments)

    def learn(self, given: Mapping[str, object] | str, *more: str) -> Answer:
        file = self.tree.parent / "review.json"
        file.write_text(given if isinstance(given, str) else json.dumps(given))
        return self.run("learn", "--repo", str(self.tree), "--review", str(file), *more)

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.tree, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, files: Mapping[str, bytes | None]) -> None:
        for path, data in files.items():
            place = self.tree / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if data is None:
                place.unlink()
            else:
                place.write_bytes(data)
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--message", "work")

    def file(self, path: str = LESSONS) -> bytes:
        return (self.tree / path).read_bytes()


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Desk:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ann@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    tree = tmp_path / "shop"
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(tree)], check=True)
    made = Desk(tree, capsys)
    made.commit({"src/db.py": b"x = 1\n"})
    return made
