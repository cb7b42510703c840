"""What the channels may ask of a forge and say to it, for one repository, in domain words.

Decisions see this and `bot.facts`; no payload and no client library passes it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.facts import (
    Account,
    Between,
    BranchRule,
    Job,
    JobRun,
    JobState,
    OwnIssue,
    OwnPullRequest,
    PastPullRequest,
    Permission,
    PullRequest,
    PullRequestFacts,
    Repository,
)
from bot.forge.check_run import CheckRun
from bot.git.plan import Plan, Published


class Reaction(enum.StrEnum):
    THUMBS_UP = "+1"
    THUMBS_DOWN = "-1"
    CONFUSED = "confused"
    EYES = "eyes"
    ROCKET = "rocket"


@dataclass(frozen=True, slots=True)
class PullFile:
    """A path that a pull request touches; `status` is GitHub's: added, removed, renamed …"""

    path: str
    status: str
    previous: str | None = None


@dataclass(frozen=True, slots=True)
class PullFiles:
    """`complete` is false where GitHub cut the list (3,000 files): then absence proves nothing."""

    files: tuple[PullFile, ...]
    complete: bool


class Forge(Protocol):
    """One repository on its forge.

    Every method raises Suspended, Gone, Archived or Forbidden (UserError) where a person has to
    act, RateLimited, Unauthorized or another Fault where it broke.
    """

    def repository(self) -> Repository:
        """The repository under its present name, which may not be the one it was asked for by."""

    def pull_request_facts(self, number: int) -> PullRequestFacts:
        """All that decisions read about a pull request, as it stands now."""

    def pull_request(self, number: int) -> PullRequest:
        """Where it stands now, for one request; `acted_at` is not looked up."""

    def past_pull_requests(self, *, merged: bool = False) -> Iterator[PastPullRequest]:
        """All of them, the latest updated first, asked for as they are taken; or those merged."""

    def pull_request_jobs(self, number: int) -> PullRequestFacts:
        """The pull request with the runs of its jobs instead of its reviews.

        No runs where all that failed was mended by running it again; no permissions once merged.
        """

    def between(self, number: int, before: str, after: str) -> Between:
        """What was done from one head of a pull request to a later one."""

    def failure_titles(self, run: int) -> tuple[str, ...]:
        """Titles of the failures that a job's run annotated; an empty one where it gave none."""

    def job_elsewhere(self, job: Job, since: datetime) -> tuple[JobRun, ...]:
        """Recent runs of the job on the default branch and on other pull requests."""

    def account(self, login: str) -> Account | None:
        """The account that has this login now, with its numeric id and type; None for nobody."""

    def account_of(self, number: int) -> Account | None:
        """The account of that numeric id under its present login; None once it was deleted."""

    def permission(self, login: str) -> Permission:
        """NONE for anyone without access, and for every App account."""

    def merge_base(self, pull: PullRequest) -> str:
        """Where it began: the newest commit of its base branch that its head was built on.

        `pull.base_sha` is where the base branch stood, which the head need not hold.
        """

    def pull_request_files(self, number: int) -> PullFiles: ...

    def content(self, path: str, ref: str | None = None) -> bytes | None:
        """A file of a commit or branch, without one of the default branch; None where none is.

        Also of a pull request from a fork, and of a public repository that the App is not in.
        """

    def pull_requests_of_commit(self, sha: str) -> tuple[int, ...]:
        """Numbers of the pull requests that hold the commit or were merged by it."""

    def upsert_check_run(self, head_sha: str, check_run: CheckRun) -> int:
        """Puts our one check run of that name on the head, new or updated in place; its id."""

    def react(self, comment_id: int, reaction: Reaction) -> None:
        """Reacts to a conversation comment; once is as good as often."""

    def comment(self, number: int, body: str, *, key: str) -> int:
        """Our comment about `key` on an issue or pull request, new or updated in place; its id."""

    def find_issue(self, key: str, us: Account) -> OwnIssue | None:
        """Our newest issue about `key`, open or closed, by its marker and its author.

        `key` is a word or two of ours, as `expiring` or `subject:billing`, without `--` or `>`.
        """

    def own_issue(self, number: int, us: Account) -> OwnIssue | None:
        """Ours of that number, whatever it is about; None where it is none of ours."""

    def job_state(self, number: int) -> JobState | None:
        """Whether an issue or pull request is open; None where there is none of that number."""

    def open_issue(self, title: str, body: str, *, key: str) -> OwnIssue:
        """Opens one about `key`, whether or not there is one: look with `find_issue` before.

        Raises Gone where the repository has its issues turned off.
        """

    def edit_issue(self, found: OwnIssue, wanted: OwnIssue) -> None:
        """Makes the one the other: title, body, open or closed. Asks nothing where both are equal.

        An edit notifies nobody: what people shall hear of is said with `comment` as well.
        """

    def branch_rules(self, branch: str) -> tuple[BranchRule, ...]:
        """Rules of rulesets that are active on a branch; classic protections are not told."""

    def commit_on_branch(self, plan: Plan) -> Published:
        """Makes the commit of a plan through the API, where GitHub signs it."""

    def own_pull_requests(self, branch: str, us: Account) -> tuple[OwnPullRequest, ...]:
        """Ours from a branch of the repository itself, open and closed, newest first."""

    def approved_at(self, number: int) -> datetime | None:
        """When a pull request was last approved."""

    def propose(
        self, branch: str, base: str, title: str, body: str, *, draft: bool
    ) -> OwnPullRequest | None:
        """Opens a pull request; None where one is open already, or nothing to be proposed."""

    def update_pull_request(self, number: int, **changes: str) -> None:
        """Changes `title`, `body`, `base`, or the `state` (open, closed) of one of ours."""

    def mark_ready(self, pull: OwnPullRequest) -> None:
        """Ends its draft."""
