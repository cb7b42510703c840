"""The embedded database beside PostgreSQL: the same server of the product on either, in turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from bot.bench.deliveries import Tick, as_sent, family, megabytes, new_shop, sandbox, verdict
from bot.bench.peak import middle, need_wrk, peaks_in_turns
from bot.bench.postgres import postgres_folder, postgres_server
from bot.bench.receivers import Receiver, product
from bot.bench.rounds import Side, Spread, in_turns, ratios
from bot.bench.table import Row
from bot.bench.verdicts import until_written
from bot.errors import UserError
from bot.sandbox.forge import SandboxForge

EMBEDDED, SHARED = "SQLite", "PostgreSQL"
SIDES = (EMBEDDED, SHARED)
VERDICTS, WARM = 15, 3  # rounds that count, and before them: the first make the clone


def databases(directory: Path, tick: Tick) -> list[Row]:
    """What PostgreSQL costs or brings a fleet of one. Raises UserError where a tool is missing."""
    need_wrk()
    programs = postgres_folder()
    if programs is None:
        raise UserError(
            "The programs of PostgreSQL are missing.",
            remedy="Install them: apt-get install postgresql",
        )
    return [*_peaks(directory / "peaks", programs, tick), _verdicts(directory, programs, tick)]


def _peaks(directory: Path, programs: Path, tick: Tick) -> list[Row]:
    with sandbox(directory) as forge, ExitStack() as stack:
        signed = as_sent(forge, verdict(new_shop(forge, "peak"), 0))
        sides = [
            # No work falls due while it is measured.
            stack.enter_context(_on(name, directory, forge, programs, timedelta(minutes=10)))
            for name in SIDES
        ]
        taken = peaks_in_turns(sides, signed, directory, tick)
        memory = {side.name: megabytes(*family(side.pid)) for side in sides}
    embedded, shared = taken[EMBEDDED], taken[SHARED]
    rate = ratios([each.rate for each in shared], [each.rate for each in embedded])
    tail = ratios([each.p99 for each in shared], [each.p99 for each in embedded])
    return [
        Row(
            "deliveries acknowledged at the peak, PostgreSQL",
            EMBEDDED,
            "–",
            f"{rate} × ({middle(shared)}; {EMBEDDED} {middle(embedded)})",
            None,
            {"ratio": rate.median, SHARED: middle(shared).rate, EMBEDDED: middle(embedded).rate},
        ),
        Row(
            "p99 of an acknowledgement at the peak, PostgreSQL",
            EMBEDDED,
            "–",
            f"{tail} ×",
            None,
            {"ratio": tail.median},
        ),
        Row(
            "memory of our processes after the peaks, PostgreSQL's own left out",
            EMBEDDED,
            "–",
            f"{memory[SHARED]:.0f} MB; {EMBEDDED} {memory[EMBEDDED]:.0f} MB",
            None,
            memory,
        ),
    ]


def _verdicts(directory: Path, programs: Path, tick: Tick) -> Row:
    with ExitStack() as stack:
        turns: dict[str, Side] = {}
        for name in SIDES:
            # A forge each: two servers of one App would see to the same repositories.
            place = directory / f"verdicts-{name}"
            forge = stack.enter_context(sandbox(place))
            server = stack.enter_context(_on(name, place, forge, programs, timedelta(0)))
            turns[name] = _each(server, forge)
        taken = in_turns(turns, VERDICTS, tick, lost=WARM)
    against = ratios(taken[SHARED], taken[EMBEDDED])
    shared, embedded = (Spread.of(taken[name]) for name in (SHARED, EMBEDDED))
    return Row(
        "verdict to pushed commit, idle, PostgreSQL",
        EMBEDDED,
        "–",
        f"{against} × ({shared.milliseconds()}; {EMBEDDED} {embedded.milliseconds()})",
        None,
        {"ratio": against.median, SHARED: shared.median, EMBEDDED: embedded.median},
    )


def _each(server: Receiver, forge: SandboxForge) -> Callable[[], float]:
    """One more verdict of one repository, at each call."""
    shop = new_shop(forge, "verdicts")
    numbers = iter(range(VERDICTS + WARM))
    return lambda: until_written(server, forge, shop, [verdict(shop, next(numbers))])


@contextmanager
def _on(
    name: str, directory: Path, forge: SandboxForge, programs: Path, debounce: timedelta
) -> Iterator[Receiver]:
    """The product on this database; a PostgreSQL of its own, which keeps SQLite's promise."""
    with ExitStack() as stack:
        url = None
        if name == SHARED:
            # What SQLite acknowledges outlives a cut of the power, so this has to.
            url = stack.enter_context(postgres_server(programs, fsync=True)).url
        place = directory / name
        server = product(place, forge, debounce=debounce, database=url)
        yield replace(stack.enter_context(server), name=name)
