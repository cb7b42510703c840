"""`python -m bot.bench`: everything the product promises in numbers, measured in one run.

Ratios are taken side by side, in turns. Exit status 1 when a row misses what it has to reach.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from bot.bench import (
    databases,
    derived,
    growth,
    pages,
    peak,
    reviews,
    saved,
    searching,
    steady,
    texts,
    verdicts,
    writes,
)
from bot.bench.table import (
    Machine,
    Row,
    growth_of,
    into,
    machine,
    share_of_reach,
    to_json,
    to_markdown,
)
from bot.bench.writes import SIZES
from bot.distill.evaluate import Gold
from bot.distill.offline import Offline
from bot.errors import UserError
from bot.git.command import Git
from bot.reports.picture import benchmarks

ROOT = Path(__file__).parents[2]
FIELD = ROOT / "tests" / "field"
DOCUMENT = ROOT / "docs" / "BENCHMARKS.md"
PICTURE = ROOT / "docs" / "pictures" / "benchmarks.svg"

Tick = Callable[[], None]
Measure = Callable[[Tick], list[Row]]

CLONES, WRITES, SMALL = 3, 15, 10  # rounds


def measures(directory: Path, notes: int = saved.COUNT) -> dict[str, Measure]:
    """What can be measured, by the name that `--only` takes, in the order of the table.

    `notes`: how many `saved` saves.
    """
    findings = (FIELD / "findings-pairs.tsv").read_bytes()
    real = (FIELD / "reviews.jsonl").read_bytes()
    gold = (FIELD / "reviews-gold.jsonl").read_bytes()

    def written(measure: Callable[[writes.Workshop, str], list[Row]]) -> list[Row]:
        with (
            tempfile.TemporaryDirectory(dir=directory) as place,
            writes.workshop(Path(place), findings) as shop,
        ):
            return [row for protocol in ("file", "http") for row in measure(shop, protocol)]

    def placed(measure: Callable[[Path, Tick], list[Row]], tick: Tick) -> list[Row]:
        with tempfile.TemporaryDirectory(dir=directory) as place:
            return measure(Path(place), tick)

    return {
        "clone": lambda tick: written(
            lambda shop, protocol: writes.against_clone(shop, protocol, CLONES, tick, SIZES[-1])
        ),
        "push": lambda tick: written(
            lambda shop, protocol: writes.against_push(shop, protocol, WRITES, tick, SIZES[-1])
        ),
        "size": lambda tick: written(
            lambda shop, protocol: writes.by_size(shop, protocol, WRITES, tick, SIZES)
        ),
        "decision": lambda tick: texts.decision(findings, SMALL, tick),
        "block": lambda tick: derived.block_rows(findings, SMALL, tick),
        "rebuild": lambda tick: derived.rebuild(findings, SMALL, tick),
        "pairs": lambda tick: texts.pairs(findings, SMALL, tick),
        "rule": lambda tick: texts.rule(findings, _lessons(gold), tick),
        "distilled": lambda tick: texts.distilled(findings, Offline(), tick),
        "reviews": lambda tick: reviews.rows(reviews.distil(real, gold, Offline(), tick)),
        "search": lambda tick: placed(
            lambda place, inner: searching.search_rows(place, findings, inner), tick
        ),
        "index": lambda tick: placed(
            lambda place, inner: searching.index_rows(place, findings, inner), tick
        ),
        "saved": lambda tick: placed(lambda place, inner: saved.rows(place, inner, notes), tick),
        "fleet": lambda tick: placed(pages.fleet, tick),
        "growth": lambda tick: placed(
            lambda place, inner: growth.rows(place, findings, inner), tick
        ),
        "peak": lambda tick: placed(peak.peaks, tick),
        "steady": lambda tick: placed(steady.steady, tick),
        "verdict": lambda tick: placed(verdicts.verdicts, tick),
        "databases": lambda tick: placed(databases.databases, tick),
    }


def _lessons(gold: bytes) -> list[str]:
    kept: list[Gold] = []
    for line in gold.splitlines():
        body = json.loads(line)
        kept.append(Gold(body["id"], tuple(body["lessons"])))
    return [lesson for each in kept for lesson in each.lessons]


@contextmanager
def _progress() -> Iterator[Callable[[str], Tick]]:
    """On standard error: which measurement runs, and that it moves."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}"))
    console = Console(stderr=True)
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:

        def begin(name: str) -> Tick:
            task = bar.add_task(name, total=None)
            return lambda: bar.advance(task)

        yield begin


def run(chosen: Sequence[str], notes: int = saved.COUNT) -> list[Row]:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="bench-") as directory, _progress() as begin:
        found = measures(Path(directory), notes)
        for name in chosen or found:
            try:
                rows += found[name](begin(name))
            except UserError as error:  # a tool is missing: the rest can be measured without it
                rows.append(Row(name, "–", "–", f"not measured: {error}", ok=False))
    return rows


def drawn(rows: Sequence[Row]) -> bytes:
    """The rows as a picture: each against its mark, and what grows."""
    shares, grown = [], []
    for row in rows:
        if steps := growth_of(row):
            grown.append((row.what.partition(":")[0], steps))
        elif share := share_of_reach(row):
            against = "" if row.against == "–" else f" / {row.against}"
            shares.append((f"{row.what}{against}".replace("`", ""), share))
    return benchmarks(shares, grown, "svg")


def _warn(where: Machine) -> None:
    if where.is_busy:
        print(
            f"bench: the machine is busy (load {where.load:.1f} on {where.cores} cores): times "
            "are worth little, ratios less than they seem",
            file=sys.stderr,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    names = list(measures(Path()))
    parser = argparse.ArgumentParser(prog="python -m bot.bench", description=__doc__)
    parser.add_argument(
        "--only", action="append", choices=names, help="this alone; may be repeated"
    )
    parser.add_argument(
        "--notes", type=int, default=saved.COUNT, help="how many notes `saved` saves"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.add_argument(
        "--write", action="store_true", help=f"into docs/{DOCUMENT.name} and its picture as well"
    )
    options = parser.parse_args(arguments)
    if options.write and (options.only or options.notes != saved.COUNT):
        parser.error("--write takes the whole table: leave --only and --notes out")
    where = machine(Git(ROOT))
    _warn(where)
    rows = run(options.only or (), options.notes)
    _warn(machine(Git(ROOT)))
    table = to_markdown(rows)
    if options.json:
        json.dump(to_json(rows, where), sys.stdout, ensure_ascii=False, indent=2)
        print()
    else:
        print(f"{where}\n\n{table}", end="")
    if options.write:
        DOCUMENT.write_text(into(DOCUMENT.read_text("utf-8"), table, where), "utf-8")
        PICTURE.write_bytes(drawn(rows))
    return 0 if all(row.ok is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
