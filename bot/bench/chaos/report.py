"""What a part of the campaign did and what came of it, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bot.bench.chaos.lives import SAMPLED, Tally
from bot.bench.chaos.outcome import Outcome
from bot.bench.chaos.phases import Phase


def told(name: str, calm: Outcome, rough: Outcome, tally: Tally) -> Iterator[str]:
    """Lines; a kill that met two phases at once counts in both."""
    yield f"\n{name}: {tally.kills} kills in {tally.seconds:.0f} s"
    for phase in Phase:
        yield f"  {phase.value:<12} {tally.phases[phase]:>5}"
    yield f"  and {tally.git} times a git command alone, {tally.receivers} times a receiver"
    if tally.deaths or tally.restarts:
        yield f"  {tally.deaths} processes stayed dead, {tally.restarts} were restarted in turn"
    for trouble, times in sorted(tally.troubles.items()):
        yield f"  {trouble}: {times} times"
    refused = sum(count for status, count in tally.answers.items() if status >= 500)
    yield (
        f"  deliveries: {tally.answers[202]} acknowledged, {refused} refused with 5xx,"
        f" {tally.answers[0]} without an answer; {tally.left_to_recovery} left to the App's list"
    )
    yield f"  {len(rough.applied)} sources applied once each, {len(rough.lessons)} lessons"
    yield f"  memory at every {SAMPLED}th kill, MB: {_series(m for m, _ in tally.samples)}"
    yield f"  disk at every {SAMPLED}th kill, MB: {_series(d for _, d in tally.samples)}"
    yield (
        f"  in the end memory {rough.megabytes:.0f} MB ({calm.megabytes:.0f} in peace),"
        f" disk {rough.bytes_on_disk / 1e6:.1f} MB ({calm.bytes_on_disk / 1e6:.1f})"
    )


def _series(values: Iterable[float]) -> str:
    return " ".join(f"{value:.0f}" for value in values)
