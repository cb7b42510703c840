"""What the sandbox forge remembers: GitHub's nouns with the fields that its answers are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot.facts import Account


@dataclass(slots=True)
class Comment:
    """A conversation comment; `app` wrote it. Reactions are (account id, content)."""

    id: int
    number: int
    user: Account
    body: str
    created_at: datetime
    updated_at: datetime
    app: int | None = None
    reactions: set[tuple[int, str]] = field(default_factory=set)


@dataclass(slots=True)
class Issue:
    """`app` opened it."""

    id: int
    number: int
    user: Account
    title: str
    body: str
    created_at: datetime
    app: int | None = None
    closed_at: datetime | None = None


@dataclass(slots=True)
class InlineComment:
    id: int
    review: int
    user: Account
    body: str
    path: str
    original_line: int
    line: int | None
    commit: str
    created_at: datetime
    in_reply_to: int | None = None


@dataclass(slots=True)
class Review:
    """`state` in REST's upper case."""

    id: int
    user: Account
    state: str
    body: str
    submitted_at: datetime
    commit: str
    edited_at: datetime | None = None


@dataclass(slots=True)
class Thread:
    id: int
    comments: list[int]
    resolved: bool = False
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """`dismissed` is (review id, the state it had, in lower case)."""

    id: int
    event: str
    actor: Account
    created_at: datetime
    dismissed: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Action:
    label: str
    description: str
    identifier: str


@dataclass(frozen=True, slots=True)
class Annotation:
    path: str
    message: str
    title: str = ""
    level: str = "failure"


@dataclass(frozen=True, slots=True)
class CheckSuite:
    """`branch` is None for a fork's; `workflow` for an App that is not GitHub Actions."""

    id: int
    app: int
    slug: str
    head_sha: str
    branch: str | None
    created_at: datetime
    workflow: str | None = None


@dataclass(slots=True)
class CheckRun:
    id: int
    name: str
    head_sha: str
    app: int
    started_at: datetime
    external_id: str = ""
    status: str = "queued"
    conclusion: str | None = None
    completed_at: datetime | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    actions: tuple[Action, ...] = ()
    suite: CheckSuite | None = None
    annotations: tuple[Annotation, ...] = ()

    @property
    def buttons(self) -> tuple[Action, ...]:
        """What a person sees: GitHub shows the actions of a completed run only."""
        return self.actions if self.status == "completed" else ()


@dataclass(slots=True)
class Installation:
    id: int
    account: Account
    permissions: dict[str, str]
    created_at: datetime
    suspended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """A webhook as GitHub sends it. A redelivery has the same guid."""

    guid: str
    event: str
    payload: Mapping[str, object]
