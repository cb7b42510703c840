"""Generated corpora of two sections, for which caps are known to cut in different ways.

45 items of 1,594 characters, as published for caps of 12 and 6 items and 900 and 700 characters.
Every seed gives these sizes, so none has to be chosen: what holds for all of SEEDS is the shape,
and what differs among them is told as a spread.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import islice

from bot.reports.caps import CapsReport, report_caps
from bot.reports.retention import corpus
from bot.settings import Caps

SEEDS = range(1, 26)  # the first is the corpus that is measured throughout
NEWEST = date(2026, 1, 31)
SIZES = ((25, 895), (20, 699))  # items and characters: all of them fit into the caps
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


def files(seed: int = SEEDS[0]) -> tuple[tuple[str, bytes], ...]:
    """Two lessons files (name, content), the same for the same seed."""
    drawn = _sentences(random.Random(seed))  # nosec B311
    made = []
    for number, (size, characters) in enumerate(SIZES, 1):
        # The first drawn is the newest, so it stands last in its file.
        lines = [
            f"- {text} (#{size - age}, {NEWEST - timedelta(days=age)}, changes_requested)\n"
            for age, text in enumerate(_filling(drawn, size, characters))
        ]
        made.append((f"generated-{number}.md", "".join(reversed(lines)).encode()))
    return tuple(made)


def caps_of_all(caps: Sequence[Caps], today: date) -> tuple[CapsReport, ...]:
    """Which cap cuts, for each of SEEDS in order; `caps` file by file."""
    found = []
    for seed in SEEDS:
        made = files(seed)
        sections = [(name, each) for (name, _), each in zip(made, caps, strict=True)]
        found.append(report_caps(corpus(made, today), sections))
    return tuple(found)


def _filling(drawn: Iterator[str], size: int, characters: int) -> list[str]:
    """So many sentences, the oldest of which gives way until they have so many characters."""
    kept = list(islice(drawn, size))
    while sum(map(len, kept)) != characters:
        kept = [*kept[1:], next(drawn)]
    return kept


def _sentences(source: random.Random) -> Iterator[str]:
    """Sentences, each once. `random()` alone gives the same numbers in every version."""
    seen: set[str] = set()
    while True:
        words = (part[int(source.random() * len(part))] for part in (_VERBS, _THINGS, _ENDS))
        text = f"{' '.join(words)}."
        if text not in seen:
            seen.add(text)
            yield text
