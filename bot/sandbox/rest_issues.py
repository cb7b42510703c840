"""The REST endpoints about issues; they belong to ENDPOINTS."""

from __future__ import annotations

from bot.sandbox import payloads, records
from bot.sandbox.rest import Answer, Call, Endpoint, Listing, Refusal, text_of


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


def _issue(call: Call, number: int) -> records.Issue:
    try:
        return call.repository.issues[number]
    except KeyError:
        raise Refusal(404, "Not Found") from None


ENDPOINTS = (
    Endpoint("GET", "/issues", "issues", issues, query=frozenset({"state", "creator"})),
    Endpoint("POST", "/issues", "issues", open_issue, 201),
    Endpoint("GET", "/issues/<int:number>", "issues", issue),
    Endpoint("PATCH", "/issues/<int:number>", "issues", update_issue),
)
