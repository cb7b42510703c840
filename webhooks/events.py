"""What GitHub said, as typed values: one class per thing that can happen to a repository.

An event says that something happened, not how things are now: the present is read from GitHub.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.facts import Account


@dataclass(frozen=True, slots=True)
class RepositoryName:
    """A repository by its numeric id; `full_name` is what it was called when the event was sent."""

    id: int
    full_name: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Which delivery, from where, by whom. `sender` is None where GitHub names nobody."""

    guid: str
    repository: RepositoryName
    installation: int | None
    sender: Account | None


@dataclass(frozen=True, slots=True)
class ReviewChanged:
    """`action`: submitted, edited, dismissed."""

    origin: Origin
    pull_request: int
    review: int
    action: str


@dataclass(frozen=True, slots=True)
class ReviewCommentChanged:
    """An inline comment: created, edited, deleted. `review` is None where it belongs to none."""

    origin: Origin
    pull_request: int
    review: int | None
    action: str


@dataclass(frozen=True, slots=True)
class ThreadChanged:
    """A review thread: resolved, unresolved."""

    origin: Origin
    pull_request: int
    action: str


@dataclass(frozen=True, slots=True)
class PullRequestChanged:
    """`merged` is GitHub's own word: false for a pull request that a merge bot closed."""

    origin: Origin
    number: int
    action: str
    merged: bool
    head_sha: str


@dataclass(frozen=True, slots=True)
class Pushed:
    """A push to a branch. `before` is 40 zeros for a new one, `after` for a deleted one.

    `touches_us` is false where GitHub lists all that was pushed and none of it is a file of ours,
    `removes` where no file went.
    """

    origin: Origin
    ref: str
    branch: str
    before: str
    after: str
    deleted: bool
    touches_us: bool = True
    removes: bool = True


@dataclass(frozen=True, slots=True)
class CommentCreated:
    """A conversation comment; an edited one never acts. `at` is when it was written, in UTC."""

    origin: Origin
    number: int
    is_pull_request: bool
    comment: int
    body: str
    author: Account
    at: datetime


@dataclass(frozen=True, slots=True)
class CheckFinished:
    """A check run of any App, ours included. `pull_requests` is empty for forks."""

    origin: Origin
    check_run: int
    app: int | None
    head_sha: str
    name: str
    conclusion: str | None
    pull_requests: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CheckPressed:
    """A button of a check run; whether the sender may press it is asked of GitHub."""

    origin: Origin
    check_run: int
    external_id: str
    identifier: str
    head_sha: str
    app: int | None


@dataclass(frozen=True, slots=True)
class WorkflowFinished:
    """A workflow run. `trigger` is the event that started it, `pull_requests` empty for forks."""

    origin: Origin
    run: int
    name: str
    head_sha: str
    trigger: str
    conclusion: str | None
    pull_requests: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class IssueChanged:
    """`action`: opened, edited, closed, reopened, deleted.

    `body_before` is what an edit replaced; None where it left the body alone.
    """

    origin: Origin
    number: int
    action: str
    body: str = ""
    body_before: str | None = None


@dataclass(frozen=True, slots=True)
class InstallationChanged:
    """`action`: created, deleted, suspend, unsuspend, new_permissions_accepted, added, removed.

    `repositories` are those of the change; for a new installation those it begins with.
    """

    guid: str
    installation: int
    account: Account
    sender: Account | None
    action: str
    repositories: tuple[RepositoryName, ...]


@dataclass(frozen=True, slots=True)
class RepositoryChanged:
    """`action`: renamed, transferred, archived, unarchived, privatized, publicized, edited,
    deleted.
    """

    origin: Origin
    action: str


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """A button under a message of ours in Telegram, and what stands behind it, as it came.

    `user` is a Telegram user id; `query` is what an answer to the press names.
    """

    query: str
    chat: int
    message: int
    user: int
    data: str


@dataclass(frozen=True, slots=True)
class MessageSaid:
    """A message of a person in Telegram. `at` is when it was written, in UTC."""

    chat: int
    message: int
    user: int
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class TelegramUpdated:
    """Something in a chat that is about a repository; who that user is there, is asked later."""

    origin: Origin
    update: ButtonPressed | MessageSaid


RepositoryEvent = (
    ReviewChanged
    | ReviewCommentChanged
    | ThreadChanged
    | PullRequestChanged
    | Pushed
    | CommentCreated
    | CheckFinished
    | CheckPressed
    | WorkflowFinished
    | IssueChanged
    | RepositoryChanged
    | TelegramUpdated
)
Event = RepositoryEvent | InstallationChanged


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing that Lessonkeeper acts on; `reason` is short and holds nothing of the payload."""

    reason: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """An event we act on in a shape that it should not have; `reason` names the field."""

    reason: str
