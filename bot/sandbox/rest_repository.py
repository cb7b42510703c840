"""The REST endpoints about a repository, its branches, commits and files."""

from __future__ import annotations

import base64

from bot.facts import Permission
from bot.sandbox import payloads
from bot.sandbox.rest import Answer, Call, Endpoint, Listing, Refusal

COMMITS_LIMIT = 250  # without pages, GitHub compares no more
FILES_LIMIT = 300


def repository(call: Call) -> Answer:
    return payloads.repository(call.repository)


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


def rules_of_branch(call: Call, branch: str) -> Answer:
    return Listing(
        [
            payloads.rule(call.repository, rule)
            for rule in call.repository.rules
            if rule.covers(branch) and not rule.classic
        ]
    )


def commits(call: Call) -> Answer:
    """Of a branch, newest first."""
    branch = call.query.get("sha", call.repository.default_branch)
    if call.repository.bare.sha(f"refs/heads/{branch}") is None:
        raise Refusal(404, "Not Found")
    found = call.repository.bare.commits(f"refs/heads/{branch}")
    return Listing([payloads.commit(call.repository, one) for one in reversed(found)])


def pulls_of_commit(call: Call, sha: str) -> Answer:
    if call.repository.bare.sha(sha) is None:
        raise Refusal(422, f"No commit found for SHA: {sha}")
    pulls = call.repository.pulls.values()
    found = [pull for pull in pulls if sha in (*pull.commits, pull.merge_commit_sha)]
    return Listing([payloads.pull_request(pull) for pull in found])


def compare(call: Call, basehead: str) -> Answer:
    before, dots, after = basehead.partition("...")
    bare = call.repository.bare
    base = bare.common(before, after) if dots else None
    if base is None:
        raise Refusal(404, "Not Found")
    ahead = bare.commits(f"{before}..{after}") if base != after else []
    behind = bare.commits(f"{after}..{before}") if base != before else []
    status = {(True, True): "diverged", (True, False): "ahead", (False, True): "behind"}
    changes = bare.changes(base, after, renames=True)
    return {
        "status": status.get((bool(ahead), bool(behind)), "identical"),
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "merge_base_commit": payloads.commit(call.repository, bare.commits("-1", base)[0]),
        "commits": [payloads.commit(call.repository, found) for found in ahead[:COMMITS_LIMIT]],
        "files": [payloads.file(change) for change in changes[:FILES_LIMIT]],
    }


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


ENDPOINTS = (
    Endpoint("GET", "", "metadata", repository, public=True),
    Endpoint("GET", "/collaborators/<login>/permission", "metadata", permission),
    Endpoint("GET", "/rules/branches/<path:branch>", "metadata", rules_of_branch),
    Endpoint("GET", "/commits", "contents", commits, query=frozenset({"sha"})),
    Endpoint(
        "GET", "/contents/<path:path>", "contents", contents, query=frozenset({"ref"}), public=True
    ),
    Endpoint("GET", "/commits/<sha>/pulls", "contents", pulls_of_commit),
    Endpoint("GET", "/compare/<basehead>", "contents", compare),
)
