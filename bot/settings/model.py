"""Every number of the product, once, with its reason: `.github/lessonkeeper.yml` (SPEC 14).

Each field is a key of that file: its type and limits, the reason, the default. Pure: no YAML here.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Literal

from bot.settings.form import (
    Count,
    Days,
    Fraction,
    FullName,
    Line,
    Login,
    ModelName,
    PositiveTime,
    Prefix,
    Range,
    RepositoryPath,
    TelegramUser,
    Time,
    Word,
)


class Evidence(enum.StrEnum):
    """What a remark is worth: nothing, a second pull request must repeat it, written at once."""

    IGNORE = "ignore"
    WEAK = "weak"
    STRONG = "strong"


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A bot or other account that may teach.

    `asks` and `passes` are literal: they hold for a comment when one of its lines, without the
    blanks around it, is exactly that text, Markdown and letter case included.
    """

    login: Annotated[Login, "the account, as GitHub shows it"]
    commented: Annotated[Evidence, "what its commented reviews are worth"] = Evidence.WEAK
    comments: Annotated[bool, "conversation comments are reviews too"] = False
    asks: Annotated[Line | None, "a line that makes a comment ask for changes"] = None
    passes: Annotated[Line | None, "a line that makes a comment an approval"] = None


@dataclass(frozen=True, slots=True)
class Telegram:
    chat: Annotated[
        int, Range(-(10**15), 10**15), "the chat to write to, negative for groups; 0 is off"
    ] = 0
    people: Annotated[dict[TelegramUser, Login], "Telegram user id: login on GitHub"] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True)
class Weak:
    """Weak evidence counts once this many pull requests within this time said the same."""

    pull_requests: Annotated[Count, "a lesson said in one pull request may be about it alone"] = 2
    within: Annotated[PositiveTime, "as long as a bullet lives unearned"] = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Claude:
    model: Annotated[ModelName, "one sentence per finding needs no larger one"] = "claude-haiku-5-5"
    calls_per_day: Annotated[Count, "the most that one repository may cost in a day"] = 50


@dataclass(frozen=True, slots=True)
class CommitStyle:
    prefix: Annotated[Prefix, "a commit type that never bumps a version"] = "chore(lessons)"
    sign_off: Annotated[bool, "add Signed-off-by, where a DCO check asks for it"] = False
    skip_checks: Annotated[bool, "a direct push to lessons needs no CI run"] = True
    marker: Annotated[Line | None, "a text that your own commit rules demand"] = None


@dataclass(frozen=True, slots=True)
class Rolling:
    every: Annotated[Time, "the rolling pull request is updated this often"] = timedelta(hours=24)
    quiet_after_approval: Annotated[
        Time, "time to merge what was approved before it changes again"
    ] = timedelta(hours=24)
    ready_after: Annotated[Time, "a draft becomes ready at this age"] = timedelta(days=7)
    ready_at: Annotated[Count, "or when it holds this many changes"] = 5


@dataclass(frozen=True, slots=True)
class Store:
    cap: Annotated[int, Range(1, 500), "bullets of ours in the file: what people still read"] = 40
    per_review: Annotated[int, Range(1, 20), "bullets a review may give: its main points"] = 2
    characters: Annotated[
        int, Range(40, 1000), "of one bullet: a sentence that fits two lines of a diff"
    ] = 240
    expire: Annotated[Days, "after its last evidence: each is cheap to earn again"] = timedelta(
        days=90
    )
    notice: Annotated[Time, "before a founder's note expires, whoever kept it is told"] = timedelta(
        days=7
    )


@dataclass(frozen=True, slots=True)
class Refresh:
    """The published rule (SPEC 3.5). `reword_floor` None: the confirmed floor alone decides."""

    floor: Annotated[Fraction, "similarity of words from which two texts may be one lesson"] = 0.25
    confirm: Annotated[Fraction, "blend that must confirm it: precision .54 without, .79 with"] = (
        0.42
    )
    reword_floor: Annotated[Fraction | None, "blend that suffices alone: the same reworded"] = 0.50
    min_tokens: Annotated[Count, "shorter texts are alike by chance: kept apart"] = 8


@dataclass(frozen=True, slots=True)
class Caps:
    """Two separate limits, never one a safety net of the other. Written as a pair."""

    items: Annotated[int, Range(1, 500)]
    characters: Annotated[int, Range(100, 200_000)]


@dataclass(frozen=True, slots=True)
class BlockSettings:
    rules: Annotated[Caps, "failure classes: [items, characters]"] = Caps(24, 2400)
    standing: Annotated[Caps, "standing lessons, by weight: [items, characters]"] = Caps(5, 1200)
    bullets: Annotated[Caps, "newest bullets for a task: [items, characters]"] = Caps(20, 4800)
    session: Annotated[Caps, "the same for an interactive session"] = Caps(15, 3600)
    cluster: Annotated[Fraction, "similarity from which only one of two is shown"] = 0.5


@dataclass(frozen=True, slots=True)
class Standing:
    signals: Annotated[Count, "evidence needed for promotion, and"] = 3
    pull_requests: Annotated[Count, "from this many pull requests, and"] = 2
    weight: Annotated[
        float, Range(0, 1000), "this weight: at the half-life, more often than every 18 days"
    ] = 2.0
    half_life: Annotated[PositiveTime, "the weight of evidence halves in this time"] = timedelta(
        days=30
    )
    violations: Annotated[Count, "since promotion, not outnumbered: it is demoted"] = 2
    reinforcement: Annotated[Fraction, "weight of one pull request that followed it"] = 0.3
    reinforcement_max: Annotated[
        float, Range(0, 1000), "all of them together: being shown is not being right"
    ] = 1.0


@dataclass(frozen=True, slots=True)
class Strength:
    changes_requested: Annotated[Fraction, "a reviewer's verdict"] = 0.7
    ci_fix: Annotated[Fraction, "inferred from a job that failed and passed"] = 0.6
    founder_note: Annotated[Fraction, "a person pressed Keep"] = 1.0


@dataclass(frozen=True, slots=True)
class Notes:
    index: Annotated[
        tuple[RepositoryPath, ...], "documents that are searched where they are; globs allowed"
    ] = ("README.md", "docs/**/*.md", "AGENTS.md", "CLAUDE.md")
    grace: Annotated[
        Time, "from the flag of a context note, at the close of its issue, to its end"
    ] = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Carried:
    lines: Annotated[Count, "warn before an always-loaded file has this many lines"] = 200
    kilobytes: Annotated[Count, "or this size: agents follow longer files less"] = 25
    runs_per_month: Annotated[
        int, Range(1, 10_000_000), "agent runs, for the report of what carrying costs"
    ] = 100
    usd_per_million_tokens: Annotated[
        float, Range(0, 10_000), "price of input, for the same report"
    ] = 3.0


@dataclass(frozen=True, slots=True)
class Settings:
    version: Annotated[Literal[1], "the form of this file"] = 1
    enabled: Annotated[bool, "false: nothing is read or written here"] = True
    fork: Annotated[
        FullName | None, "owner/name of this repository, if it is a fork that shall learn"
    ] = None
    people: Annotated[Evidence, "commented reviews of people with write access"] = Evidence.WEAK
    reviewers: Annotated[tuple[Reviewer, ...], "bots and other accounts that may teach"] = ()
    agents: Annotated[
        tuple[Login, ...],
        "accounts that agents act from: commands only offered, merges override nothing",
    ] = ()
    founders: Annotated[
        tuple[Login, ...], "their own reviews are offered with Keep, not distilled"
    ] = ()
    merge_actors: Annotated[
        tuple[Login, ...], "bots, or accounts under agents, whose merges count as a person's"
    ] = ()
    merged_label: Annotated[Line | None, "closed with this label = merged (merge bots)"] = None
    note_prefixes: Annotated[
        tuple[Word, ...], "a comment that starts with one is offered as a note"
    ] = ("/revise",)
    telegram: Annotated[Telegram, "notes and notices by Telegram"] = Telegram()
    ci_fix: Annotated[
        Literal[Evidence.WEAK, Evidence.STRONG] | None, "jobs that failed and were mended"
    ] = Evidence.WEAK
    weak: Annotated[Weak, "when weak evidence is written"] = Weak()
    distiller: Annotated[
        Literal["offline", "claude"], "what makes sentences of findings; claude needs a key"
    ] = "offline"
    claude: Annotated[Claude, "used with distiller: claude"] = Claude()
    mode: Annotated[
        Literal["auto", "direct", "pull_request"], "auto: direct, unless rules of the branch forbid"
    ] = "auto"
    commit_every: Annotated[Time, "at most one commit in this time; a press at once"] = timedelta(
        minutes=15
    )
    commit: Annotated[CommitStyle, "how commits look"] = CommitStyle()
    rolling: Annotated[Rolling, "the rolling pull request of pull-request mode"] = Rolling()
    store: Annotated[Store, "the lessons file"] = Store()
    refresh: Annotated[Refresh, "when a finding renews a bullet instead of adding one"] = Refresh()
    block: Annotated[BlockSettings, "what agents receive"] = BlockSettings()
    include: Annotated[
        tuple[RepositoryPath, ...], "agent files that point to the known pitfalls"
    ] = ("CLAUDE.md", "AGENTS.md", ".github/copilot-instructions.md")
    standing: Annotated[Standing, "when a lesson becomes standing, and ceases to be"] = Standing()
    strength: Annotated[Strength, "what one signal weighs"] = Strength()
    repeat_notice: Annotated[bool, "say when a pull request repeats a lesson"] = True
    notes: Annotated[Notes, "looked-up notes"] = Notes()
    carried: Annotated[Carried, "the budget of what is always loaded"] = Carried()
    digest: Annotated[Literal["issue", "telegram"] | None, "a periodic summary, and where"] = None
