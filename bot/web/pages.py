"""What a page shows, as values, and the port by which pages are asked for and pressed.

Whoever may not see a thing gets None, the same as for one that is not there.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from bot.channels.questions import Record
from bot.inbox import Entry, Status
from bot.reports.carried import CarriedFile
from bot.search.gaps import Gap
from bot.search.model import Answer
from bot.settings import Carried
from bot.web.figures import Figures
from bot.web.fleet import Fleet
from bot.web.life import Life
from bot.web.visitor import Visitor


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something that a person should look at; `repository` is 0 where it is the server's own.

    `remedy` says what to do, `command` what shows it again.
    """

    repository: int
    text: str
    remedy: str
    command: str


@dataclass(frozen=True, slots=True)
class Unheard:
    """A bot that reviews and is not listed, with the number of its reviews in 90 days."""

    login: str
    reviews: int


@dataclass(frozen=True, slots=True)
class StorePage:
    """`notice` tells of its age, mostly nothing. `questions` wait for a person.

    `pressed` are the lessons whose retirement waits for its commit, `reason` why it waits on.
    `may_press`: GitHub let the visitor write there a moment ago.
    """

    repository: int
    full_name: str
    figures: Figures
    notice: str
    questions: tuple[Record, ...]
    pressed: frozenset[str]
    reason: str | None
    may_press: bool
    unheard: tuple[Unheard, ...] = ()


@dataclass(frozen=True, slots=True)
class LessonPage:
    """`commits` that brought the events of its life to the branch, by the ids of their rows."""

    store: StorePage
    life: Life
    commits: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CarriedPage:
    """What agents load in a repository by themselves, file by file."""

    store: StorePage
    files: tuple[CarriedFile, ...]
    budget: Carried


@dataclass(frozen=True, slots=True)
class FindPage:
    """`answer` is None where nothing was asked. `gaps`: searches that came back empty."""

    answer: Answer | None
    names: Mapping[int, str]
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, slots=True)
class DeliveriesPage:
    """`counts` by status of all that the visitor may see, `entries` the newest of each status.

    `names` are full names by repository id.
    """

    counts: Mapping[Status, int]
    entries: Mapping[Status, tuple[Entry, ...]]
    names: Mapping[int, str]


class Press(enum.Enum):
    """What a press came to."""

    TAKEN = "taken"
    ALREADY = "already"  # pressed, decided or retired before
    DENIED = "denied"  # the account may read, not decide
    OFF = "off"  # the settings do not let the App act there


class Pages(Protocol):
    """Every method raises Fault where GitHub or the database does not answer."""

    def fleet(self, visitor: Visitor) -> Fleet: ...

    def store(self, visitor: Visitor, full_name: str) -> StorePage | None: ...

    def lesson(self, visitor: Visitor, full_name: str, identity: str) -> LessonPage | None: ...

    def carried(self, visitor: Visitor, full_name: str) -> CarriedPage | None: ...

    def find(self, visitor: Visitor, query: str) -> FindPage: ...

    def deliveries(self, visitor: Visitor) -> DeliveriesPage: ...

    def alarms_of(self, visitor: Visitor) -> tuple[Alarm, ...]: ...


class Presses(Protocol):
    """A press raises UserError for what a person has to mend first, and Fault."""

    def retire(self, visitor: Visitor, full_name: str, identity: str) -> Press | None: ...

    def answer(
        self, visitor: Visitor, full_name: str, question: str, answer: str
    ) -> Press | None: ...

    def replay(self, visitor: Visitor, guid: str) -> Press | None: ...
