"""The sandbox's records in the JSON of GitHub's REST answers: the keys that GitHub's description
requires as far as a bot may read them, with its types."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot.facts import Account
from bot.sandbox import records
from bot.sandbox.bare import Change, Commit
from bot.sandbox.rules import Rule

if TYPE_CHECKING:
    from bot.sandbox.forge import SandboxForge
    from bot.sandbox.pull_request import SandboxPullRequest
    from bot.sandbox.repository import SandboxRepository

Json = dict[str, Any]


def time(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def time_or_none(at: datetime | None) -> str | None:
    return time(at) if at else None


def user(account: Account) -> Json:
    return {
        "login": account.login,
        "id": account.id,
        "node_id": f"U_{account.id}",
        "type": account.kind,
        "site_admin": False,
    }


def app(forge: SandboxForge) -> Json:
    return {"id": forge.app_id, "slug": forge.app_slug, "name": "Lessonkeeper", "node_id": "A_1"}


def installation(forge: SandboxForge, found: records.Installation) -> Json:
    return {
        "id": found.id,
        "account": user(found.account),
        "app_id": forge.app_id,
        "app_slug": forge.app_slug,
        "target_id": found.account.id,
        "target_type": found.account.kind,
        "repository_selection": "all",
        "permissions": found.permissions,
        "events": [],
        "created_at": time(found.created_at),
        "updated_at": time(found.created_at),
        "suspended_at": time_or_none(found.suspended_at),
    }


def api(repository: SandboxRepository) -> str:
    return f"{repository.forge.url}/repos/{repository.full_name}"


def page(repository: SandboxRepository) -> str:
    return f"{repository.forge.url}/{repository.full_name}"


def repository(found: SandboxRepository) -> Json:
    return {
        "id": found.id,
        "node_id": f"R_{found.id}",
        "name": found.name,
        "full_name": found.full_name,
        "owner": user(found.forge.account(found.owner)),
        "private": found.private,
        "fork": found.fork,
        "archived": found.archived,
        "disabled": False,
        "default_branch": found.default_branch,
        "url": api(found),
        "html_url": page(found),
        "clone_url": found.forge.clone_url(found),
    }


def pull_request(pull: SandboxPullRequest) -> Json:
    found = pull.repository
    return {
        "url": f"{api(found)}/pulls/{pull.number}",
        "html_url": f"{page(found)}/pull/{pull.number}",
        "id": pull.id,
        "node_id": f"PR_{pull.id}",
        "number": pull.number,
        "state": "closed" if pull.closed_at else "open",
        "locked": False,
        "title": pull.title,
        "body": pull.body or None,
        "user": user(pull.user),
        "labels": [{"name": name} for name in pull.labels],
        "draft": pull.draft,
        "created_at": time(pull.created_at),
        "updated_at": time(pull.created_at),
        "closed_at": time_or_none(pull.closed_at),
        "merged_at": time_or_none(pull.merged_at),
        "merge_commit_sha": pull.merge_commit_sha,
        "author_association": found.association(pull.user.login),
        "head": _head(pull),
        "base": {
            "label": f"{found.owner}:{pull.base}",
            "ref": pull.base,
            "sha": pull.base_sha,
            "user": user(found.forge.account(found.owner)),
            "repo": repository(found),
        },
    }


def whole_pull_request(pull: SandboxPullRequest) -> Json:
    """With what GitHub tells of a single pull request only, not in lists or beside a review."""
    return {
        **pull_request(pull),
        "merged": pull.merged_at is not None,
        "merged_by": user(pull.merged_by) if pull.merged_by else None,
        "commits": len(pull.commits),
        "changed_files": len(pull.repository.bare.changes(pull.base_sha, pull.head_sha)),
    }


def _head(pull: SandboxPullRequest) -> Json:
    found = pull.repository
    owner = found.forge.account(found.owner) if pull.fork is None else pull.user
    repo: Json | None = repository(found)
    if pull.fork is not None:
        name = f"{pull.user.login}/{found.name}"
        fork = {"id": pull.fork, "full_name": name, "owner": user(owner), "fork": True}
        repo = {**repository(found), **fork} if pull.fork else None
    return {
        "label": f"{owner.login}:{pull.head}",
        "ref": pull.head,
        "sha": pull.head_sha,
        "user": user(owner),
        "repo": repo,
    }


def review(pull: SandboxPullRequest, found: records.Review) -> Json:
    return {
        "id": found.id,
        "node_id": f"PRR_{found.id}",
        "user": user(found.user),
        "body": found.body,
        "state": found.state,
        "submitted_at": time(found.submitted_at),
        "commit_id": found.commit,
        "html_url": f"{page(pull.repository)}/pull/{pull.number}#pullrequestreview-{found.id}",
        "pull_request_url": f"{api(pull.repository)}/pulls/{pull.number}",
        "author_association": pull.repository.association(found.user.login),
    }


def inline_comment(pull: SandboxPullRequest, found: records.InlineComment) -> Json:
    url = api(pull.repository)
    json = {
        "url": f"{url}/pulls/comments/{found.id}",
        "pull_request_review_id": found.review,
        "id": found.id,
        "node_id": f"PRRC_{found.id}",
        "diff_hunk": "@@ -1 +1 @@",
        "path": found.path,
        "position": found.line,
        "original_position": found.original_line,
        "commit_id": pull.head_sha if found.line else found.commit,
        "original_commit_id": found.commit,
        "user": user(found.user),
        "body": found.body,
        "created_at": time(found.created_at),
        "updated_at": time(found.created_at),
        "html_url": f"{page(pull.repository)}/pull/{pull.number}#discussion_r{found.id}",
        "pull_request_url": f"{url}/pulls/{pull.number}",
        "author_association": pull.repository.association(found.user.login),
        "line": found.line,
        "original_line": found.original_line,
        "side": "RIGHT",
        "subject_type": "line",
    }
    if found.in_reply_to is not None:  # GitHub leaves the key out otherwise
        json["in_reply_to_id"] = found.in_reply_to
    return json


def timeline_event(found: records.TimelineEvent) -> Json:
    json: Json = {
        "id": found.id,
        "node_id": f"TE_{found.id}",
        "event": found.event,
        "actor": user(found.actor),
        "created_at": time(found.created_at),
        "commit_id": None,
        "commit_url": None,
    }
    if found.dismissed is not None:
        review_id, state = found.dismissed
        json["dismissed_review"] = {
            "state": state,
            "review_id": review_id,
            "dismissal_message": "dismissed",
        }
    return json


def file(change: Change) -> Json:
    names = {"A": "added", "M": "modified", "D": "removed", "R": "renamed", "T": "changed"}
    json: Json = {
        "sha": change.blob,
        "filename": change.path,
        "status": names[change.status],
        "additions": change.added,
        "deletions": change.deleted,
        "changes": change.added + change.deleted,
    }
    if change.previous is not None:
        json["previous_filename"] = change.previous
    return json


def issue(found: SandboxRepository, issue: records.Issue) -> Json:
    ours = issue.app == found.forge.app_id
    return {
        "url": f"{api(found)}/issues/{issue.number}",
        "html_url": f"{page(found)}/issues/{issue.number}",
        "id": issue.id,
        "node_id": f"I_{issue.id}",
        "number": issue.number,
        "title": issue.title,
        "user": user(issue.user),
        "state": "closed" if issue.closed_at else "open",
        "state_reason": "completed" if issue.closed_at else None,
        "locked": False,
        "labels": [],
        "body": issue.body or None,
        "created_at": time(issue.created_at),
        "closed_at": time_or_none(issue.closed_at),
        "author_association": found.association(issue.user.login),
        "performed_via_github_app": app(found.forge) if ours else None,
    }


def issue_comment(found: SandboxRepository, comment: records.Comment) -> Json:
    ours = comment.app == found.forge.app_id
    return {
        "url": f"{api(found)}/issues/comments/{comment.id}",
        "html_url": f"{page(found)}/issues/{comment.number}#issuecomment-{comment.id}",
        "issue_url": f"{api(found)}/issues/{comment.number}",
        "id": comment.id,
        "node_id": f"IC_{comment.id}",
        "user": user(comment.user),
        "created_at": time(comment.created_at),
        "updated_at": time(comment.updated_at),
        "author_association": found.association(comment.user.login),
        "body": comment.body,
        "performed_via_github_app": app(found.forge) if ours else None,
    }


def check_run(found: SandboxRepository, run: records.CheckRun) -> Json:
    return {
        "id": run.id,
        "node_id": f"CR_{run.id}",
        "name": run.name,
        "head_sha": run.head_sha,
        "external_id": run.external_id,
        "url": f"{api(found)}/check-runs/{run.id}",
        "html_url": f"{page(found)}/runs/{run.id}",
        "details_url": f"{page(found)}/runs/{run.id}",
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": time(run.started_at),
        "completed_at": time_or_none(run.completed_at),
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": len(run.annotations),
            "annotations_url": f"{api(found)}/check-runs/{run.id}/annotations",
        },
        "check_suite": {"id": run.suite.id if run.suite else run.id},
        "app": app(found.forge) if run.app == found.forge.app_id else {"id": run.app},
        "pull_requests": checked_pull_requests(found, run.suite) if run.suite else [],
    }


def checked_pull_requests(found: SandboxRepository, suite: records.CheckSuite) -> list[Json]:
    """The open pull requests of the suite's branch; GitHub names none that came from a fork."""
    return [
        {
            "url": f"{api(found)}/pulls/{pull.number}",
            "id": pull.id,
            "number": pull.number,
            "head": {"ref": pull.head, "sha": pull.head_sha},
            "base": {"ref": pull.base, "sha": pull.base_sha},
        }
        for pull in found.pulls.values()
        if pull.fork is None and pull.closed_at is None and pull.head == suite.branch
    ]


def annotation(found: records.Annotation) -> Json:
    return {
        "path": found.path,
        "start_line": 1,
        "end_line": 1,
        "annotation_level": found.level,
        "title": found.title,
        "message": found.message,
        "raw_details": "",
    }


def commit(found: SandboxRepository, commit: Commit) -> Json:
    """A commit as comparisons and pull requests list it; `author` is null for a stranger's."""
    login = commit.email.partition("+")[2].removesuffix("@users.noreply.github.com")
    account = found.forge.accounts.get(login.lower())
    signature = {"name": commit.author, "email": commit.email, "date": time(commit.committed_at)}
    return {
        "sha": commit.sha,
        "node_id": f"C_{commit.sha}",
        "commit": {"message": commit.message, "author": signature, "committer": signature},
        "author": user(account) if account else None,
        "committer": user(account) if account else None,
        "parents": [{"sha": sha} for sha in commit.parents],
    }


def rule(found: SandboxRepository, rule: Rule) -> Json:
    json: Json = {
        "type": rule.type,
        "ruleset_id": rule.ruleset,
        "ruleset_source": found.full_name,
        "ruleset_source_type": "Repository",
    }
    return {**json, "parameters": dict(rule.parameters)} if rule.parameters else json


def pushed_commit(found: SandboxRepository, commit: Commit) -> Json:
    """A commit as a push carries it."""
    parent = commit.parents[0] if commit.parents else None
    changes = found.bare.changes(parent, commit.sha)
    person = {"name": commit.author, "email": commit.email, "username": commit.author}
    return {
        "id": commit.sha,
        "tree_id": commit.tree,
        "distinct": True,
        "message": commit.message,
        "timestamp": commit.committed_at.isoformat(),
        "url": f"{page(found)}/commit/{commit.sha}",
        "author": person,
        "committer": person,
        "added": [c.path for c in changes if c.status == "A"],
        "removed": [c.path for c in changes if c.status == "D"],
        "modified": [c.path for c in changes if c.status in "MT"],
    }
