"""The REST endpoints about jobs and what lies between two commits; they belong to ENDPOINTS."""

from __future__ import annotations

from bot.sandbox import payloads
from bot.sandbox.rest import Answer, Call, Endpoint, Listing, Refusal

COMMITS_LIMIT = 250  # without pages, GitHub compares no more
FILES_LIMIT = 300


def annotations_of(call: Call, check_run: int) -> Answer:
    run = call.repository.check_runs.get(check_run)
    if run is None:
        raise Refusal(404, "Not Found")
    return Listing([payloads.annotation(found) for found in run.annotations])


def pull_commits(call: Call, number: int) -> Answer:
    bare = call.repository.bare
    found = [commit for sha in call.pull(number).commits for commit in bare.commits("-1", sha)]
    return Listing([payloads.commit(call.repository, commit) for commit in found])


def compare(call: Call, basehead: str) -> Answer:
    before, dots, after = basehead.partition("...")
    bare = call.repository.bare
    if not dots or bare.sha(before) is None or bare.sha(after) is None:
        raise Refusal(404, "Not Found")
    base = bare.merge_base(before, after)
    ahead = bare.commits(f"{before}..{after}")
    behind = bare.commits(f"{after}..{before}")
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


ENDPOINTS = (
    Endpoint("GET", "/check-runs/<int:check_run>/annotations", "checks", annotations_of),
    Endpoint("GET", "/pulls/<int:number>/commits", "pull_requests", pull_commits),
    Endpoint("GET", "/compare/<basehead>", "contents", compare),
)
