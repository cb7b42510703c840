"""What a run of the campaign knew in the end, and in what two runs differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.bench.chaos.process import Server
from bot.bench.chaos.rest import Rest
from bot.bench.chaos.world import World
from bot.lessons.history import History
from bot.lessons.rows import RetiredRow, WriteRow


@dataclass(frozen=True, slots=True)
class Outcome:
    """`lessons`: the repository, the acts behind each bullet, and its flag. `counts`: what the
    commits say they did. `unstored`: deliveries acknowledged that are not in the inbox, those apart
    that no channel wanted; `given_up`: those whose work failed or is parked. Memory and disk are
    those of the largest process."""

    applied: Counter[str]
    lessons: frozenset[tuple[int, frozenset[str], str]]
    counts: Mapping[str, int]
    repeated: int  # rows of one id that stand twice in one file
    unstored: int
    given_up: int
    left_behind: Sequence[str]
    megabytes: float
    bytes_on_disk: int


def outcome(
    made: World, servers: Sequence[Server], rest: Rest, acknowledged: set[str], megabytes: float
) -> Outcome:
    """Of a world whose servers have stopped."""
    applied: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    lessons: set[tuple[int, frozenset[str], str]] = set()
    repeated = 0
    for number, shop in enumerate(made.shops):
        tip = shop.tip()
        files = {
            path: shop.bare.read(tip, path)
            for path in shop.bare.paths(tip)
            if path.startswith(".agent-corp/events/")
        }
        for data in files.values():
            repeated += len(data.splitlines()) - len(set(data.splitlines()))
        history = History.read(files)
        written = [each.row for each in history.recorded]
        flags = {row.bullet: row.flag for row in written if isinstance(row, RetiredRow)}
        for row in written:
            if isinstance(row, WriteRow):
                counts.update(row.counts)
        behind: dict[str, set[str]] = {}
        for each in history.signals:
            name = made.acts[int(re.findall(r"\d+", each.row.source)[0])]
            applied[name] += 1
            behind.setdefault(each.row.bullet or "", set()).add(name)
        lessons |= {(number, frozenset(n), flags.get(b, "")) for b, n in behind.items()}
    return Outcome(
        applied,
        frozenset(lessons),
        dict(counts),
        repeated,
        len(acknowledged - rest.stored() - {g for each in servers for g in each.dropped()}),
        rest.given_up(),
        [each for server in servers for each in server.left_behind()],
        megabytes,
        max(server.bytes_on_disk() for server in servers),
    )


def differences(calm: Outcome, rough: Outcome) -> list[str]:
    """In what the killed server's knowledge differs; empty where it does not."""
    found = [f"applied {count} times: {name}" for name, count in rough.applied.items() if count > 1]
    found += [f"lost: {name}" for name in sorted(calm.applied.keys() - rough.applied.keys())]
    found += [f"invented: {name}" for name in sorted(rough.applied.keys() - calm.applied.keys())]
    for title, lessons in (
        ("only in the calm run", calm.lessons - rough.lessons),
        ("only in the rough run", rough.lessons - calm.lessons),
    ):
        found += [f"{title}: shop{shop} {flag or 'active'} {sorted(names)}"
                  for shop, names, flag in sorted(lessons, key=str)]  # fmt: skip
    for name in sorted(calm.counts.keys() | rough.counts.keys()):
        one, other = calm.counts.get(name, 0), rough.counts.get(name, 0)
        if one != other:
            found.append(f"commits say {other} {name}, {one} in peace")
    if rough.repeated:
        found.append(f"{rough.repeated} event rows stand twice")
    if rough.unstored:
        found.append(f"{rough.unstored} acknowledged deliveries are not in the inbox")
    if rough.given_up:
        found.append(f"the work of {rough.given_up} deliveries was given up")
    found += [f"left behind: {path}" for path in rough.left_behind]
    if rough.megabytes > 1.5 * calm.megabytes:
        found.append(f"memory grew: {rough.megabytes:.0f} MB, {calm.megabytes:.0f} in peace")
    if rough.bytes_on_disk > 3 * calm.bytes_on_disk:
        found.append(f"the disk fills: {rough.bytes_on_disk} bytes, {calm.bytes_on_disk} in peace")
    return found
