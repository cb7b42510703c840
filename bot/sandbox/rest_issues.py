"""The REST endpoints about issues; comments and the timeline of pull requests are among them."""

from __future__ import annotations

from bot.sandbox import payloads, records
from bot.sandbox.rest import Answer, Call, Endpoint, Listing, Refusal, text_of

REACTIONS = {"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}


def issues(call: Call) -> Answer:
    """Newest first, pull requests among them, as on GitHub."""
    here = call.repository
    state, creator = call.query.get("state", "open"), call.query.get("creator")
    found = [payloads.issue(here, issue) for issue in here.issues.values()]
    for pull in here.pulls.values():
        json = payloads.pull_request(pull)
        found.append({**json, "pull_request": {"url": json["url"]}})
    shown = [
        json
        for json in found
        if state in ("all", json["state"]) and creator in (None, json["user"]["login"])
    ]
    return Listing(sorted(shown, key=lambda json: -json["number"]))


def open_issue(call: Call) -> Answer:
    login, body = call.forge.app_account.login, call.body.get("body") or ""
    title = text_of(call.body, "title")
    made = call.repository.open_issue(login, title, body, app=call.forge.app_id)
    return payloads.issue(call.repository, made)


def update_issue(call: Call, number: int) -> Answer:
    here, login = call.repository, call.forge.app_account.login
    found = _issue(call, number)
    if {"title", "body"} & set(call.body):
        title, body = call.body.get("title", ""), call.body.get("body")
        here.edit_issue(number, login, title=title, body=body)
    if call.body.get("state") == "closed" and found.closed_at is None:
        here.close_issue(number, login)
    if call.body.get("state") == "open" and found.closed_at is not None:
        here.reopen_issue(number, login)
    return payloads.issue(here, found)


def issue(call: Call, number: int) -> Answer:
    """An issue, or a pull request as one."""
    pull = call.repository.pulls.get(number)
    if pull is None:
        return payloads.issue(call.repository, _issue(call, number))
    json = payloads.pull_request(pull)
    return {**json, "pull_request": {"url": json["url"]}}


def timeline(call: Call, number: int) -> Answer:
    pull = call.pull(number)
    # Commits are events too, without an actor or a time of the event.
    commits = [{"event": "committed", "sha": sha, "node_id": f"C_{sha}"} for sha in pull.commits]
    return Listing([*commits, *(payloads.timeline_event(event) for event in pull.timeline)])


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


def _issue(call: Call, number: int) -> records.Issue:
    try:
        return call.repository.issues[number]
    except KeyError:
        raise Refusal(404, "Not Found") from None


def _comment(call: Call, comment: int) -> records.Comment:
    try:
        return call.repository.comments[comment]
    except KeyError:
        raise Refusal(404, "Not Found") from None


ENDPOINTS = (
    Endpoint("GET", "/issues/<int:number>/timeline", "issues", timeline),
    Endpoint("GET", "/issues/<int:number>/comments", "issues", issue_comments),
    Endpoint("POST", "/issues/<int:number>/comments", "issues", create_comment, 201),
    Endpoint("PATCH", "/issues/comments/<int:comment>", "issues", update_comment),
    Endpoint("POST", "/issues/comments/<int:comment>/reactions", "issues", react, 201),
    Endpoint("GET", "/issues", "issues", issues, query=frozenset({"state", "creator"})),
    Endpoint("POST", "/issues", "issues", open_issue, 201),
    Endpoint("GET", "/issues/<int:number>", "issues", issue),
    Endpoint("PATCH", "/issues/<int:number>", "issues", update_issue),
)
