"""Real commits in a bare repository, made as people make them elsewhere and push them."""

from __future__ import annotations

import os
import subprocess  # nosec B404
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

EMPTY = "0" * 40
SIGNATURE = "gpgsig -----BEGIN PGP SIGNATURE-----\n sandbox\n -----END PGP SIGNATURE-----"
SERVED_AS_GITHUB_DOES = "[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n"
ENVIRONMENT = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


@dataclass(frozen=True, slots=True)
class Commit:
    sha: str
    tree: str
    parents: tuple[str, ...]
    committed_at: datetime
    author: str
    email: str
    message: str


@dataclass(frozen=True, slots=True)
class Change:
    """`status` is git's letter: A, M, D or R; `previous` is set for R.

    `blob` is the id of the new content, of the old one where it was deleted; lines are counted.
    """

    status: str
    path: str
    previous: str | None = None
    blob: str = ""
    added: int = 0
    deleted: int = 0


@dataclass(frozen=True, slots=True)
class Edit:
    """What one commit does: new contents by path, None to delete, and renames old to new."""

    files: Mapping[str, str | bytes | None]
    moves: Mapping[str, str]


class Bare:
    """A bare repository at `path`, created there with its default branch unborn."""

    def __init__(self, path: Path, default_branch: str) -> None:
        self.path = path
        path.mkdir(parents=True)
        self._git("init", "--quiet", "--bare", f"--initial-branch={default_branch}")
        with (path / "config").open("a") as config:
            config.write(SERVED_AS_GITHUB_DOES)

    def move(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = self.path.rename(path)

    def sha(self, ref: str) -> str | None:
        found = self._run("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        return found.stdout.decode().strip() or None

    def set_ref(self, ref: str, sha: str) -> None:
        self._git("update-ref", ref, sha)

    def merge_base(self, one: str, other: str) -> str:
        return self._git("merge-base", one, other).strip()

    def common(self, one: str, other: str) -> str | None:
        """`merge_base` of what a client named; None where either is not here."""
        return self._run("merge-base", one, other).stdout.decode().strip() or None

    def commit(
        self,
        ref: str,
        edit: Edit,
        *,
        parents: Sequence[str],
        message: str,
        author: tuple[str, str],
        at: datetime,
    ) -> str:
        """Puts a commit with `edit` applied to the first parent's tree on `ref`; its object id."""
        name, email = author
        text = message.encode()
        stream = [
            f"commit {ref}\ncommitter {name} <{email}> {int(at.timestamp())} +0000\n".encode(),
            b"data %d\n%s\n" % (len(text), text),
        ]
        for word, parent in zip(("from", *["merge"] * len(parents)), parents, strict=False):
            stream.append(f"{word} {parent}\n".encode())
        for old, new in edit.moves.items():
            stream.append(f"R {_quoted(old)} {_quoted(new)}\n".encode())
        for path, content in edit.files.items():
            stream.append(_file(path, content))
        self._git("fast-import", "--quiet", "--force", stdin=b"".join([*stream, b"done\n"]))
        return self._git("rev-parse", ref).strip()

    def sign(self, commit: str) -> str:
        """The same commit as GitHub makes it: committed and signed by GitHub; its object id."""
        head, _, message = self._git("cat-file", "commit", commit).partition("\n\n")
        lines = head.split("\n")
        when = lines[-1].rsplit("> ", 1)[1]
        lines[-1] = f"committer GitHub <noreply@github.com> {when}"
        text = "\n".join([*lines, SIGNATURE]) + f"\n\n{message}"
        made = self._git("hash-object", "-t", "commit", "-w", "--stdin", stdin=text.encode())
        return made.strip()

    def is_signed(self, commit: str) -> bool:
        return "\ngpgsig " in self._git("cat-file", "commit", commit).partition("\n\n")[0]

    def delete_ref(self, ref: str) -> None:
        self._git("update-ref", "-d", ref)

    def commits(self, *revisions: str) -> list[Commit]:
        """As `git rev-list` takes them, oldest first."""
        form = "%H%x00%T%x00%P%x00%ct%x00%an%x00%ae%x00%B%x01"
        text = self._git("log", "--reverse", "--topo-order", f"--format={form}", *revisions, "--")
        rows = [row.lstrip("\n").split("\0") for row in text.split("\x01") if row.strip()]
        return [
            Commit(sha, tree, tuple(up.split()), _time(at), who, mail, body.rstrip("\n"))
            for sha, tree, up, at, who, mail, body in rows
        ]

    def changes(self, before: str | None, after: str, *, renames: bool = False) -> list[Change]:
        """Between two trees; `before` None is the empty tree."""
        start = before or self._git("hash-object", "-t", "tree", "-w", "--stdin", stdin=b"").strip()
        flag = "--find-renames" if renames else "--no-renames"
        text = self._git("diff-tree", "-r", "-z", "--raw", "--numstat", flag, start, after)
        words = iter(text.split("\0"))
        found: dict[str, Change] = {}
        for word in words:
            if word.startswith(":"):  # the raw lines come first, then the counts
                _, _, old, new, status = word.split()
                previous = next(words) if status.startswith("R") else None
                path = next(words)
                found[path] = Change(status[0], path, previous, old if status == "D" else new)
            elif word:
                added, deleted, path = word.split("\t")
                if not path:  # of a rename, whose names follow
                    _, path = next(words), next(words)
                counts = (0 if count == "-" else int(count) for count in (added, deleted))
                found[path] = replace(found[path], added=next(counts), deleted=next(counts))
        return list(found.values())

    def paths(self, revision: str) -> list[str]:
        return self._git("ls-tree", "-r", "-z", "--name-only", revision).split("\0")[:-1]

    def read(self, revision: str, path: str) -> bytes:
        return self._run("cat-file", "blob", f"{revision}:{path}", check=True).stdout

    def _git(self, *arguments: str, stdin: bytes | None = None) -> str:
        return self._run(*arguments, stdin=stdin, check=True).stdout.decode()

    def _run(
        self, *arguments: str, stdin: bytes | None = None, check: bool = False
    ) -> subprocess.CompletedProcess[bytes]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        # No shell; git is found as the user has it.
        return subprocess.run(  # nosec B603 B607
            ["git", *arguments],
            cwd=self.path,
            env={**environment, **ENVIRONMENT},
            input=stdin,
            capture_output=True,
            check=check,
        )


def _file(path: str, content: str | bytes | None) -> bytes:
    if content is None:
        return f"D {_quoted(path)}\n".encode()
    data = content.encode() if isinstance(content, str) else content
    return f"M 100644 inline {_quoted(path)}\n".encode() + b"data %d\n%s\n" % (len(data), data)


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _time(seconds: str) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)
