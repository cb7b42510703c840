"""How quickly texts are compared, and how rightly: the rule on the labelled findings."""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from subprocess import run

from bot.bench.opposites import opposites, pairs_in_a_frame
from bot.bench.rounds import Spread, timed
from bot.bench.store import TODAY, FirstGroup, evidence, sentences, store_files, unlike
from bot.bench.table import Row
from bot.distill.model import Distiller, Remark
from bot.distill.pipeline import distill_review
from bot.lessons.reading import reading
from bot.lessons.similarity import decide
from bot.lessons.store import LESSONS, Snapshot, write
from bot.reports.labels import Label, LabelledPair, Score, parse_labels, score_labels
from bot.reports.pairs import report_pairs
from bot.settings import Settings

DECISION, REPORT = 0.005, 1.0  # seconds
PRECISION, RECALL, LOST_RECALL = 0.90, 0.47, 0.05
FULL = 40
# Bullets in each file, so that the files hold 223 of them and 3,211 pairs inside.
FILES = (4, 5, 5, 6, 9, 24, 27, 32, 33, 38, 40)
EVERY = 4  # of the findings are turned into opposites

Tick = Callable[[], None]


def decision(findings: bytes, rounds: int, tick: Tick) -> list[Row]:
    """A new text against a full store: what one finding costs to decide."""
    texts = unlike(sentences(findings), FULL + rounds)
    kept, new = texts[:FULL], texts[FULL:]
    refresh = Settings().refresh

    def against_all(text: str) -> float:
        return timed(lambda: [decide(text, other, refresh) for other in kept])

    warm: list[float] = []
    cold: list[float] = []
    for text in new:
        forget()
        cold.append(against_all(text))
        reading.cache_clear()
        for other in kept:
            reading(other)
        warm.append(against_all(text))
        tick()
    rows_made = [
        _quick("refresh decision, 40 bullets: new text, store already read", warm, DECISION),
        _quick("refresh decision, 40 bullets: no text and no word read before", cold),
    ]
    return [*rows_made, _whole_write(kept, new, tick)]


def _whole_write(kept: Sequence[str], new: Sequence[str], tick: Tick) -> Row:
    """`write` from bytes to bytes; each time the store is one nobody has read yet."""
    files = store_files(kept, new, repository=7)
    events = {path: data for path, data in files.items() if path.endswith(".jsonl")}
    snapshot = Snapshot(files[LESSONS], events, FirstGroup(), 7, attributes=True)
    seconds = []
    for number, text in enumerate(new):
        forget()
        found = [evidence(text, 6000 + number, TODAY - timedelta(hours=1))]
        seconds.append(
            timed(lambda found=found: write(snapshot, found, Settings(), TODAY.date()))  # type: ignore[misc]
        )
        tick()
    count = sum(data.count(b"\n") for data in events.values())
    return _quick(
        f"the whole write, 40 bullets, {count} event rows: no text and no word read before", seconds
    )


def forget() -> None:
    """As a process that has read nothing yet."""
    modules = [module for name, module in sys.modules.items() if name.startswith("bot.")]
    for each in itertools.chain.from_iterable(vars(module).values() for module in modules):
        if isinstance(each, type(reading)):
            each.cache_clear()


def _quick(what: str, seconds: Sequence[float], limit: float | None = None) -> Row:
    spread = Spread.of(seconds)
    return Row(
        what,
        "–",
        f"≤ {limit * 1000:g} ms" if limit else "–",
        spread.milliseconds(),
        spread.median <= limit if limit else None,
        {"s": spread.median},
    )


def lessons_files(findings: bytes) -> list[tuple[str, bytes]]:
    """Lessons files with as many bullets as FILES says."""
    texts = sentences(findings, characters=400)
    return [
        (
            f"store-{number}.md",
            "".join(
                f"- {text} (#{pr}, 2026-10-{1 + pr % 28:02}, changes_requested)\n"
                for pr, text in enumerate(itertools.islice(texts, count), start=1)
            ).encode(),
        )
        for number, count in enumerate(FILES, start=1)
    ]


def pairs(findings: bytes, rounds: int, tick: Tick) -> list[Row]:
    """`report pairs`: the report alone, and the command as a person waits for it."""
    files = lessons_files(findings)
    alone: list[float] = []
    command: list[float] = []
    app = Path(__file__).parents[2] / "app.py"
    with tempfile.TemporaryDirectory() as directory:
        paths = [Path(directory) / name for name, _ in files]
        for path, (_, data) in zip(paths, files, strict=True):
            path.write_bytes(data)
        call = [sys.executable, str(app), "report", "pairs", *map(str, paths)]
        for _ in range(rounds):
            forget()
            alone.append(timed(lambda: report_pairs(files, None, Settings(), TODAY.date())))
            command.append(timed(lambda: run(call, check=True, capture_output=True)))
            tick()
    found = report_pairs(files, None, Settings(), TODAY.date())
    bullets = sum(store.bullets for store in found.stores)
    what = f"`report pairs`, {len(files)} files, {bullets} bullets, {found.pairs:,} pairs"
    return [
        _quick(f"{what}: the report", alone, REPORT),
        _quick(f"{what}: the command", command, REPORT),
    ]


def rule(findings: bytes, teaching: Sequence[str], tick: Tick) -> list[Row]:
    """The labelled pairs, and opposites made of the findings and of `teaching`."""
    labelled = parse_labels(findings)
    scores = score_labels(labelled, Settings().refresh)
    floor = next(f.score for f in scores.floors if f.floor == Settings().refresh.floor)
    tick()
    texts = [*sorted({pair.a for pair in labelled})[::EVERY], *teaching]
    made = [pair for text in texts for pair in _opposites(text)]
    merged = [kind for kind, a, b in made if decide(b, a, Settings().refresh).same]
    tick()
    ours = scores.rule
    return [
        Row(
            f"findings-pairs.tsv ({scores.pairs:,} pairs) through the rule",
            f"the floor alone: {_both(floor)}",
            f"precision ≥ {PRECISION:.2f}, recall ≥ {RECALL}",
            f"{_both(ours)}",
            (ours.precision or 0) >= PRECISION and (ours.recall or 0) >= RECALL,
            _figures(ours),
        ),
        Row(
            f"{len(made):,} constructed opposites of {len({kind for kind, *_ in made})} kinds",
            "–",
            "none merged",
            f"{len(merged)} merged",
            not merged,
            {"merged": len(merged)},
        ),
    ]


def _opposites(text: str) -> Iterator[tuple[str, str, str]]:
    for kind, opposite in opposites(text):
        yield kind, text, opposite
    yield from pairs_in_a_frame(text)


def distilled(findings: bytes, distiller: Distiller, tick: Tick) -> list[Row]:
    """Both sides distilled as reviews of one remark; without a lesson the raw text stays."""
    labelled = parse_labels(findings)
    lessons: dict[str, str | None] = {}
    for text in dict.fromkeys(text for pair in labelled for text in (pair.a, pair.b)):
        store = Settings().store
        found = distill_review(
            distiller, (Remark(text),), limit=1, characters=store.characters
        ).lessons
        lessons[text] = found[0].sentence if found else None
        tick()
    raw = score_labels(labelled, Settings().refresh).rule
    changed = [replace(p, a=lessons[p.a] or p.a, b=lessons[p.b] or p.b) for p in labelled]
    ours = score_labels(changed, Settings().refresh).rule
    silent = sum(lesson is None for lesson in lessons.values())
    lost = (raw.recall or 0) - (ours.recall or 0)
    wrong, wrong_raw = _wrong(changed), _wrong(labelled)
    return [
        Row(
            "the same, both sides distilled offline first",
            f"the raw texts: {_both(raw)}, {wrong_raw} wrong merges",
            f"recall within {LOST_RECALL}, no more wrong merges",
            f"{_both(ours)}, {wrong} wrong merges; {silent} of {len(lessons):,} texts give no "
            "lesson and stay raw",
            lost <= LOST_RECALL and wrong <= wrong_raw,
            {**_figures(ours), "wrong": wrong, "silent": silent},
        )
    ]


def _wrong(labelled: Sequence[LabelledPair]) -> int:
    """Merged pairs that are not the same."""
    refresh = Settings().refresh
    return sum(p.label is not Label.SAME and decide(p.a, p.b, refresh).same for p in labelled)


def _both(score: Score) -> str:
    return f"precision {score.precision or 0:.3f}, recall {score.recall or 0:.3f}"


def _figures(score: Score) -> dict[str, float]:
    return {"precision": score.precision or 0, "recall": score.recall or 0}
