"""What GitHub says, in domain words: frozen values that decisions read.

GitHub's JSON ends in `webhooks/` and `bot/forge/`; past them nobody writes `payload["…"]`.
Times are aware datetimes in UTC. This module imports no I/O.
"""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass, field
from datetime import datetime


class Permission(enum.StrEnum):
    """A person's permission on the repository; an App account always reads NONE there."""

    ADMIN = "admin"
    WRITE = "write"
    READ = "read"
    NONE = "none"

    @property
    def writes(self) -> bool:
        return self in (Permission.ADMIN, Permission.WRITE)


class ReviewState(enum.StrEnum):
    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"
    COMMENTED = "commented"
    DISMISSED = "dismissed"
    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class Account:
    """An account by its numeric id; `kind` is GitHub's type: User, Bot, Organization, Mannequin."""

    id: int
    login: str
    kind: str = "User"


@dataclass(frozen=True, slots=True)
class Repository:
    id: int
    owner: str
    name: str
    default_branch: str
    clone_url: str
    private: bool = False
    archived: bool = False
    fork: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, slots=True)
class InlineComment:
    """One inline comment of a review. `line` is None when its commit is gone (force push)."""

    id: int
    body: str
    path: str | None = None
    line: int | None = None
    in_reply_to: int | None = None
    author: Account | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """One review as it stands now.

    `state` is the verdict it was given with: a dismissed review keeps it here and has
    `dismissed_at`. `commit` is the head it was given on; `edited_at` the time of its last edit,
    where known.
    """

    id: int
    author: Account
    state: ReviewState
    body: str
    submitted_at: datetime
    commit: str
    comments: tuple[InlineComment, ...] = ()
    dismissed_at: datetime | None = None
    edited_at: datetime | None = None

    @property
    def digest(self) -> str:
        """First 12 hex digits of SHA-256 over the body and the inline bodies by id (SPEC 1)."""
        bodies = [self.body, *(c.body for c in sorted(self.comments, key=lambda c: c.id))]
        return hashlib.sha256("\n".join(bodies).encode()).hexdigest()[:12]

    @property
    def source(self) -> str:
        return f"review:{self.id}@{self.digest}"


@dataclass(frozen=True, slots=True)
class Thread:
    """A review thread: the ids of its comments, and whether it was resolved or outdated."""

    comments: frozenset[int]
    resolved: bool = False
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of the pull request, newest last. `merges_base`: it merges the base branch in.

    `author` is None where its e-mail address belongs to no account, or where it was not asked for.
    """

    sha: str
    committed_at: datetime
    merges_base: bool = False
    author: Account | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """What CI does for each head anew; two of one name in two groups are two jobs.

    `group` is its workflow in GitHub Actions, the App's slug elsewhere; `app` that App's id.
    """

    app: int
    group: str
    name: str


@dataclass(frozen=True, slots=True)
class JobRun:
    """A job as it ended once on a commit; it ends more than once where somebody ran it again.

    `conclusion` is GitHub's, in lower case. `pushed_at` is when CI took the commit up.
    """

    id: int
    job: Job
    head: str
    conclusion: str
    completed_at: datetime
    pushed_at: datetime
    on_default_branch: bool = False

    @property
    def failed(self) -> bool:
        return self.conclusion in ("failure", "timed_out")

    @property
    def passed(self) -> bool:
        return self.conclusion == "success"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """`lines`: added and deleted together; `gone`: it was deleted."""

    path: str
    lines: int = 0
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Between:
    """What was done from one head of a pull request to a later one.

    `complete` is false where GitHub cut a list or forgot a commit. Where the base moved beneath a
    force push, its commits count as merges of it.
    """

    commits: tuple[Commit, ...]
    files: tuple[ChangedFile, ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class PullRequest:
    """`acted_at`: when the person who merged acted: armed or queued, otherwise merged (SPEC 4)."""

    number: int
    author: Account
    base: str
    head: str
    head_sha: str
    head_repository: int | None = None
    draft: bool = False
    open: bool = True
    merged_at: datetime | None = None
    merged_by: Account | None = None
    acted_at: datetime | None = None
    base_sha: str = ""
    closed_at: datetime | None = None
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PullRequestFacts:
    """All that a decision about one pull request reads: its present state, never its deliveries."""

    repository: Repository
    pull: PullRequest
    reviews: tuple[Review, ...] = ()
    threads: tuple[Thread, ...] = ()
    commits: tuple[Commit, ...] = ()
    runs: tuple[JobRun, ...] = ()  # only where the jobs were asked for
    permissions: dict[str, Permission] = field(default_factory=dict)

    def writes(self, account: Account | None) -> bool:
        if account is None:
            return False
        return self.permissions.get(account.login.lower(), Permission.NONE).writes

    def is_answered_by_thread(self, comment: int) -> bool:
        return any(comment in t.comments and (t.resolved or t.outdated) for t in self.threads)


@dataclass(frozen=True, slots=True)
class PastReview:
    """What a list tells of a review; `is_bot`: by an App."""

    login: str
    is_bot: bool
    submitted_at: datetime


@dataclass(frozen=True, slots=True)
class PastPullRequest:
    """What a list tells. `is_bot`: an App opened it; `from_here`: not from a fork."""

    number: int
    author: str
    is_bot: bool
    updated_at: datetime
    merged: bool
    from_here: bool
    reviews: tuple[PastReview, ...] = ()


@dataclass(frozen=True, slots=True)
class BranchRule:
    """A rule that is active on a branch; who may bypass it is not told. `type` is GitHub's word.

    `strict`: of required checks, whether a branch has to be up to date before it is merged.
    """

    type: str
    ruleset: int
    source: str
    strict: bool = False


@dataclass(frozen=True, slots=True)
class OwnPullRequest:
    """A pull request that we opened, as it stands now. `node` is its id in GraphQL."""

    number: int
    node: str
    head_sha: str
    base: str
    title: str
    body: str
    draft: bool
    open: bool
    merged: bool
    created_at: datetime
    closed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class JobState:
    """An issue or pull request as it stands now; `closed_at` is None while it is open."""

    number: int
    closed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class OwnIssue:
    """An issue that we opened about `key`, as it stands now: people may edit it and close it.

    `body` is without the marker that it is found by.
    """

    number: int
    key: str
    title: str
    body: str
    open: bool
