"""A file of the default branch as it was over time. Knows nothing of what the file says."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from bot.git.clone import Clone
from bot.git.names import is_object_id

MOST = 2000  # commits that changed the file: years of a busy store
_GONE = "0"


def versions(clone: Clone, commit: str, path: str) -> Iterator[tuple[datetime, bytes]]:
    """When each version came to the branch that `commit` is the tip of, oldest first.

    Along first parents, by the committer's date; of more than MOST versions the newest.
    """
    raw = clone.git.output(
        "log", "--first-parent", "-m", "--no-renames", "--raw", "--no-abbrev", "--no-ext-diff",
        "--no-show-signature", f"--max-count={MOST}", "--format=%x01%ct", commit, "--", path,
    )  # fmt: skip
    found: list[tuple[datetime, str]] = []
    for record in raw.decode("utf-8", "surrogateescape").split("\x01")[1:]:
        at, *rows = record.split()
        blob = rows[3] if len(rows) > 3 else ""
        if is_object_id(blob) and blob.strip(_GONE):
            found.append((datetime.fromtimestamp(int(at), UTC), blob))
    blobs = clone.blobs([blob for _, blob in found])
    for when, blob in reversed(found):
        yield when, blobs[blob]
