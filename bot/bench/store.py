"""Stores and reviews of a realistic size, made of real findings: what the measurements work on.

Deterministic: every run measures the same bytes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from bot.lessons.bullet import Verdict
from bot.lessons.lesson import Lesson
from bot.lessons.pitfalls import committed
from bot.lessons.similarity import decide
from bot.lessons.store import LESSONS, Evidence, Snapshot, write
from bot.lessons.tree import Fate
from bot.settings import Settings

START = datetime(2026, 9, 1, 9, tzinfo=UTC)
TODAY = datetime(2026, 11, 2, 10, tzinfo=UTC)
BULLETS = 30
SIGNALS = 2  # of each bullet, long ago: none is met often enough to become a standing lesson
WEAK = 200  # pieces of evidence that wait for a second pull request
CHARACTERS = 205  # of a sentence: with a path added it is no longer than a bullet may be

SETTINGS_FILE = b"version: 1\npeople: weak\ncommit_every: 15m\n"
RULES_FILE = b"""# Rules

- **scope**: Keep a pull request to one idea; move what else you see into another one.
- **ci**: Wait for every job to conclude before you call a change done.
- **secrets**: Never print a token, a password or a connection string.
"""


@dataclass(frozen=True, slots=True)
class FirstGroup:
    """The tree of a repository made by `bot.bench.repositories`, as far as `naming` names it."""

    commit: str = "0" * 40

    def has(self, path: str) -> bool:
        return path.startswith("part0/group0/")

    def expect(self, paths: Collection[str]) -> None:
        """Nothing to look up."""

    def matching(self, pattern: str) -> bool:
        return False

    def fate(self, path: str) -> Fate | None:
        return None


def sentences(findings: bytes, characters: int = CHARACTERS) -> Iterator[str]:
    """Texts of findings-pairs.tsv of at most so many characters, each once, in order."""
    rows = csv.DictReader(io.StringIO(findings.decode(), newline=""), dialect="excel-tab")
    texts = (" ".join(row[side].split()) for row in rows for side in ("a", "b"))
    return iter(dict.fromkeys(t for t in texts if 40 < len(t) <= characters and t[:1].isalpha()))


def unlike(texts: Iterator[str], count: int) -> list[str]:
    """The first `count` texts that the rule keeps as lessons of their own."""
    kept: list[str] = []
    for text in texts:
        if len(kept) == count:
            break
        if not any(decide(text, other, Settings().refresh).same for other in kept):
            kept.append(text)
    return kept


def naming(text: str, number: int) -> str:
    """`text` with a path that stands in every repository of `bot.bench.repositories`."""
    return f"{text.rstrip('.')} in `part0/group0/file{number % 100}.txt`."


def evidence(sentence: str, pr: int, at: datetime, review: int = 0) -> Evidence:
    """What a review that asked for changes says once it is judged."""
    return Evidence(
        source=f"review:{review or pr}@{pr:012x}",
        pr=pr,
        head=f"{pr:040x}",
        channel=Verdict.CHANGES_REQUESTED,
        state="changes_requested",
        by=1,
        at=at,
        lesson=Lesson(sentence, "when the code is changed", "follow the sentence"),
        base="main",
    )


def _weak(sentence: str, review: int) -> Evidence:
    """What one pull request alone said, however often: it waits for a second one."""
    said = evidence(sentence, 900, START + timedelta(hours=review), 10_000 + review)
    return replace(said, strong=False, matured=True)


def store_files(kept: Sequence[str], others: Sequence[str], repository: int) -> Mapping[str, bytes]:
    """Path to content of a store: a bullet for each of `kept`, each from SIGNALS reviews, and
    WEAK pieces of evidence that wait, made of `others`.
    """
    found = [
        evidence(text, pr, START + timedelta(hours=3 * pr))
        for pr, text in enumerate([*kept] * SIGNALS, start=1)
    ]
    found += [_weak(others[number % len(others)], number) for number in range(WEAK)]
    edit = write(Snapshot(None, {}, FirstGroup(), repository), found, Settings(), TODAY.date())
    files = {path: data for path, data in edit.changes.items() if data is not None}
    events = {path: data for path, data in files.items() if path.endswith(".jsonl")}
    block = committed(files[LESSONS], events, RULES_FILE, Settings())
    return {
        **files,
        ".agent-corp/rules.md": RULES_FILE,
        ".agent-corp/known-pitfalls.md": block,
        ".github/lessonkeeper.yml": SETTINGS_FILE,
    }
