"""How long it takes to derive things from a store: the block, and all that its events say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice

from bot.bench.rounds import Spread, timed
from bot.bench.store import TODAY, FirstGroup, evidence, naming, sentences, unlike
from bot.bench.table import Row
from bot.bench.texts import forget
from bot.lessons import rows
from bot.lessons.document import Document
from bot.lessons.event_files import add, as_of
from bot.lessons.history import History
from bot.lessons.merit import FOLLOWED, VIOLATED, Merit, falls, merit
from bot.lessons.pitfalls import committed
from bot.lessons.rows import AdherenceRow, InvalidRow, PromotedRow, ShownRow, SignalRow
from bot.lessons.standing import is_standing
from bot.lessons.store import LESSONS, Snapshot, write
from bot.readers import Asked
from bot.settings import Settings
from bot.work.pitfalls import Files, block

BLOCK, REBUILD = 0.020, 2.0  # seconds
BULLETS, STANDING, RULES = 40, 8, 24
EVENTS = 5_000
LESSONS_SAID = 200  # what the events of a rebuild are about
A_DAY = 30  # events

Tick = Callable[[], None]


def block_rows(findings: bytes, rounds: int, tick: Tick) -> list[Row]:
    """The block of a full store as a reader gets it, from bytes to Markdown."""
    files = full_store(findings)
    today = TODAY.date()
    warm: list[float] = []
    cold: list[float] = []
    for _ in range(rounds):
        forget()
        cold.append(timed(lambda: block(files, today, Asked()).to_markdown()))
        warm.append(timed(lambda: block(files, today, Asked()).to_markdown()))
        tick()
    what = f"the block of {BULLETS} bullets, {STANDING} standing lessons, {RULES} rules"
    limit = f"≤ {BLOCK * 1000:g} ms"
    return [
        _row(f"{what}: store already read", warm, limit, BLOCK),
        _row(f"{what}: no text and no row read before", cold),
    ]


def full_store(findings: bytes) -> Files:
    """A store that the write itself has made: as full as it gets."""
    named = (naming(text, number) for number, text in enumerate(sentences(findings)))
    texts = unlike(named, BULLETS + STANDING)
    often, once = texts[:STANDING], texts[STANDING:]
    days = [
        (text, 10 * number + turn, TODAY - timedelta(days=4 - turn, hours=number))
        for number, text in enumerate(often, start=1)
        for turn in range(4)
    ]
    days += [(t, 1000 + n, TODAY - timedelta(hours=n)) for n, t in enumerate(once, start=1)]
    found = [evidence(text, pr, at) for text, pr, at in days]
    edit = write(Snapshot(None, {}, FirstGroup(), 7), found, Settings(), TODAY.date())
    made = {path: data for path, data in edit.changes.items() if data is not None}
    standing = {path: data for path, data in made.items() if is_standing(path)}
    bullets = Document.parse(made[LESSONS], TODAY.date()).bullets
    if (len(bullets), len(standing)) != (BULLETS, STANDING):
        raise ValueError(f"{len(bullets)} bullets and {len(standing)} standing lessons")
    rules = "".join(
        f"- **class {number}**: {text}\n"
        for number, text in enumerate(islice(sentences(findings, 90), RULES), start=1)
    )
    events = {path: data for path, data in made.items() if path.endswith(".jsonl")}
    return Files("0" * 40, made[LESSONS], events, standing, rules.encode(), Settings(), True)


def rebuild(findings: bytes, rounds: int, tick: Tick) -> list[Row]:
    """Everything that is derived, from the bytes of the event files, by a process that is new."""
    files = event_files(findings)
    seconds = []
    for _ in range(rounds):
        forget()
        seconds.append(timed(lambda: derive(files)))
        tick()
    what = f"rebuilding all derived state from {EVENTS:,} events of {LESSONS_SAID} lessons"
    return [_row(what, seconds, f"≤ {REBUILD:g} s", REBUILD)]


def derive(files: Mapping[str, bytes]) -> tuple[object, ...]:
    """What every row adds up to, each lesson's merit and whether it falls, and the block."""
    history = History.read(files, 7)
    settings = Settings()
    newest = as_of(history.recorded) or TODAY
    derived = (
        history.seen, history.roots, history.status, history.applied, history.sources,
        history.declined, history.shown, history.paths_seen, history.open_conflicts, history.stores,
    )  # fmt: skip
    merits: dict[str, tuple[Merit, bool]] = {}
    for lesson in history.by_bullet:
        signals = [s for s in history.evidence_of(lesson) if s.id not in history.invalid]
        verdicts = history.adherence.get(lesson, ())
        followed = [row.at for row in verdicts if row.verdict == FOLLOWED]
        stood = history.status.get(lesson)
        merits[lesson] = (
            merit(signals, followed, newest, settings.standing),
            stood is not None and falls(verdicts, stood.at, settings.standing),
        )
    return derived, merits, committed(None, files, None, settings)


def event_files(findings: bytes, count: int = EVENTS) -> Mapping[str, bytes]:
    """Rows as a busy repository writes them, in monthly files."""
    texts = list(islice(sentences(findings), LESSONS_SAID))
    return add({}, islice(_rows(texts), count))


def _rows(texts: Sequence[str]) -> Iterator[rows.Row]:
    """Of ten: seven signals, an invalid one, what was shown for a pull request and a verdict."""
    number = 0
    while True:
        lesson = number % len(texts)
        identity = f"{lesson:08x}"
        at = TODAY - timedelta(days=(EVENTS - number) / A_DAY)
        at = at.replace(microsecond=0)
        signal = SignalRow(
            at=at, source=f"review:{number}@{number:012x}", pr=number // 3, head=f"{number:040x}",
            channel="changes_requested", state="changes_requested", by=1, strength=0.7,
            sentence=texts[lesson], trigger="when the code is changed", strategy="follow it",
            bullet=identity, did="refreshed" if number >= len(texts) else "appended", base="main",
        )  # fmt: skip
        match number % 10:
            case 7:
                yield signal
                yield InvalidRow(at, signal.id, "dismissed", signal.pr)
            case 8:
                ids = tuple(f"{(lesson + n) % len(texts):08x}" for n in range(20))
                yield ShownRow(at, signal.pr, "codex", ids)
            case 9 if number < 10 * len(texts):
                yield PromotedRow(at, identity, f"{identity}.md", 2.1, 4, 3)
            case 9:
                verdict = VIOLATED if number % 20 == 9 else FOLLOWED
                yield AdherenceRow(at, identity, signal.pr, verdict, signal.source)
            case _:
                yield signal
        number += 1


def _row(what: str, seconds: Sequence[float], reach: str = "–", limit: float | None = None) -> Row:
    spread = Spread.of(seconds)
    ok = None if limit is None else spread.median <= limit
    return Row(what, "–", reach, spread.milliseconds(), ok, {"s": spread.median})
