"""What somebody has to be alarmed about: facts of a repository or the server in, alarms out.

Pure. An alarm says what is wrong and what to do; who is told, and how often, is decided elsewhere.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.reports.carried import Weight, weigh
from bot.settings import Carried

BEHIND = timedelta(minutes=10)  # a push is searchable in seconds; a rebuild takes a minute
OLD_PROPOSAL = timedelta(days=14)
LATE = timedelta(minutes=10)  # no worker lets a due delivery wait that long


class Name(enum.StrEnum):
    INDEX_EMPTY = "index empty"
    REBUILD_FAILED = "rebuild failed"
    INDEX_BEHIND = "index behind"
    EXACT_FAILING = "exact half failing"
    MEANING_FAILING = "meaning half failing"
    CARRIED_WEIGHT = "carried weight"
    SPLIT_STORE = "split store"
    DELIVERIES_FAILED = "deliveries failed"
    DELIVERIES_WAIT = "deliveries wait"


@dataclass(frozen=True, slots=True)
class Alarm:
    """`about`: which of several things of that name, empty where there can be one alone."""

    name: Name
    reason: str
    remedy: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Watched:
    """One repository at a look. `pages` are to be found, `indexed` can be (None: none ever were).

    `indexed_at` is the commit that the index holds, of a branch that stands at `commit` since
    `committed_at`. `failed`: why the last look did not reach the index. `stores`: lessons files in
    the tree. `pending` bullets wait in the pull request `pull` since `pending_since`. `sharing`:
    repositories of the owner that have some of its ids.
    """

    pages: int
    indexed: int | None
    commit: str
    committed_at: datetime
    indexed_at: str = ""
    failed: str = ""
    carried: Mapping[str, bytes] = field(default_factory=dict)
    budget: Carried = field(default_factory=Carried)
    stores: tuple[str, ...] = ()
    pull: int | None = None
    pending: int = 0
    pending_since: datetime | None = None
    sharing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Serving:
    """The server itself. `exact`, `meaning`: why that half of search fails. `waiting_since`: when
    the oldest delivery that waits could have been worked on."""

    exact: str = ""
    meaning: str = ""
    failed: int = 0
    waiting_since: datetime | None = None


def of_repository(found: Watched, now: datetime) -> tuple[Alarm, ...]:
    return (*_of_index(found, now), *_of_weight(found), *_of_split(found, now))


def is_blind(found: Watched) -> bool:
    """Whether a search there would come back empty although something is known."""
    return found.pages > 0 and not found.indexed


def _of_index(found: Watched, now: datetime) -> Iterator[Alarm]:
    if found.failed:
        yield Alarm(
            Name.REBUILD_FAILED,
            f"the index could not be brought up to the branch: {found.failed}",
            "It is tried again every hour; the log has the whole reason.",
        )
    if is_blind(found):
        yield Alarm(
            Name.INDEX_EMPTY,
            f"{found.pages} pages stand on the branch, and search finds none of them",
            "It is read anew every hour and at each push; the log says what is in the way.",
        )
    lag = now - found.committed_at
    if found.indexed and found.indexed_at != found.commit and lag > BEHIND:
        yield Alarm(
            Name.INDEX_BEHIND,
            f"the branch is {_time(lag)} newer than what search finds",
            "It is brought up every hour, and at each push: see that deliveries arrive.",
        )


def _of_weight(found: Watched) -> Iterator[Alarm]:
    for file in weigh(found.carried, found.budget):
        if file.weight is not Weight.FINE:
            budget = f"{found.budget.lines} lines or {found.budget.kilobytes} KB"
            yield Alarm(
                Name.CARRIED_WEIGHT,
                f"{file.path} has {len(file.lines)} lines and {file.size / 1024:.1f} KB:"
                f" {file.weight} of {budget}",
                "Shorten it: move what is looked up into notes. `report audit` prices each line.",
                file.path,
            )


def _of_split(found: Watched, now: datetime) -> Iterator[Alarm]:
    for path in found.stores[1:]:
        yield Alarm(
            Name.SPLIT_STORE,
            f"{path} is a second lessons file: nobody reads it",
            "Bring its lines with `import`, then delete it.",
            path,
        )
    if found.pending and found.pending_since and now - found.pending_since > OLD_PROPOSAL:
        yield Alarm(
            Name.SPLIT_STORE,
            f"{found.pending} bullets wait in #{found.pull} for {_time(now - found.pending_since)}",
            f"Merge #{found.pull}, or close it: what is not merged is shown to nobody.",
            f"#{found.pull}",
        )
    for other in found.sharing:
        yield Alarm(
            Name.SPLIT_STORE,
            f"its store has ids of {other}: one was copied from the other",
            f"Keep each lesson in one of them; `report audit --repo … --repo {other}` lists them.",
            other,
        )


def of_server(found: Serving, now: datetime) -> tuple[Alarm, ...]:
    return tuple(_of_server(found, now))


def _of_server(found: Serving, now: datetime) -> Iterator[Alarm]:
    for name, half, reason in (
        (Name.EXACT_FAILING, "exact words", found.exact),
        (Name.MEANING_FAILING, "meaning", found.meaning),
    ):
        if reason:
            yield Alarm(
                name,
                f"search by {half} fails: {reason}",
                "Install the locked packages anew (`make venv`), and see that the data folder can"
                " be written; every answer says so meanwhile.",
            )
    if found.failed:
        yield Alarm(
            Name.DELIVERIES_FAILED,
            f"{found.failed} deliveries failed",
            "The log says why; `python app.py replay GUID` tries one again.",
        )
    if found.waiting_since is not None and now - found.waiting_since > LATE:
        yield Alarm(
            Name.DELIVERIES_WAIT,
            f"the oldest delivery waits for {_time(now - found.waiting_since)}",
            "See that `python app.py serve` runs on this data, and what its log says.",
        )


def sharing(stores: Mapping[str, frozenset[str]]) -> Mapping[str, tuple[str, ...]]:
    """Which repositories of one owner have ids in common: each with the others, by full name."""
    return {
        name: tuple(sorted(other for other, them in stores.items() if other != name and ids & them))
        for name, ids in stores.items()
    }


def other_of(alarm: Alarm) -> str:
    """The full name of the repository that it shares ids with; empty where it is about none."""
    shares = alarm.name is Name.SPLIT_STORE and alarm.about.count("/") == 1
    return alarm.about if shares else ""  # the path of a second lessons file has two at least


def _time(span: timedelta) -> str:
    minutes = int(span.total_seconds()) // 60
    if minutes < 2 * 60:
        return f"{minutes} minutes"
    return f"{minutes // 60} hours" if minutes < 48 * 60 else f"{span.days} days"
