"""A generated corpus of two sections, for which caps are known to cut in different ways.

45 items of 1,594 characters, as published for caps of 12 and 6 items and 900 and 700 characters.
The seed was chosen among those that give these sizes: it shows a shape and proves nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import islice

from bot.settings import Caps

SEED = 5172
NEWEST = date(2026, 1, 31)
SIZES = (25, 20)
CAPS = (Caps(12, 900), Caps(6, 700))
_VERBS = (
    "Pin", "Test", "Log", "Close", "Lock", "Name", "Check", "Quote", "Retry", "Mock", "Guard",
    "Cache",
)  # fmt: skip
_THINGS = (
    "the query parser", "the cursor", "the socket", "the schema file", "each test fixture",
    "the access token", "the job queue", "the migration", "the search index", "the timeout",
    "the release branch", "each handler", "every upload", "all secrets", "a worker", "the header",
)  # fmt: skip
_ENDS = (
    "in the lock file", "before the merge", "after a retry", "in every CI job",
    "on every platform", "in one place", "before a release", "under load", "with a test",
    "by its full name", "outside of the loop", "on the default branch",
)  # fmt: skip


def files(seed: int = SEED) -> tuple[tuple[str, bytes], ...]:
    """Two lessons files (name, content), always the same."""
    drawn = _sentences(random.Random(seed))  # nosec B311
    made = []
    for number, size in enumerate(SIZES, 1):
        # The first drawn is the newest, so it stands last in its file.
        lines = [
            f"- {text} (#{size - age}, {NEWEST - timedelta(days=age)}, changes_requested)\n"
            for age, text in enumerate(islice(drawn, size))
        ]
        made.append((f"generated-{number}.md", "".join(reversed(lines)).encode()))
    return tuple(made)


def _sentences(source: random.Random) -> Iterator[str]:
    """Sentences, each once. `random()` alone gives the same numbers in every version."""
    seen: set[str] = set()
    while True:
        words = (part[int(source.random() * len(part))] for part in (_VERBS, _THINGS, _ENDS))
        text = f"{' '.join(words)}."
        if text not in seen:
            seen.add(text)
            yield text
