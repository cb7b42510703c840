"""Which names git may be given: pure checks, so that none is taken for an option or an escape."""

from __future__ import annotations

import re
import unicodedata

_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_FORBIDDEN_IN_BRANCH = re.compile(r"[ ~^:?*\[\\]|\.\.|@\{|//")
# What file systems that fold names open as `.git` (CVE-2014-9390).
_GIT_DIRECTORY = re.compile(r"(?:\.git|git~\d+)[ .]*(?:::.*)?", re.IGNORECASE)


def is_object_id(name: str) -> bool:
    """A full SHA-1 or SHA-256 object name in lower-case hex."""
    return _OBJECT.fullmatch(name) is not None


def unsafe_branch(name: str) -> str | None:
    """Why `name` may not be used as a branch (git-check-ref-format and more), None if it may."""
    if not name or name == "@" or name == "HEAD":
        return "is not the name of a branch"
    if name.startswith("-"):
        return "looks like an option"
    if name.startswith("refs/"):
        return "is a full reference, not the name of a branch"
    if _has_controls(name) or _FORBIDDEN_IN_BRANCH.search(name):
        return "holds characters that git forbids in branches"
    if name.endswith(("/", ".")) or name.startswith("/"):
        return "begins or ends as no branch may"
    if any(part.startswith(".") or part.endswith(".lock") for part in name.split("/")):
        return "has a component that git forbids in branches"
    return None


def unsafe_path(path: str) -> str | None:
    """Why `path` may not be used as the name of a file in a tree, None if it may."""
    if path.startswith("-"):
        return "looks like an option"
    if _has_controls(path) or "\\" in path:
        return "holds control characters or backslashes"
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "is not a plain path inside the repository"
    if any(_GIT_DIRECTORY.fullmatch(_without_invisible(part)) for part in parts):
        return "reaches into git's own directory"
    return None


def _has_controls(name: str) -> bool:
    return any(unicodedata.category(character) in ("Cc", "Cs") for character in name)


def _without_invisible(part: str) -> str:
    return "".join(c for c in part if unicodedata.category(c) != "Cf")
