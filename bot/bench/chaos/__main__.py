"""`make chaos`: the campaign of kills, and what it found; status 1 where something was lost."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bot.bench.chaos.campaign import Plan, run
from bot.bench.chaos.outcome import differences
from bot.bench.chaos.report import told
from bot.bench.postgres import postgres_folder, postgres_server
from bot.errors import Fault, UserError

FLEET = 4  # processes
LINE = 20  # kills between two lines of progress


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bot.bench.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=500, help="four fifths of one process")
    parser.add_argument("--acts", type=int, default=300, help="of people, in each part")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("one", "fleet"), help="of which all the kills are then")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where logs and data shall stay")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda _signal, _frame: sys.exit(143))  # what was begun is ended
    of_fleet = {"one": 0, "fleet": options.kills}.get(options.only, options.kills // 5)
    try:
        with ExitStack() as stack:
            temporary = tempfile.TemporaryDirectory(prefix="chaos-")
            folder = options.keep or Path(stack.enter_context(temporary))
            alone = Plan(options.seed, options.acts, options.kills - of_fleet)
            return _campaign(folder, alone, of_fleet)
    except (UserError, Fault) as error:
        print(f"chaos: {error}", file=sys.stderr)
        return 1


def _campaign(folder: Path, alone: Plan, of_fleet: int) -> int:
    programs = postgres_folder()
    if of_fleet and programs is None:
        raise UserError(
            "The fleet needs PostgreSQL, and its programs are not here.",
            remedy="Install Debian's package postgresql, or leave the fleet out with --only one.",
        )
    found = 0
    with ExitStack() as stack:
        follow = _progress(stack)
        print(f"Seed {alone.seed}, {alone.acts} acts of people in each part.", flush=True)
        calm, _ = run(folder / "calm", replace(alone, kills=0), follow("in peace", None))

        def part(name: str, plan: Plan) -> int:
            outcome, tally = run(folder / f"{plan.processes}", plan, follow(name, plan.kills))
            wrong = differences(calm, outcome)
            print(*told(name, calm, outcome, tally), *(f"- {each}" for each in wrong), sep="\n")
            sys.stdout.flush()
            return len(wrong)

        if alone.kills:
            found += part("one process, SQLite", alone)
        if of_fleet and programs is not None:
            database = stack.enter_context(postgres_server(programs))
            fleet = replace(alone, kills=of_fleet, processes=FLEET, database=database)
            found += part(f"{FLEET} processes, PostgreSQL", fleet)
    print("\nNothing was lost and nothing done twice." if not found else f"\n{found} differences.")
    return 1 if found else 0


def _progress(stack: ExitStack) -> Callable[[str, int | None], Callable[[], None]]:
    """One bar for each part, on standard error; where that is no terminal, a line now and then."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    bar = stack.enter_context(
        Progress(*columns, TimeElapsedColumn(), console=console, transient=True)
    )

    def follow(name: str, total: int | None) -> Callable[[], None]:
        task = bar.add_task(name, total=total)

        def tick() -> None:
            bar.advance(task)
            done = int(bar.tasks[task].completed)
            if not console.is_terminal and done % LINE == 0:
                print(f"{name}: {done} of {total}", file=sys.stderr, flush=True)

        return tick

    return follow


if __name__ == "__main__":
    sys.exit(main())
