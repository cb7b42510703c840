"""`make chaos`: the campaign of kills, and what it found; status 1 where something was lost."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bot.bench.chaos.campaign import Plan, run
from bot.bench.chaos.outcome import differences
from bot.bench.chaos.report import told
from bot.bench.postgres import postgres_folder, postgres_server
from bot.errors import Fault, UserError

FLEET = 4  # processes


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bot.bench.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=500, help="four fifths of one process")
    parser.add_argument("--acts", type=int, default=300, help="of people, in each part")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--without-fleet", action="store_true", help="no PostgreSQL, and no process beside another"
    )
    options = parser.parse_args(arguments)
    try:
        return _campaign(options.seed, options.acts, options.kills, fleet=not options.without_fleet)
    except (UserError, Fault) as error:
        print(f"chaos: {error}", file=sys.stderr)
        return 1


def _campaign(seed: int, acts: int, kills: int, *, fleet: bool) -> int:
    programs = postgres_folder()
    if fleet and programs is None:
        raise UserError(
            "The fleet needs PostgreSQL, and its programs are not here.",
            remedy="Install Debian's package postgresql, or leave it out with --without-fleet.",
        )
    of_fleet = kills // 5 if fleet else 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="chaos-")))
        follow = _progress(stack)
        calm, _ = run(folder / "calm", Plan(seed, acts), follow("in peace", None))
        alone = Plan(seed, acts, kills - of_fleet)
        parts = [
            (
                "one process, SQLite",
                *run(folder / "alone", alone, follow("one process", alone.kills)),
            )
        ]
        if of_fleet and programs is not None:
            database = stack.enter_context(postgres_server(programs))
            together = Plan(seed, acts, of_fleet, FLEET, database)
            ran = run(folder / "fleet", together, follow("a fleet", of_fleet))
            parts.append((f"{FLEET} processes, PostgreSQL", *ran))
    found: list[str] = []
    print(f"Seed {seed}, {acts} acts of people in each part.")
    for name, outcome, tally in parts:
        print("\n".join(told(name, calm, outcome, tally)))
        found += [f"{name}: {each}" for each in differences(calm, outcome)]
    for each in found:
        print(f"- {each}")
    print("Nothing was lost and nothing done twice." if not found else f"{len(found)} differences.")
    return 1 if found else 0


def _progress(stack: ExitStack) -> Callable[[str, int | None], Callable[[], None]]:
    """One bar for each part, on standard error."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    bar = stack.enter_context(
        Progress(*columns, TimeElapsedColumn(), console=console, transient=True)
    )

    def follow(name: str, total: int | None) -> Callable[[], None]:
        task = bar.add_task(name, total=total)
        return lambda: bar.advance(task)

    return follow


if __name__ == "__main__":
    sys.exit(main())
