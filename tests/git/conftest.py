"""Real repositories for the git room: an origin, a person who works on it, a mirror of ours."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.bench.repositories import make_bare
from bot.git.commit import Signature
from bot.git.lock import Lock, hold
from bot.git.mirror import Mirror
from bot.git.remote import Remote
from bot.sandbox.git_http import GitServer

TOKEN = "ghs_12345_a.b+c/d=e"  # characters that URL encoding changes
NOW = datetime(2026, 11, 2, 10, 0, tzinfo=UTC)
BOT = Signature("lessonkeeper[bot]", "1+lessonkeeper[bot]@users.noreply.github.com", NOW)
REPOSITORY = 4711

_PERSON = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
}


def git(directory: Path, *arguments: str, date: str = "2026-11-01T09:00:00Z") -> str:
    """git as a person runs it, apart from the code under test."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=directory,
        env={**_PERSON, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


@dataclass(frozen=True)
class Person:
    """Somebody with a work tree of the origin."""

    tree: Path

    def commit(
        self,
        changes: dict[str, bytes | None],
        date: str = "2026-11-01T09:00:00Z",
        push: bool = True,
    ) -> str:
        for path, data in changes.items():
            place = self.tree / path
            if data is None:
                place.unlink()
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        git(self.tree, "add", "--all", "--force")
        git(self.tree, "commit", "--quiet", "--message", "work", date=date)
        if push:
            self.push()
        return git(self.tree, "rev-parse", "HEAD")

    def push(self) -> None:
        git(self.tree, "push", "--quiet", "origin", "HEAD")


@dataclass(frozen=True)
class Origin:
    """The bare repository that everybody pushes to."""

    directory: Path

    def tip(self, branch: str = "main") -> str:
        return git(self.directory, "rev-parse", f"refs/heads/{branch}")

    def count(self, branch: str = "main") -> int:
        return int(git(self.directory, "rev-list", "--count", f"refs/heads/{branch}"))

    def show(self, path: str, branch: str = "main") -> bytes:
        return subprocess.check_output(
            ["git", "show", f"refs/heads/{branch}:{path}"], cwd=self.directory
        )

    def hook(self, name: str, script: str) -> None:
        hooks = self.directory / "hooks"
        hooks.mkdir(exist_ok=True)
        (hooks / name).write_text(f"#!/bin/sh\n{script}\n")
        (hooks / name).chmod(0o755)

    def person(self, tree: Path) -> Person:
        git(self.directory.parent, "clone", "--quiet", str(self.directory), str(tree))
        return Person(tree)


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    directory = tmp_path / "served" / "acme" / "shop.git"
    make_bare(directory)
    return Origin(directory)


@pytest.fixture
def ann(origin: Origin, tmp_path: Path) -> Person:
    ann = origin.person(tmp_path / "ann")
    ann.commit(
        {"README.md": b"# Shop\n", "src/a.py": b"".join(b"line %d\n" % n for n in range(40))}
    )
    return ann


@pytest.fixture
def server(origin: Origin) -> Iterator[GitServer]:
    with GitServer(origin.directory.parents[1], accepts=TOKEN.__eq__) as server:
        yield server


def over_http(server: GitServer, token: str = TOKEN) -> Remote:
    return Remote(f"{server.url}/acme/shop.git", token, protocols=("http",))


def on_disk(origin: Origin) -> Remote:
    return Remote(f"file://{origin.directory}", protocols=("file",))


@pytest.fixture
def lock(tmp_path: Path) -> Iterator[Lock]:
    with hold(tmp_path / "data", REPOSITORY) as lock:
        yield lock


@pytest.fixture
def mirror(lock: Lock, origin: Origin) -> Mirror:
    return Mirror(lock, on_disk(origin))
