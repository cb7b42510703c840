"""GitHub's webhook payloads, translated once into events. No decisions: only which actions exist.

Field names are those of https://docs.github.com/webhooks/webhook-events-and-payloads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from webhooks.events import (
    CheckFinished,
    CheckPressed,
    CommentCreated,
    Event,
    Ignored,
    InstallationChanged,
    IssueChanged,
    Malformed,
    Origin,
    PullRequestChanged,
    Pushed,
    RepositoryChanged,
    ReviewChanged,
    ReviewCommentChanged,
    ThreadChanged,
    WorkflowFinished,
)
from webhooks.payload import Fields, WrongShape

Parsed = Event | Ignored

MERGE_QUEUE = "gh-readonly-queue/"  # branches that GitHub makes for itself
OURS = (".agent-corp/", ".github/lessonkeeper.yml")
COMMITS_LISTED, FILES_LISTED = 2048, 3000  # in a push, and of one of its commits


def parse(name: str, payload: Mapping[str, object], guid: str) -> Parsed | Malformed:
    """The event of a delivery; `name` is X-GitHub-Event. Never raises, whatever the payload."""
    if name == "ping":
        return Ignored("the webhook works")
    known = _EVENTS.get(name)
    if known is None:
        return Ignored("no channel handles this event")
    translate, actions = known
    fields = Fields(payload)
    try:
        if actions and fields.text("action") not in actions:
            return Ignored("no channel handles this action")
        return translate(fields, guid)
    except WrongShape as error:
        return Malformed(str(error))


def action_of(payload: Mapping[str, object]) -> str | None:
    """The payload's action, for the record; None for events that have none."""
    action = payload.get("action")
    return action if isinstance(action, str) else None


def _origin(fields: Fields, guid: str) -> Origin:
    installation = fields.object_or_none("installation")
    return Origin(
        guid=guid,
        repository=fields.object("repository").repository(),
        installation=None if installation is None else installation.id("id"),
        sender=fields.account_or_none("sender"),
    )


def _review(fields: Fields, guid: str) -> Parsed:
    return ReviewChanged(
        _origin(fields, guid),
        pull_request=fields.object("pull_request").id("number"),
        review=fields.object("review").id("id"),
        action=fields.text("action"),
    )


def _review_comment(fields: Fields, guid: str) -> Parsed:
    return ReviewCommentChanged(
        _origin(fields, guid),
        pull_request=fields.object("pull_request").id("number"),
        review=fields.object("comment").id_or_none("pull_request_review_id"),
        action=fields.text("action"),
    )


def _thread(fields: Fields, guid: str) -> Parsed:
    return ThreadChanged(
        _origin(fields, guid),
        pull_request=fields.object("pull_request").id("number"),
        action=fields.text("action"),
    )


def _pull_request(fields: Fields, guid: str) -> Parsed:
    pull_request = fields.object("pull_request")
    return PullRequestChanged(
        _origin(fields, guid),
        number=pull_request.id("number"),
        action=fields.text("action"),
        merged=pull_request.flag("merged"),
        head_sha=pull_request.object("head").text("sha"),
    )


def _push(fields: Fields, guid: str) -> Parsed:
    ref = fields.text("ref")
    branch = ref.removeprefix("refs/heads/")
    if branch == ref:
        return Ignored("not a push to a branch")
    if branch.startswith(MERGE_QUEUE):
        return Ignored("a branch of the merge queue")
    return Pushed(
        _origin(fields, guid),
        ref=ref,
        branch=branch,
        before=fields.text("before"),
        after=fields.text("after"),
        deleted=fields.flag("deleted"),
        touches_us=_listed(fields, ("added", "removed", "modified"), OURS),
        removes=_listed(fields, ("removed",), ("",)),
    )


def _listed(fields: Fields, keys: tuple[str, ...], prefixes: tuple[str, ...]) -> bool:
    """Whether a path that begins so is among these, or may be: GitHub does not list everything."""
    commits = fields.objects("commits")
    # What a forced push took away is not listed.
    if fields.flag("forced") or not 0 < len(commits) < COMMITS_LISTED:
        return True
    for commit in commits:
        for key in keys:
            paths = commit.texts(key)
            if len(paths) >= FILES_LISTED or any(path.startswith(prefixes) for path in paths):
                return True
    return False


def _comment(fields: Fields, guid: str) -> Parsed:
    issue, comment = fields.object("issue"), fields.object("comment")
    return CommentCreated(
        _origin(fields, guid),
        number=issue.id("number"),
        is_pull_request=issue.object_or_none("pull_request") is not None,
        comment=comment.id("id"),
        body=comment.text_or_none("body") or "",
        author=comment.account("user"),
        at=comment.time("created_at"),
    )


def _check_run(fields: Fields, guid: str) -> Parsed:
    check_run = fields.object("check_run")
    app = check_run.object_or_none("app")
    app_id = None if app is None else app.id("id")
    if fields.text("action") == "requested_action":
        return CheckPressed(
            _origin(fields, guid),
            check_run=check_run.id("id"),
            external_id=check_run.text_or_none("external_id") or "",
            identifier=fields.object("requested_action").text("identifier"),
            head_sha=check_run.text("head_sha"),
            app=app_id,
        )
    return CheckFinished(
        _origin(fields, guid),
        check_run=check_run.id("id"),
        app=app_id,
        head_sha=check_run.text("head_sha"),
        name=check_run.text("name"),
        conclusion=check_run.text_or_none("conclusion"),
        pull_requests=_pull_requests(check_run),
    )


def _workflow_run(fields: Fields, guid: str) -> Parsed:
    run = fields.object("workflow_run")
    return WorkflowFinished(
        _origin(fields, guid),
        run=run.id("id"),
        name=run.text_or_none("name") or "",
        head_sha=run.text("head_sha"),
        trigger=run.text("event"),
        conclusion=run.text_or_none("conclusion"),
        pull_requests=_pull_requests(run),
    )


def _pull_requests(fields: Fields) -> tuple[int, ...]:
    return tuple(pull_request.id("number") for pull_request in fields.objects("pull_requests"))


def _issue(fields: Fields, guid: str) -> Parsed:
    issue = fields.object("issue")
    changes = fields.object_or_none("changes")
    before = changes.object_or_none("body") if changes is not None else None
    return IssueChanged(
        _origin(fields, guid),
        number=issue.id("number"),
        action=fields.text("action"),
        body=issue.text_or_none("body") or "",
        body_before=(before.text_or_none("from") or "") if before is not None else None,
    )


def _installation(fields: Fields, guid: str) -> Parsed:
    installation = fields.object("installation")
    changed = [
        repository
        for key in ("repositories", "repositories_added", "repositories_removed")
        for repository in fields.objects(key)
    ]
    return InstallationChanged(
        guid=guid,
        installation=installation.id("id"),
        account=installation.account("account"),
        sender=fields.account_or_none("sender"),
        action=fields.text("action"),
        repositories=tuple(repository.repository() for repository in changed),
    )


def _repository(fields: Fields, guid: str) -> Parsed:
    return RepositoryChanged(_origin(fields, guid), fields.text("action"))


_Translate = Callable[[Fields, str], Parsed]

# Event, and the actions of it that anything may act on; none where the event has no actions.
_EVENTS: Mapping[str, tuple[_Translate, frozenset[str]]] = {
    "pull_request_review": (_review, frozenset({"submitted", "edited", "dismissed"})),
    "pull_request_review_comment": (_review_comment, frozenset({"created", "edited", "deleted"})),
    "pull_request_review_thread": (_thread, frozenset({"resolved", "unresolved"})),
    "pull_request": (
        _pull_request,
        frozenset({"opened", "edited", "reopened", "closed", "synchronize", "ready_for_review"})
        | {"labeled", "unlabeled", "enqueued", "dequeued"}
        | {"auto_merge_enabled", "auto_merge_disabled"},
    ),
    "push": (_push, frozenset()),
    "issue_comment": (_comment, frozenset({"created"})),
    "check_run": (_check_run, frozenset({"completed", "requested_action"})),
    "workflow_run": (_workflow_run, frozenset({"completed"})),
    "issues": (_issue, frozenset({"opened", "edited", "closed", "reopened", "deleted"})),
    "installation": (
        _installation,
        frozenset({"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"}),
    ),
    "installation_repositories": (_installation, frozenset({"added", "removed"})),
    "repository": (
        _repository,
        frozenset({"renamed", "transferred", "archived", "unarchived", "privatized"})
        | {"publicized", "edited", "deleted"},
    ),
}
EVENTS = frozenset(_EVENTS)
