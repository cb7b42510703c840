"""The REST endpoints that the sandbox answers, below one repository; no other exists.

A handler takes the Call and the numbers of its path; who may call is settled before it runs.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.facts import Permission
from bot.sandbox import payloads, records
from bot.sandbox.forge import SandboxForge
from bot.sandbox.pull_request import SandboxPullRequest
from bot.sandbox.repository import SandboxRepository

Json = dict[str, Any]
REACTIONS = {"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}
LIMITS = {"label": 20, "description": 40, "identifier": 20}
TEXT_LIMIT = 65_535


class Refusal(Exception):  # noqa: N818 - GitHub refuses
    """An answer of 4xx in GitHub's form."""

    def __init__(self, status: int, message: str, **more: object) -> None:
        super().__init__(message)
        self.status = status
        self.json = {
            "message": message,
            "documentation_url": "https://docs.github.com/rest",
            "status": str(status),
            **more,
        }


@dataclass(frozen=True, slots=True)
class Listing:
    """A list that is paged; `key` names it inside a wrapping object."""

    items: Sequence[Json]
    key: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """One authorised request. `query` holds all parameters but those of paging."""

    forge: SandboxForge
    repository: SandboxRepository
    body: Json = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)

    def pull(self, number: int) -> SandboxPullRequest:
        try:
            return self.repository.pulls[number]
        except KeyError:
            raise Refusal(404, "Not Found") from None


Answer = Json | Listing


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`permission` is the App's, read for GET, otherwise write; `query` what may be asked.

    `public`: of a public repository anyone may ask it, installed there or not.
    """

    method: str
    rule: str
    permission: str
    handler: Callable[..., Answer]
    status: int = 200
    query: frozenset[str] = frozenset()
    public: bool = False


def repository(call: Call) -> Answer:
    return payloads.repository(call.repository)


def pull_request(call: Call, number: int) -> Answer:
    return payloads.whole_pull_request(call.pull(number))


def pull_requests(call: Call) -> Answer:
    """Newest first where `direction` says so; GitHub's default sort, by creation."""
    call.repository.notice_pushes_of_the_app()
    state, head = call.query.get("state", "open"), call.query.get("head")
    found = [
        payloads.pull_request(pull)
        for pull in call.repository.pulls.values()
        if state in ("all", "closed" if pull.closed_at else "open")
    ]
    shown = [json for json in found if head in (None, json["head"]["label"])]
    return Listing(shown[::-1] if call.query.get("direction", "desc") == "desc" else shown)


def open_pull_request(call: Call) -> Answer:
    head, base = text_of(call.body, "head"), text_of(call.body, "base")
    here = call.repository
    for name in (head, base):
        if here.bare.sha(f"refs/heads/{name}") is None:
            raise Refusal(422, "Validation Failed", errors=[{"field": name, "code": "invalid"}])
    if any(p.head == head and p.base == base and not p.closed_at for p in here.pulls.values()):
        said = f"A pull request already exists for {here.owner}:{head}."
        raise Refusal(422, "Validation Failed", errors=[{"message": said, "code": "custom"}])
    if not here.bare.commits(f"{here.tip(base)}..{here.tip(head)}"):
        said = f"No commits between {base} and {head}"
        raise Refusal(422, "Validation Failed", errors=[{"message": said, "code": "custom"}])
    login = call.forge.app_account.login
    title, body = text_of(call.body, "title"), call.body.get("body") or ""
    draft = bool(call.body.get("draft", False))
    return payloads.whole_pull_request(here.propose(login, head, base, title, body, draft=draft))


def update_pull_request(call: Call, number: int) -> Answer:
    unknown = set(call.body) - {"title", "body", "state", "base"}
    if unknown:
        raise _invalid(f"{sorted(unknown)} are no parameters")
    pull = call.pull(number)
    pull.title, pull.body = call.body.get("title", pull.title), call.body.get("body", pull.body)
    if call.body.get("base", pull.base) != pull.base:
        pull.retarget(call.forge.app_account.login, call.body["base"])
    if call.body.get("state") == "closed" and pull.closed_at is None:
        pull.close(call.forge.app_account.login)
    return payloads.whole_pull_request(pull)


def commits(call: Call) -> Answer:
    """Of a branch, newest first."""
    branch = call.query.get("sha", call.repository.default_branch)
    if call.repository.bare.sha(f"refs/heads/{branch}") is None:
        raise Refusal(404, "Not Found")
    found = call.repository.bare.commits(f"refs/heads/{branch}")
    return Listing([payloads.commit(call.repository, one) for one in reversed(found)])


def rules_of_branch(call: Call, branch: str) -> Answer:
    return Listing(
        [
            payloads.rule(call.repository, rule)
            for rule in call.repository.rules
            if rule.covers(branch) and not rule.classic
        ]
    )


def reviews(call: Call, number: int) -> Answer:
    pull = call.pull(number)
    return Listing([payloads.review(pull, review) for review in pull.reviews.values()])


def inline_comments(call: Call, number: int) -> Answer:
    pull = call.pull(number)
    return Listing([payloads.inline_comment(pull, comment) for comment in pull.comments.values()])


def files(call: Call, number: int) -> Answer:
    pull = call.pull(number)
    changes = call.repository.bare.changes(pull.base_sha, pull.head_sha, renames=True)
    return Listing([payloads.file(change) for change in changes])


def timeline(call: Call, number: int) -> Answer:
    pull = call.pull(number)
    # Commits are events too, without an actor or a time of the event.
    commits = [{"event": "committed", "sha": sha, "node_id": f"C_{sha}"} for sha in pull.commits]
    return Listing([*commits, *(payloads.timeline_event(event) for event in pull.timeline)])


def permission(call: Call, login: str) -> Answer:
    account = call.forge.accounts.get(login.lower())
    if account is None:
        raise Refusal(404, f"{login} is not a user")
    everyone = Permission.NONE if call.repository.private else Permission.READ
    found = call.repository.permissions.get(login.lower(), everyone)
    if account.kind == "Bot":
        found = Permission.NONE
    user = payloads.user(account)
    return {"permission": found.value, "role_name": found.value, "user": user}


def pulls_of_commit(call: Call, sha: str) -> Answer:
    if call.repository.bare.sha(sha) is None:
        raise Refusal(422, f"No commit found for SHA: {sha}")
    pulls = call.repository.pulls.values()
    found = [pull for pull in pulls if sha in (*pull.commits, pull.merge_commit_sha)]
    return Listing([payloads.pull_request(pull) for pull in found])


def issue_comments(call: Call, number: int) -> Answer:
    found = [c for c in call.repository.comments.values() if c.number == number]
    return Listing([payloads.issue_comment(call.repository, comment) for comment in found])


def create_comment(call: Call, number: int) -> Answer:
    if number not in call.repository.issues:
        call.pull(number)
    body = text_of(call.body, "body")
    login = call.forge.app_account.login
    made = call.repository.comment(number, login, body, app=call.forge.app_id)
    return payloads.issue_comment(call.repository, call.repository.comments[made])


def update_comment(call: Call, comment: int) -> Answer:
    found = _comment(call, comment)
    if found.app != call.forge.app_id:
        raise Refusal(403, "Resource not accessible by integration")
    call.repository.edit_comment(comment, text_of(call.body, "body"))
    return payloads.issue_comment(call.repository, found)


def react(call: Call, comment: int) -> Answer:
    content = call.body.get("content")
    if content not in REACTIONS:
        raise Refusal(422, "Validation Failed", errors=[{"field": "content", "code": "invalid"}])
    found = _comment(call, comment)
    user = call.forge.app_account
    found.reactions.add((user.id, content))
    return {"id": comment, "content": content, "user": payloads.user(user)}


def contents(call: Call, path: str) -> Answer:
    tip = call.repository.bare.sha(call.query.get("ref", call.repository.default_branch))
    if tip is None or path not in call.repository.bare.paths(tip):
        raise Refusal(404, "Not Found")
    data = call.repository.bare.read(tip, path)
    return {
        "type": "file",
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": tip,
        "size": len(data),
        "encoding": "base64",
        "content": base64.encodebytes(data).decode(),
    }


def check_runs_of_commit(call: Call, sha: str) -> Answer:
    name = call.query.get("check_name")
    runs = [
        payloads.check_run(call.repository, run)
        for run in call.repository.check_runs.values()
        if run.head_sha == sha and name in (None, run.name)
    ]
    return Listing(runs, "check_runs")


def create_check_run(call: Call) -> Answer:
    sha = text_of(call.body, "head_sha")
    if call.repository.bare.sha(sha) is None:
        raise Refusal(422, f"No commit found for SHA: {sha}")
    run = records.CheckRun(
        id=call.forge.next_id(),
        name=text_of(call.body, "name"),
        head_sha=sha,
        app=call.forge.app_id,
        started_at=call.forge.clock(),
    )
    _fill(call, run)
    call.repository.check_runs[run.id] = run
    return payloads.check_run(call.repository, run)


def update_check_run(call: Call, check_run: int) -> Answer:
    run = call.repository.check_runs.get(check_run)
    if run is None:
        raise Refusal(404, "Not Found")
    if run.app != call.forge.app_id:
        raise Refusal(
            403, f"Invalid app_id `{run.app}` - check run can only be modified by its App"
        )
    _fill(call, run)
    return payloads.check_run(call.repository, run)


def _fill(call: Call, run: records.CheckRun) -> None:
    body = call.body
    output = body.get("output") or {}
    for name in ("summary", "text"):
        if len(output.get(name) or "") > TEXT_LIMIT:
            raise _invalid(f"{name} exceeds a maximum bytesize of {TEXT_LIMIT}")
    if "actions" in body:
        run.actions = _actions(body["actions"])
    run.name = body.get("name", run.name)
    run.external_id = body.get("external_id", run.external_id)
    run.conclusion = body.get("conclusion", run.conclusion)
    run.status = "completed" if run.conclusion else body.get("status", run.status)
    if run.status == "completed":
        if run.conclusion is None:
            raise _invalid("a completed check run needs a conclusion")
        run.completed_at = call.forge.clock()
    run.title = output.get("title", run.title)
    run.summary = output.get("summary", run.summary)
    run.text = output.get("text", None if output else run.text)


def _actions(given: list[dict[str, str]]) -> tuple[records.Action, ...]:
    if len(given) > 3:
        raise _invalid("Only 3 actions are allowed")
    for action in given:
        for name, limit in LIMITS.items():
            if not 0 < len(action.get(name, "")) <= limit:
                raise _invalid(f"{name} of an action takes 1 to {limit} characters")
    return tuple(records.Action(a["label"], a["description"], a["identifier"]) for a in given)


def _comment(call: Call, comment: int) -> records.Comment:
    try:
        return call.repository.comments[comment]
    except KeyError:
        raise Refusal(404, "Not Found") from None


def text_of(body: Json, name: str) -> str:
    """A text that a body has to have. Raises Refusal."""
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise _invalid(f"{name} wasn't supplied")
    return value


def _invalid(message: str) -> Refusal:
    return Refusal(422, f"Invalid request.\n\n{message}.")


ENDPOINTS = (
    Endpoint("GET", "", "metadata", repository, public=True),
    Endpoint("GET", "/collaborators/<login>/permission", "metadata", permission),
    Endpoint("GET", "/rules/branches/<path:branch>", "metadata", rules_of_branch),
    Endpoint("GET", "/commits", "contents", commits, query=frozenset({"sha"})),
    Endpoint(
        "GET",
        "/pulls",
        "pull_requests",
        pull_requests,
        query=frozenset({"head", "state", "sort", "direction"}),
    ),
    Endpoint("POST", "/pulls", "pull_requests", open_pull_request, 201),
    Endpoint("PATCH", "/pulls/<int:number>", "pull_requests", update_pull_request),
    Endpoint("GET", "/pulls/<int:number>", "pull_requests", pull_request),
    Endpoint("GET", "/pulls/<int:number>/reviews", "pull_requests", reviews),
    Endpoint("GET", "/pulls/<int:number>/comments", "pull_requests", inline_comments),
    Endpoint("GET", "/pulls/<int:number>/files", "pull_requests", files),
    Endpoint("GET", "/issues/<int:number>/timeline", "issues", timeline),
    Endpoint("GET", "/issues/<int:number>/comments", "issues", issue_comments),
    Endpoint("POST", "/issues/<int:number>/comments", "issues", create_comment, 201),
    Endpoint("PATCH", "/issues/comments/<int:comment>", "issues", update_comment),
    Endpoint("POST", "/issues/comments/<int:comment>/reactions", "issues", react, 201),
    Endpoint(
        "GET", "/contents/<path:path>", "contents", contents, query=frozenset({"ref"}), public=True
    ),
    Endpoint("GET", "/commits/<sha>/pulls", "contents", pulls_of_commit),
    Endpoint(
        "GET",
        "/commits/<sha>/check-runs",
        "checks",
        check_runs_of_commit,
        query=frozenset({"check_name"}),
    ),
    Endpoint("POST", "/check-runs", "checks", create_check_run, 201),
    Endpoint("PATCH", "/check-runs/<int:check_run>", "checks", update_check_run),
)
