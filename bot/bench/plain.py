"""What the write is measured against: the commands that a person would type, as git runs them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.bench.rounds import timed
from bot.git.clone import Clone
from bot.git.command import Git
from bot.git.commit import Signature, make_commit
from bot.git.plan import Plan
from bot.git.remote import Remote

LESSONS = ".agent-corp/lessons.md"


def _environment(remote: Remote) -> dict[str, str]:
    """Nothing of the person's own configuration, and the credentials of `remote`."""
    settings = [(k, v) for k, v in remote.settings if k.endswith(".extraHeader")]
    settings += [("user.name", "Plain"), ("user.email", "plain@example.org")]
    found = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    found["GIT_CONFIG_COUNT"] = str(len(settings))
    for number, (key, value) in enumerate(settings):
        found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return {**os.environ, **found}


def _git(directory: Path, environment: Mapping[str, str], *arguments: str) -> bytes:
    return subprocess.run(
        ["git", *arguments], cwd=directory, env=environment, check=True, capture_output=True
    ).stdout


@dataclass(slots=True)
class FetchAndPush:
    """`git fetch` and `git push` of one commit that was prepared before the clock ran."""

    directory: Path
    remote: Remote
    author: Signature
    _count: int = 0
    _environment: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._environment = _environment(self.remote)
        above = self.directory.parent
        self._run("clone", "--quiet", "--no-checkout", self.remote.url, self.directory, at=above)

    def __call__(self) -> float:
        commit = self._prepared()

        def write() -> None:
            self._run("fetch", "--quiet")
            self._run("push", "--quiet", "origin", f"{commit}:refs/heads/main")

        return timed(write)

    def _prepared(self) -> str:
        """As large as a write: the lessons file, a month of events and the block change."""
        self._count += 1
        clone = Clone(Git(self.directory))
        head = self._run("rev-parse", "refs/remotes/origin/main").decode().strip()
        paths = [p for p in clone.paths(head) if p.startswith(".agent-corp/")]
        changed = [p for p in paths if p.endswith((".jsonl", "lessons.md", "pitfalls.md"))]
        line = f"\nline {self._count}\n".encode()
        changes = {p: f.data + line for p, f in clone.read_many(head, changed).items()}
        plan = Plan("main", head, changes, "Prepared\n")
        return make_commit(clone, plan, self.author, self.author)

    def _run(self, *arguments: str | Path, at: Path | None = None) -> bytes:
        return _git(at or self.directory, self._environment, *map(str, arguments))


@dataclass(slots=True)
class ShallowClone:
    """`git clone --depth 1`, an edit of the lessons file, `git commit`, `git push`."""

    directory: Path
    remote: Remote
    _count: int = 0

    def __call__(self) -> float:
        self._count += 1
        environment = _environment(self.remote)

        def write() -> None:
            above = self.directory.parent
            clone = ("clone", "--quiet", "--depth", "1", self.remote.url, str(self.directory))
            _git(above, environment, *clone)
            with (self.directory / LESSONS).open("a") as file:
                file.write(f"- line {self._count}\n")
            _git(self.directory, environment, "commit", "--quiet", "--all", "-m", "By hand")
            _git(self.directory, environment, "push", "--quiet", "origin", "main")

        seconds = timed(write)
        shutil.rmtree(self.directory)
        return seconds
