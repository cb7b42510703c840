"""In which commit a line came to files that only grow. Knows nothing of what the lines say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bot.git.clone import Clone
from bot.git.names import is_object_id

MOST = 5000  # commits that touched the folder: what came before them has no origin
_NOTHING = "0"  # what git writes for the blob of a file that is not there


@dataclass(frozen=True, slots=True)
class _Version:
    commit: str
    before: str
    blob: str


@dataclass(slots=True)
class _Search:
    """A mark that is in the version `there` and not in `lacks`; -1 is before the oldest."""

    versions: Sequence[_Version]
    lacks: int
    there: int


def origins(clone: Clone, commit: str, folder: str, marks: Collection[bytes]) -> dict[bytes, str]:
    """The commit that brought each of `marks` into a file of `folder`, along first parents.

    Where a merge brought it that is the merge. Bisected, because a blobless clone lacks most
    versions: what is missing is asked for once a step, for all marks. A mark that is in no file, or
    stood in the oldest version that is looked at, has no entry.
    """
    found: dict[bytes, str] = {}
    searches = _begun(clone, _versions(clone, commit, folder), marks)
    while searches:
        for mark, each in [*searches.items()]:
            if each.there - each.lacks > 1:
                continue
            version = each.versions[each.there]
            if each.there > 0 or not version.before.strip(_NOTHING):
                found[mark] = version.commit
            del searches[mark]
        middles = {mark: (each.lacks + each.there) // 2 for mark, each in searches.items()}
        blobs = _read(clone, [searches[mark].versions[at].blob for mark, at in middles.items()])
        for mark, at in middles.items():
            if mark in blobs[searches[mark].versions[at].blob]:
                searches[mark].there = at
            else:
                searches[mark].lacks = at
    return found


def _begun(
    clone: Clone, versions: Mapping[str, Sequence[_Version]], marks: Collection[bytes]
) -> dict[bytes, _Search]:
    newest = {path: each[-1].blob for path, each in versions.items()}
    blobs = _read(clone, [*newest.values()])
    return {
        mark: _Search(versions[path], -1, len(versions[path]) - 1)
        for mark in marks
        for path, blob in newest.items()
        if mark in blobs[blob]
    }


def _versions(clone: Clone, commit: str, folder: str) -> dict[str, list[_Version]]:
    """Of each file that was ever in the folder, oldest first."""
    raw = clone.git.output(
        "log", "--first-parent", "-m", "--no-renames", "--raw", "--no-abbrev", "--no-ext-diff",
        "--no-show-signature", f"--max-count={MOST}", "--format=%x01%H", commit, "--", folder,
    )  # fmt: skip
    found: defaultdict[str, list[_Version]] = defaultdict(list)
    for record in raw.decode("utf-8", "surrogateescape").split("\x01")[:0:-1]:
        sha, *rows = record.splitlines()
        for row in rows:
            head, _, path = row.partition("\t")
            if len(fields := head.split()) == 5 and is_object_id(fields[3]):
                found[path].append(_Version(sha, fields[2], fields[3]))
    return dict(found)


def _read(clone: Clone, blobs: Sequence[str]) -> dict[str, bytes]:
    read = clone.blobs(blob for blob in blobs if blob.strip(_NOTHING))
    return {blob: read.get(blob, b"") for blob in blobs}
