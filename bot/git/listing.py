"""Every path of a commit as one text to search in. Kept in a file, the next commit costs what it
changed, however many files it has.

Knows git and the file, nothing of what is searched for.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from bot.git.command import Git
from bot.git.names import is_object_id


def folded_paths(git: Git, commit: str, kept: Path | None = None) -> str:
    """The case-folded path of every file in `commit`, each after a slash and before a NUL.

    `kept` is a file of ours beside the repository, whose loss or damage costs a listing.
    """
    before, paths = _read(kept) if kept else ("", "")
    if before == commit:
        return paths
    now = _changed(git, before, commit, paths) if before else None
    if now == paths:  # no file came or went: the next step is as short from the older commit
        return paths
    if now is None:
        now = _listed(git, commit)
    if kept:
        _write(kept, commit, now)
    return now


def _listed(git: Git, commit: str) -> str:
    raw = git.output("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
    return "\0" + "".join(f"/{path}\0" for path in _folded(raw).split("\0") if path)


def _changed(git: Git, before: str, after: str, paths: str) -> str | None:
    """`paths` of `before` as they are in `after`; None when `before` is not here any more."""
    answer = git.run(
        "diff-tree", "-r", "-z", "--name-status", "--no-renames", "--no-ext-diff",
        "--diff-filter=AD", before, after, "--",
    )  # fmt: skip
    if answer.status:
        return None
    fields = iter(_folded(answer.output).split("\0"))
    for status in fields:
        if not status:
            break
        entry = f"/{next(fields)}\0"
        # Of two paths that differ in case alone one stays.
        paths = paths + entry if status == "a" else paths.replace(f"\0{entry}", "\0", 1)
    return paths


def _folded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape").casefold()


def _read(kept: Path) -> tuple[str, str]:
    """The commit and its paths; empty when there is no such file, or a damaged one."""
    try:
        commit, _, paths = kept.read_bytes().decode("utf-8", "surrogateescape").partition("\n")
    except OSError:
        return "", ""
    whole = is_object_id(commit) and paths.startswith("\0") and paths.endswith("\0")
    return (commit, paths) if whole else ("", "")


def _write(kept: Path, commit: str, paths: str) -> None:
    fresh = kept.with_name(f"{kept.name}.new")
    with contextlib.suppress(OSError):  # a full disk costs the next write a listing
        fresh.write_bytes(f"{commit}\n{paths}".encode("utf-8", "surrogateescape"))
        fresh.replace(kept)
