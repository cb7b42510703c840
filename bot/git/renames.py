"""Where a deleted file went (SPEC 4): an equal blob, then similarity, same base name first.

Fetches only the blobs that it compares, because git's own search over a blobless clone fetches all.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.errors import Fault
from bot.git.clone import Clone, Difference

SIMILARITY = 50  # per cent; git's own measure
CANDIDATES = 200  # added files that are compared; SPEC 4

_EMPTY_BLOBS = frozenset({hashlib.sha1(b"blob 0\0", usedforsecurity=False).hexdigest(),
                          hashlib.sha256(b"blob 0\0").hexdigest()})  # fmt: skip


class Fate(enum.Enum):
    MOVED = "moved"
    GONE = "gone"
    DOUBTFUL = "doubtful"  # never a reason to call anything stale


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What became of a deleted file; `path` is its new place when it moved."""

    fate: Fate
    path: str | None = None


def renamed_to(
    clone: Clone, path: str, before: str, after: str, difference: Difference | None = None
) -> Whereabouts:
    """Looks for `path`, deleted between the two commits, among the files added between them.

    `difference` spares the question when many paths are looked for.
    """
    found = difference or clone.deleted_and_added(before, after)
    blob = found.deleted.get(path)
    if blob is None:
        return Whereabouts(Fate.DOUBTFUL)
    candidates = sorted(found.added, key=lambda added: _distance(path, added))
    recased = [added for added in candidates if added.casefold() == path.casefold()]
    if recased:
        return Whereabouts(Fate.MOVED, recased[0])
    equal = [added for added in candidates if found.added[added] == blob]
    if equal:
        return _among_equals(path, equal, empty=blob in _EMPTY_BLOBS)
    compared, beyond = candidates[:CANDIDATES], candidates[CANDIDATES:]
    clone.demand_here([blob, *(found.added[added] for added in compared)])
    same_name = [added for added in compared if _name(added) == _name(path)]
    others = [added for added in compared if _name(added) != _name(path)]
    for group in (same_name, others):
        try:
            similar = _most_similar(clone, path, group, before, after)
        except Fault:  # a file became a directory: git wants blobs that were no candidates
            return Whereabouts(Fate.DOUBTFUL)
        if similar is not None:
            return Whereabouts(Fate.MOVED, similar)
    return Whereabouts(Fate.DOUBTFUL if beyond else Fate.GONE)


def _among_equals(path: str, equal: Sequence[str], *, empty: bool) -> Whereabouts:
    """Several equal files leave a doubt unless one alone kept the name; empty ones are no proof."""
    same_name = [added for added in equal if _name(added) == _name(path)]
    if empty:
        return Whereabouts(Fate.DOUBTFUL if same_name else Fate.GONE)
    best = same_name or equal
    return Whereabouts(Fate.MOVED, best[0]) if len(best) == 1 else Whereabouts(Fate.DOUBTFUL)


def _most_similar(
    clone: Clone, path: str, candidates: Sequence[str], before: str, after: str
) -> str | None:
    if not candidates:
        return None
    raw = clone.git.output(
        "diff-tree", "-r", "-z", "--name-status", f"--find-renames={SIMILARITY}%",
        f"-l{CANDIDATES}", "--diff-filter=R", before, after, "--", path, *candidates,
    )  # fmt: skip
    fields = raw.decode("utf-8", "surrogateescape").split("\0")
    return fields[2] if len(fields) > 2 else None


def _distance(path: str, added: str) -> tuple[bool, bool, str]:
    """Same name first, then the same suffix, then by name: the order in which 200 are chosen."""
    return (
        _name(added) != _name(path),
        PurePosixPath(added).suffix != PurePosixPath(path).suffix,
        added,
    )


def _name(path: str) -> str:
    return PurePosixPath(path).name
