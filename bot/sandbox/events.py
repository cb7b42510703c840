"""The webhooks that GitHub sends after an act, queued in order. Shapes are GitHub's examples'."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bot.sandbox import payloads, records
from bot.sandbox.bare import EMPTY

if TYPE_CHECKING:
    from bot.sandbox.forge import SandboxForge
    from bot.sandbox.pull_request import SandboxPullRequest
    from bot.sandbox.repository import SandboxRepository


def pull_request(pull: SandboxPullRequest, action: str, by: str, **more: object) -> None:
    payload = {
        "action": action,
        "number": pull.number,
        "pull_request": payloads.whole_pull_request(pull),
        **more,
    }
    _emit(pull.repository, "pull_request", payload, by)


def review(pull: SandboxPullRequest, action: str, found: records.Review, by: str) -> None:
    json = payloads.review(pull, found)
    payload = {
        "action": action,
        # Lower case here, upper case in REST; an empty body is null here.
        "review": {**json, "state": found.state.lower(), "body": found.body or None},
        "pull_request": payloads.pull_request(pull),
    }
    _emit(pull.repository, "pull_request_review", payload, by)


def inline_comment(
    pull: SandboxPullRequest, action: str, found: records.InlineComment, by: str
) -> None:
    payload = {
        "action": action,
        "comment": payloads.inline_comment(pull, found),
        "pull_request": payloads.pull_request(pull),
    }
    _emit(pull.repository, "pull_request_review_comment", payload, by)


def thread(pull: SandboxPullRequest, action: str, found: records.Thread, by: str) -> None:
    comments = [payloads.inline_comment(pull, pull.comments[c]) for c in found.comments]
    payload = {
        "action": action,
        "thread": {"node_id": f"PRRT_{found.id}", "comments": comments},
        "pull_request": payloads.pull_request(pull),
    }
    _emit(pull.repository, "pull_request_review_thread", payload, by)


def issue(
    repository: SandboxRepository, action: str, found: records.Issue, by: str, **more: object
) -> None:
    payload = {"action": action, "issue": payloads.issue(repository, found), **more}
    _emit(repository, "issues", payload, by)


def issue_comment(repository: SandboxRepository, action: str, found: records.Comment) -> None:
    url = f"{payloads.api(repository)}/issues/{found.number}"
    issue: dict[str, object] = {"url": url, "number": found.number, "state": "open"}
    pull = repository.pulls.get(found.number)
    if pull is not None:
        json = payloads.pull_request(pull)
        issue |= {key: json[key] for key in ("title", "user", "state", "body", "labels")}
        issue["pull_request"] = {"url": json["url"], "html_url": json["html_url"]}
    elif found.number in repository.issues:
        issue = payloads.issue(repository, repository.issues[found.number])
    payload = {
        "action": action,
        "issue": issue,
        "comment": payloads.issue_comment(repository, found),
    }
    _emit(repository, "issue_comment", payload, found.user.login)


def requested_action(
    repository: SandboxRepository, found: records.CheckRun, identifier: str, by: str
) -> None:
    payload = {
        "action": "requested_action",
        "check_run": payloads.check_run(repository, found),
        "requested_action": {"identifier": identifier},
    }
    _emit(repository, "check_run", payload, by)


def check_run(repository: SandboxRepository, action: str, found: records.CheckRun) -> None:
    payload = {"action": action, "check_run": payloads.check_run(repository, found)}
    _emit(repository, "check_run", payload, repository.owner)


def workflow_run(repository: SandboxRepository, suite: records.CheckSuite, conclusion: str) -> None:
    run = {
        "id": suite.id,
        "name": suite.workflow,
        "head_branch": suite.branch,
        "head_sha": suite.head_sha,
        "event": "push" if suite.branch == repository.default_branch else "pull_request",
        "status": "completed",
        "conclusion": conclusion,
        "check_suite_id": suite.id,
        "pull_requests": payloads.checked_pull_requests(repository, suite),
    }
    payload = {"action": "completed", "workflow_run": run}
    _emit(repository, "workflow_run", payload, repository.owner)


def push(repository: SandboxRepository, branch: str, before: str, after: str, by: str) -> None:
    created = before == EMPTY
    new = repository.bare.commits(after if created else f"{before}..{after}")
    commits = [payloads.pushed_commit(repository, commit) for commit in new]
    account = repository.forge.account(by)
    payload = {
        "ref": f"refs/heads/{branch}",
        "before": before,
        "after": after,
        "created": created,
        "deleted": False,
        "forced": not created and repository.bare.merge_base(before, after) != before,
        "base_ref": None,
        "compare": f"{payloads.page(repository)}/compare/{before[:12]}...{after[:12]}",
        "commits": commits,
        "head_commit": commits[-1] if commits else None,
        "pusher": {"name": account.login, "email": f"{account.login}@users.noreply.github.com"},
    }
    _emit(repository, "push", payload, by)


def repository(found: SandboxRepository, action: str, **more: object) -> None:
    _emit(found, "repository", {"action": action, **more}, found.owner)


def installation(forge: SandboxForge, action: str, found: records.Installation) -> None:
    payload = {
        "action": action,
        "installation": payloads.installation(forge, found),
        "repositories": [
            {"id": r.id, "name": r.name, "full_name": r.full_name, "private": r.private}
            for r in forge.repositories.values()
            if r.installation is found
        ],
        "sender": payloads.user(found.account),
    }
    forge.emit("installation", payload)


def installation_repositories(
    forge: SandboxForge, action: str, found: records.Installation, changed: SandboxRepository
) -> None:
    names = {"id": changed.id, "name": changed.name, "full_name": changed.full_name}
    payload = {
        "action": action,
        "installation": payloads.installation(forge, found),
        "repository_selection": "selected",
        "repositories_added": [],
        "repositories_removed": [],
        f"repositories_{action}": [{**names, "private": changed.private}],
        "sender": payloads.user(found.account),
    }
    forge.emit("installation_repositories", payload)


def _emit(found: SandboxRepository, event: str, payload: Mapping[str, object], by: str) -> None:
    """Queued where the App is installed and not suspended: elsewhere GitHub tells it nothing."""
    at = found.installation
    if at is not None and at.suspended_at is None:
        common = {
            "repository": payloads.repository(found),
            "sender": payloads.user(found.forge.account(by)),
            "installation": {"id": at.id, "node_id": f"I_{at.id}"},
        }
        found.forge.emit(event, {**payload, **common})
