"""The Forge of one GitHub repository: which requests make a fact, and which say something back."""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode

from bot.errors import UserError
from bot.facts import (
    Account,
    Between,
    BranchRule,
    InlineComment,
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
    Review,
)
from bot.forge import answers, rules
from bot.forge.answers import known_form
from bot.forge.check_run import CheckRun
from bot.forge.commit_on_branch import CommitOnBranch
from bot.forge.connection import Connection
from bot.forge.conversation import Conversation, conversation
from bot.forge.errors import Gone
from bot.forge.issues import Issues, marker
from bot.forge.jobs import Jobs
from bot.forge.past import past_pull_requests
from bot.forge.proposals import Proposals
from bot.forge.protocol import PullFiles, Reaction
from bot.forge.timeline import Timeline, timeline
from bot.git.plan import Plan, Published
from bot.recent import Lately

FILES_LIMIT = 3_000  # GitHub lists no more files of a pull request


class GitHubForge:
    """Implements Forge. Short-lived: one job, one thread; the repository is looked up once.

    `name` is "owner/name", also a former one: the first request follows GitHub's redirect, all
    others use the present name, so that no write is ever sent to a redirect. What may
    have been asked `lately`, of the same installation: what the repository is, what a person may do
    there, where two commits part.
    """

    def __init__(
        self, connection: Connection, name: str, *, app_id: int, lately: Lately | None = None
    ) -> None:
        self._connection = connection
        self._asked = name
        self._app_id = app_id
        self._lately = lately
        self._rules: dict[str, tuple[BranchRule, ...]] = {}

    def repository(self) -> Repository:
        return self._repository

    @known_form()
    def pull_request(self, number: int) -> PullRequest:
        return answers.pull_request(self._connection.get(self._path(f"pulls/{number}")))

    @known_form()
    def pull_request_facts(self, number: int) -> PullRequestFacts:
        pull = self.pull_request(number)
        listed = list(self._connection.pages(self._path(f"pulls/{number}/reviews")))
        comments = self._comments_by_review(number)
        told = conversation(self._connection, self._repository, number)
        dismissed = any(review["state"] == "DISMISSED" for review in listed)
        events = self._timeline(number, pull) if dismissed or pull.merged_at else Timeline({})
        pull = events.acted(pull)
        reviews = tuple(
            _as_given(answers.review(json, comments[json["id"]]), told, events)
            for json in listed
            if json["state"] != "PENDING"
        )
        return PullRequestFacts(
            repository=self._repository,
            pull=pull,
            reviews=reviews,
            threads=told.threads,
            commits=told.commits,
            permissions=self._permissions(pull, reviews),
        )

    def past_pull_requests(self, *, merged: bool = False) -> Iterator[PastPullRequest]:
        with known_form():
            yield from past_pull_requests(self._connection, self._repository, merged=merged)

    @known_form()
    def pull_request_jobs(self, number: int) -> PullRequestFacts:
        pull = self.pull_request(number)
        runs = self._jobs.of_pull_request(number)
        asks = runs and pull.merged_at is None  # a merge is trust enough
        permissions = self._permissions(pull, ()) if asks else {}
        return PullRequestFacts(self._repository, pull, runs=runs, permissions=permissions)

    @known_form()
    def between(self, number: int, before: str, after: str) -> Between:
        return self._jobs.between(number, before, after)

    @known_form()
    def failure_titles(self, run: int) -> tuple[str, ...]:
        return self._jobs.titles(run)

    @known_form()
    def job_elsewhere(self, job: Job, since: datetime) -> tuple[JobRun, ...]:
        return self._jobs.elsewhere(job, since)

    @known_form()
    def account(self, login: str) -> Account | None:
        try:
            return answers.account(self._connection.get(f"/users/{quote(login, safe='')}"))
        except Gone:
            return None

    @known_form()
    def account_of(self, number: int) -> Account | None:
        try:
            return answers.account(self._connection.get(f"/user/{number}"))
        except Gone:
            return None

    @known_form()
    def permission(self, login: str) -> Permission:
        if login.endswith("[bot]"):
            return Permission.NONE  # GitHub always says none of an App account
        path = self._path(f"collaborators/{quote(login, safe='')}/permission")
        try:
            return Permission(self._lately_got(path)["permission"])
        except Gone:
            return Permission.NONE

    @known_form()
    def merge_base(self, pull: PullRequest) -> str:
        span = f"{pull.base_sha}...{pull.head_sha}?per_page=1"  # of the commits, which are not used
        try:
            found = self._lately_got(self._path(f"compare/{span}"))
        except Gone:  # GitHub forgets commits that no branch holds any more
            return pull.base_sha
        return str(found["merge_base_commit"]["sha"])

    @known_form()
    def pull_request_files(self, number: int) -> PullFiles:
        rows = self._connection.pages(self._path(f"pulls/{number}/files"))
        files = tuple(answers.pull_file(row) for row in rows)
        return PullFiles(files, complete=len(files) < FILES_LIMIT)

    @known_form()
    def content(self, path: str, ref: str | None = None) -> bytes | None:
        at = f"?{urlencode({'ref': ref})}" if ref else ""
        try:
            found = self._connection.get(self._path(f"contents/{quote(path)}{at}"))
        except Gone:
            return None
        if isinstance(found, list) or found["type"] != "file":
            return None
        if found["encoding"] != "base64":
            raise UserError(f"it is too large ({found['size']} bytes).", file=path)
        return base64.b64decode(found["content"])

    @known_form()
    def pull_requests_of_commit(self, sha: str) -> tuple[int, ...]:
        rows = self._connection.pages(self._path(f"commits/{quote(sha, safe='')}/pulls"))
        return tuple(row["number"] for row in rows)

    @known_form()
    def upsert_check_run(self, head_sha: str, check_run: CheckRun) -> int:
        body = _check_run_body(check_run)
        found = self._own_check_run(head_sha, check_run.name)
        if found is not None:
            path = self._path(f"check-runs/{found}")
            return int(self._connection.patch(path, body)["id"])
        answer = self._connection.post(self._path("check-runs"), {**body, "head_sha": head_sha})
        return int(answer["id"])

    def react(self, comment_id: int, reaction: Reaction) -> None:
        path = self._path(f"issues/comments/{comment_id}/reactions")
        self._connection.post(path, {"content": reaction.value})

    @known_form()
    def comment(self, number: int, body: str, *, key: str) -> int:
        mark = marker(key)
        text = {"body": f"{body}\n\n{mark}"}
        for row in self._connection.pages(self._path(f"issues/{number}/comments")):
            if self._is_ours(row) and mark in (row["body"] or ""):
                path = self._path(f"issues/comments/{row['id']}")
                return int(self._connection.patch(path, text)["id"])
        answer = self._connection.post(self._path(f"issues/{number}/comments"), text)
        return int(answer["id"])

    @known_form()
    def find_issue(self, key: str, us: Account) -> OwnIssue | None:
        return self._issues.find(key, us)

    @known_form()
    def own_issue(self, number: int, us: Account) -> OwnIssue | None:
        issues = self._issues
        try:
            return issues.own(number, us)
        except Gone:
            return None

    @known_form()
    def job_state(self, number: int) -> JobState | None:
        issues = self._issues
        try:
            return issues.state(number)
        except Gone:
            return None

    @known_form()
    def open_issue(self, title: str, body: str, *, key: str) -> OwnIssue:
        return self._issues.open(title, body, key)

    @known_form()
    def edit_issue(self, found: OwnIssue, wanted: OwnIssue) -> None:
        self._issues.edit(found, wanted)

    @known_form()
    def branch_rules(self, branch: str) -> tuple[BranchRule, ...]:
        if branch not in self._rules:
            path = self._path(f"rules/branches/{quote(branch, safe='')}")
            self._rules[branch] = rules.branch_rules(self._connection, path)
        return self._rules[branch]

    @known_form()
    def commit_on_branch(self, plan: Plan) -> Published:
        return CommitOnBranch(self._connection, self._repository).publish(plan)

    @known_form()
    def own_pull_requests(self, branch: str, us: Account) -> tuple[OwnPullRequest, ...]:
        return self._proposals.of_branch(branch, us.id)

    @known_form()
    def approved_at(self, number: int) -> datetime | None:
        return self._proposals.approved_at(number)

    @known_form()
    def propose(
        self, branch: str, base: str, title: str, body: str, *, draft: bool
    ) -> OwnPullRequest | None:
        return self._proposals.open(branch, base, title, body, draft=draft)

    def update_pull_request(self, number: int, **changes: str) -> None:
        self._proposals.update(number, changes)

    def mark_ready(self, pull: OwnPullRequest) -> None:
        self._proposals.mark_ready(pull)

    @property
    def _issues(self) -> Issues:
        return Issues(self._connection, self._path("issues"))

    @property
    def _proposals(self) -> Proposals:
        return Proposals(self._connection, self._repository)

    @cached_property
    @known_form()
    def _repository(self) -> Repository:
        return answers.repository(self._lately_got(f"/repos/{quote(self._asked)}"))

    @cached_property
    def _jobs(self) -> Jobs:
        return Jobs(self._connection, self._repository, self._path("").rstrip("/"))

    def _lately_got(self, path: str) -> Any:
        if self._lately is None:
            return self._connection.get(path)
        return self._lately.ask(path, lambda: self._connection.get(path))

    def _path(self, rest: str) -> str:
        return f"/repos/{quote(self._repository.full_name)}/{rest}"

    def _timeline(self, number: int, pull: PullRequest) -> Timeline:
        events = self._connection.pages(self._path(f"issues/{number}/timeline"))
        return timeline(events, pull.merged_at)

    def _comments_by_review(self, number: int) -> dict[int | None, tuple[InlineComment, ...]]:
        # One list for the pull request instead of one per review: each comment names its review.
        grouped: defaultdict[int | None, tuple[InlineComment, ...]] = defaultdict(tuple)
        for row in self._connection.pages(self._path(f"pulls/{number}/comments")):
            grouped[row["pull_request_review_id"]] += (answers.inline_comment(row),)
        return grouped

    def _permissions(self, pull: PullRequest, reviews: tuple[Review, ...]) -> dict[str, Permission]:
        people: dict[str, Account] = {
            account.login.lower(): account
            for account in (pull.author, pull.merged_by, *(review.author for review in reviews))
            if account is not None
        }
        return {
            login: self.permission(login) if account.kind == "User" else Permission.NONE
            for login, account in people.items()
        }

    def _own_check_run(self, head_sha: str, name: str) -> int | None:
        path = self._path(f"commits/{quote(head_sha, safe='')}/check-runs")
        runs = self._connection.pages(path, item="check_runs", check_name=name)
        return next((run["id"] for run in runs if self._is_of_app(run["app"])), None)

    def _is_ours(self, comment: dict[str, Any]) -> bool:
        return self._is_of_app(comment.get("performed_via_github_app"))

    def _is_of_app(self, app: dict[str, Any] | None) -> bool:
        return app is not None and app["id"] == self._app_id


def _as_given(review: Review, told: Conversation, events: Timeline) -> Review:
    """The review with the verdict it was given with, and when it was dismissed and last edited."""
    dismissal = events.dismissals.get(review.id)
    if dismissal is not None:
        review = replace(review, state=dismissal.verdict, dismissed_at=dismissal.at)
    return replace(review, edited_at=told.edited_at.get(review.id))


def _check_run_body(check_run: CheckRun) -> dict[str, object]:
    output = {"title": check_run.title, "summary": check_run.summary}
    if check_run.text:
        output["text"] = check_run.text
    return {
        "name": check_run.name,
        "external_id": check_run.external_id,
        "status": "completed",  # buttons are shown on a completed run only
        "conclusion": check_run.conclusion,
        "output": output,
        "actions": [
            {"label": a.label, "description": a.description, "identifier": a.identifier}
            for a in check_run.actions
        ],
    }
