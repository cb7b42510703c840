"""What a write starts from and ends in: a store at one commit, evidence, the edit that follows.

Frozen values alone; the deciding is in `bot.lessons.store`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from bot.lessons.bullet import Verdict
from bot.lessons.lesson import Lesson
from bot.lessons.retirement import Invalidation
from bot.lessons.rows import Row
from bot.lessons.similarity import Comparison
from bot.lessons.tree import Tree

LESSONS = ".agent-corp/lessons.md"
ATTRIBUTES = ".agent-corp/.gitattributes"
ATTRIBUTES_TEXT = b"events/** linguist-generated\nknown-pitfalls.md linguist-generated\n"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One finding, distilled and judged, as it stands now.

    `strong` is written at once. Weak evidence counts once `matured` (answered, in a merged pull
    request) and met again in a second pull request. `invalid` says why it does not count any more.
    `path` is the file the finding was made in; `cites` the REF of a bullet of another store.
    `recall` says what it quotes of what was shown: then it is no evidence, and stands here only so
    that what an earlier reading of it wrote is not taken for removed.
    """

    source: str
    pr: int
    head: str
    channel: Verdict
    state: str
    by: int
    at: datetime
    lesson: Lesson
    strong: bool = True
    matured: bool = False
    invalid: Invalidation | None = None
    base: str = ""
    job: str | None = None
    path: str | None = None
    cites: str | None = None
    recall: str | None = None


@dataclass(frozen=True, slots=True)
class Present:
    """One review as it stands now, by which signals of its earlier text are found."""

    pr: int
    review: int
    source: str
    edited_at: datetime


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A store at one commit. `repository` is 0 where a clone alone does not tell.

    `created_at` is when the repository came to be, where known; `standing` are the files of
    standing lessons and `markers` those of lessons that do not stand any more, by path.
    """

    lessons: bytes | None
    events: Mapping[str, bytes]
    tree: Tree
    repository: int
    attributes: bool = False
    created_at: datetime | None = None
    standing: Mapping[str, bytes] = field(default_factory=dict)
    markers: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one pull request, for the adherence to what it had been shown.

    `shown` are the ids that stood in the block at its merge base; `paths` those that it touched.
    """

    pr: int
    at: datetime
    merged: bool
    closed: bool
    shown: frozenset[str]
    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class Landed:
    """What became of one piece of evidence: appended, refreshed, evidence, seen or nothing."""

    evidence: Evidence
    did: str
    bullet: str | None = None
    comparison: Comparison | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the commit's body: what happened to which bullet."""

    did: str
    bullet: str
    text: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two active bullets that contradict each other until a person decides; `b` is the newer.

    `pr` is the pull request that brought `b`, 0 where none did.
    """

    a: str
    b: str
    why: str
    text_a: str
    text_b: str
    pr: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Occasion:
    """A pull request that a lesson was said in, and when first."""

    pr: int
    on: date


@dataclass(frozen=True, slots=True)
class Taught:
    """A lesson that a pull request gave evidence for, and those that had said it `before`.

    `did`: what its first signal was, appended, refreshed or evidence.
    """

    lesson: str
    text: str
    did: str
    before: tuple[Occasion, ...] = ()


@dataclass(frozen=True, slots=True)
class Reckoning:
    """What a pull request came to. `shown` are the lessons its readers had before them, by id.

    `repeated`: those of them that a finding matched all the same; `heeded`: those that name a path
    it touched, where none did. Of the others nothing can be said.
    """

    pr: int
    taught: tuple[Taught, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    repeated: frozenset[str] = frozenset()
    heeded: frozenset[str] = frozenset()


COUNTED = (
    "appended", "refreshed", "overridden", "stale", "expired", "promoted", "demoted", "evicted",
    "undone",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Edit:
    """The outcome of a write. `changes` is empty when there is nothing to write.

    `readable` is false when only rows change that nobody reads (they travel with the next commit).
    `repeats` counts evidence that said nothing new. `conflicts` are those open after the write,
    `reckonings` what each pull request came to that it heard of.
    """

    changes: Mapping[str, bytes | None]
    counts: Mapping[str, int]
    rows: tuple[Row, ...] = ()
    landed: tuple[Landed, ...] = ()
    told: tuple[Change, ...] = ()
    sources: tuple[tuple[str, str], ...] = ()
    prs: tuple[int, ...] = ()
    readable: bool = False
    repeats: int = 0
    conflicts: tuple[Conflict, ...] = ()
    reckonings: tuple[Reckoning, ...] = ()
