"""The REST endpoints about pull requests."""

from __future__ import annotations

from bot.sandbox import payloads
from bot.sandbox.rest import Answer, Call, Endpoint, Listing, Refusal, invalid, text_of


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
        raise invalid(f"{sorted(unknown)} are no parameters")
    pull = call.pull(number)
    pull.title, pull.body = call.body.get("title", pull.title), call.body.get("body", pull.body)
    if call.body.get("base", pull.base) != pull.base:
        pull.retarget(call.forge.app_account.login, call.body["base"])
    if call.body.get("state") == "closed" and pull.closed_at is None:
        pull.close(call.forge.app_account.login)
    return payloads.whole_pull_request(pull)


def pull_request(call: Call, number: int) -> Answer:
    return payloads.whole_pull_request(call.pull(number))


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


def pull_commits(call: Call, number: int) -> Answer:
    bare = call.repository.bare
    found = [commit for sha in call.pull(number).commits for commit in bare.commits("-1", sha)]
    return Listing([payloads.commit(call.repository, commit) for commit in found])


ENDPOINTS = (
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
    Endpoint("GET", "/pulls/<int:number>/commits", "pull_requests", pull_commits),
)
