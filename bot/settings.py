"""Every number of the product, once, with its reason: `.github/lessonkeeper.yml` (SPEC 14)."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import timedelta


class Evidence(enum.StrEnum):
    """What a remark is worth: nothing, a second pull request must repeat it, written at once."""

    IGNORE = "ignore"
    WEAK = "weak"
    STRONG = "strong"


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A bot or other account that may teach. `asks`/`passes`: a line that is a verdict."""

    login: str
    commented: Evidence = Evidence.WEAK
    comments: bool = False
    asks: str | None = None
    passes: str | None = None


@dataclass(frozen=True, slots=True)
class Telegram:
    chat: int = 0
    people: dict[str, str] = field(default_factory=dict)  # Telegram user id -> login


@dataclass(frozen=True, slots=True)
class Weak:
    """Weak evidence counts once this many pull requests within this time said the same."""

    pull_requests: int = 2
    within: timedelta = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Claude:
    model: str = "claude-haiku-5-5"
    calls_per_day: int = 50


@dataclass(frozen=True, slots=True)
class CommitStyle:
    prefix: str = "chore(lessons)"  # a type that never bumps a version
    sign_off: bool = False
    skip_checks: bool = True
    marker: str | None = None


@dataclass(frozen=True, slots=True)
class Rolling:
    every: timedelta = timedelta(hours=24)
    quiet_after_approval: timedelta = timedelta(hours=24)
    ready_after: timedelta = timedelta(days=7)
    ready_at: int = 5


@dataclass(frozen=True, slots=True)
class Store:
    cap: int = 40  # what a reader of the file still reads
    per_review: int = 2
    characters: int = 240
    expire: timedelta = timedelta(days=90)
    notice: timedelta = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Refresh:
    """The published rule (SPEC 3.5). `reword_floor` None: the confirmed floor alone decides."""

    floor: float = 0.25
    confirm: float = 0.42
    reword_floor: float | None = 0.50
    min_tokens: int = 8


@dataclass(frozen=True, slots=True)
class Caps:
    """Two separate limits, never one a safety net of the other."""

    items: int
    characters: int


@dataclass(frozen=True, slots=True)
class BlockSettings:
    rules: Caps = Caps(24, 2400)
    standing: Caps = Caps(5, 1200)
    bullets: Caps = Caps(20, 4800)
    session: Caps = Caps(15, 3600)
    cluster: float = 0.5


@dataclass(frozen=True, slots=True)
class Standing:
    signals: int = 3
    pull_requests: int = 2
    weight: float = 2.0
    half_life: timedelta = timedelta(days=30)
    violations: int = 2
    reinforcement: float = 0.3
    reinforcement_max: float = 1.0


@dataclass(frozen=True, slots=True)
class Strength:
    changes_requested: float = 0.7
    ci_fix: float = 0.6
    founder_note: float = 1.0


@dataclass(frozen=True, slots=True)
class Notes:
    index: tuple[str, ...] = ("README.md", "docs/**/*.md", "AGENTS.md", "CLAUDE.md")
    grace: timedelta = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Carried:
    lines: int = 200
    kilobytes: int = 25
    runs_per_month: int = 100
    usd_per_million_tokens: float = 3.0


@dataclass(frozen=True, slots=True)
class Settings:
    version: int = 1
    enabled: bool = True
    fork: str | None = None
    people: Evidence = Evidence.WEAK
    reviewers: tuple[Reviewer, ...] = ()
    agents: tuple[str, ...] = ()
    founders: tuple[str, ...] = ()
    merge_actors: tuple[str, ...] = ()
    merged_label: str | None = None
    note_prefixes: tuple[str, ...] = ("/revise",)
    telegram: Telegram = Telegram()
    ci_fix: Evidence | None = Evidence.WEAK  # None: the channel is off
    weak: Weak = Weak()
    distiller: str = "offline"  # offline | claude
    claude: Claude = Claude()
    mode: str = "auto"  # auto | direct | pull_request
    commit_every: timedelta = timedelta(minutes=15)
    commit: CommitStyle = CommitStyle()
    rolling: Rolling = Rolling()
    store: Store = Store()
    refresh: Refresh = Refresh()
    block: BlockSettings = BlockSettings()
    include: tuple[str, ...] = ("CLAUDE.md", "AGENTS.md", ".github/copilot-instructions.md")
    standing: Standing = Standing()
    strength: Strength = Strength()
    repeat_notice: bool = True
    notes: Notes = Notes()
    carried: Carried = Carried()
    digest: str | None = None  # issue | telegram
