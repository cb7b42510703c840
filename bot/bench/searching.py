"""Search over many notes, and what one pushed note costs the index: against a rebuild of them all.

The notes are made of real findings, in a bare repository; everything runs in this process.
"""

from __future__ import annotations

import itertools
import random
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from bot.bench.store import sentences
from bot.bench.table import Row
from bot.git.clone import Clone
from bot.git.command import Git
from bot.search.index import SearchIndex
from bot.search.meaning import SHIPPED
from bot.search.sqlite import SqliteTables
from bot.settings import Settings
from bot.work.looked_up import bring_up

NOTES = 10_000
SENTENCES = 5  # of a note: some 1,000 characters
CHARACTERS = 600  # of a finding, so that there are a thousand different ones
QUESTIONS = 300
PUSHES = 10
MEDIAN, NINETY_NINTH = 0.030, 0.100  # seconds that a search may take
SHARE = 1 / 100  # of a rebuild that one pushed note may cost

REPOSITORY = 1
_WHEN = "1790000000 +0000"
Tick = Callable[[], None]


def search_rows(directory: Path, findings: bytes, tick: Tick, notes: int = NOTES) -> list[Row]:
    """What a question costs, the first one aside, which loads the vectors."""
    texts = list(sentences(findings, CHARACTERS))
    index, _ = _filled(directory, texts, tick, notes)
    questions = [_words(text, number) for number, text in enumerate(texts)][: QUESTIONS + 1]
    took = []
    for question in questions:
        answer = index.search(question, frozenset([REPOSITORY]))
        if not (answer.exact.ok and answer.meaning.ok and answer.hits):
            raise AssertionError(f"a search failed: {answer}")
        took.append(answer.took.total_seconds())
        tick()
    times = sorted(took[1:])
    half, most = statistics.median(times), times[int(len(times) * 0.99) - 1]
    return [
        Row(
            f"a search over {notes:,} notes, in-process",
            "—",
            f"p50 ≤ {MEDIAN * 1000:.0f} ms, p99 ≤ {NINETY_NINTH * 1000:.0f} ms",
            f"p50 {half * 1000:.1f} ms, p99 {most * 1000:.1f} ms ({len(times)} questions)",
            ok=half <= MEDIAN and most <= NINETY_NINTH,
            figures={"p50": half, "p99": most},
        )
    ]


def index_rows(directory: Path, findings: bytes, tick: Tick, notes: int = NOTES) -> list[Row]:
    """What one pushed note costs, until it is found, against a rebuild of all."""
    texts = list(sentences(findings, CHARACTERS))
    index, rebuilt = _filled(directory, texts, tick, notes)
    git = Git(directory / "notes.git")
    times = []
    for number in range(PUSHES):
        marker = f"pushed-marker-{number}"
        commit = _commit(git, [(f"pushed{number}", f"# Pushed\n\n{texts[number]} {marker}\n")])
        began = time.perf_counter()
        _bring(index, Clone(git), commit)
        times.append(time.perf_counter() - began)
        if not index.holds(REPOSITORY, marker, commit):
            raise AssertionError("the pushed note is not found")
        tick()
    one = statistics.median(times)
    return [
        Row(
            "one pushed note into the index",
            f"a rebuild of {notes:,}",
            "≤ 1/100",
            f"{one * 1000:.0f} ms of {rebuilt:.1f} s = 1/{rebuilt / one:.0f}",
            ok=one <= SHARE * rebuilt,
            figures={"one": one, "rebuild": rebuilt},
        )
    ]


def _filled(directory: Path, texts: list[str], tick: Tick, notes: int) -> tuple[SearchIndex, float]:
    """An index of so many notes, and the seconds that it took from an empty one."""
    SHIPPED.vectors(["loaded before anything is measured"])
    path = directory / "notes.git"
    path.mkdir(parents=True)
    git = Git(path)
    git.output("init", "--quiet", "--bare", "--template=", "--initial-branch=main", ".")
    commit = _commit(git, _notes(texts, notes), first=True)
    index = SearchIndex(SqliteTables(directory / "search.sqlite"), SHIPPED, _now)
    tick()
    began = time.perf_counter()
    _bring(index, Clone(git), commit)
    return index, time.perf_counter() - began


def _bring(index: SearchIndex, clone: Clone, commit: str) -> None:
    bring_up(index, REPOSITORY, clone, commit, Settings(), _now().date())


def _notes(texts: list[str], count: int) -> Iterator[tuple[str, str]]:
    """Names and texts, the same at every run."""
    draw = random.Random(7)  # nosec B311
    for number in range(count):
        title, *body = draw.sample(texts, SENTENCES + 1)
        front = f"---\nkind: reference\nsubject: src/part{number % 97}.py\n---\n\n"
        yield f"note{number}", f"{front}# {title}\n\n{' '.join(body)}\n"


def _commit(
    git: Git, notes: Iterator[tuple[str, str]] | list[tuple[str, str]], *, first: bool = False
) -> str:
    stream = [
        f"commit refs/heads/main\nmark :1\ncommitter A <a@example.org> {_WHEN}\ndata 6\nnotes\n\n"
    ]
    if not first:
        stream.append("from refs/heads/main^0\n")
    for name, text in notes:
        size = len(text.encode())
        stream.append(f"M 100644 inline .agent-corp/notes/{name}.md\ndata {size}\n{text}\n")
    stream.append("get-mark :1\ndone\n")
    made = git.output("fast-import", "--quiet", "--done", stdin="".join(stream).encode())
    return made.decode().strip()


def _words(text: str, number: int) -> str:
    """Every third word of a finding, from another one on each time."""
    words = text.split()
    return " ".join(itertools.islice(words, number % 3, None, 3)) or text


def _now() -> datetime:
    return datetime.now(UTC)
