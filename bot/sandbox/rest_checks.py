"""The REST endpoints about check runs."""

from __future__ import annotations

from bot.sandbox import payloads, records
from bot.sandbox.rest import Answer, Call, Endpoint, Listing, Refusal, invalid, text_of

LIMITS = {"label": 20, "description": 40, "identifier": 20}
TEXT_LIMIT = 65_535


def check_runs_of_commit(call: Call, sha: str) -> Answer:
    name = call.query.get("check_name")
    runs = [
        payloads.check_run(call.repository, run)
        for run in call.repository.check_runs.values()
        if run.head_sha == sha and name in (None, run.name)
    ]
    return Listing(runs, "check_runs")


def annotations_of(call: Call, check_run: int) -> Answer:
    run = call.repository.check_runs.get(check_run)
    if run is None:
        raise Refusal(404, "Not Found")
    return Listing([payloads.annotation(found) for found in run.annotations])


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
            raise invalid(f"{name} exceeds a maximum bytesize of {TEXT_LIMIT}")
    if "actions" in body:
        run.actions = _actions(body["actions"])
    run.name = body.get("name", run.name)
    run.external_id = body.get("external_id", run.external_id)
    run.conclusion = body.get("conclusion", run.conclusion)
    run.status = "completed" if run.conclusion else body.get("status", run.status)
    if run.status == "completed":
        if run.conclusion is None:
            raise invalid("a completed check run needs a conclusion")
        run.completed_at = call.forge.clock()
    run.title = output.get("title", run.title)
    run.summary = output.get("summary", run.summary)
    run.text = output.get("text", None if output else run.text)


def _actions(given: list[dict[str, str]]) -> tuple[records.Action, ...]:
    if len(given) > 3:
        raise invalid("Only 3 actions are allowed")
    for action in given:
        for name, limit in LIMITS.items():
            if not 0 < len(action.get(name, "")) <= limit:
                raise invalid(f"{name} of an action takes 1 to {limit} characters")
    return tuple(records.Action(a["label"], a["description"], a["identifier"]) for a in given)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/commits/<sha>/check-runs",
        "checks",
        check_runs_of_commit,
        query=frozenset({"check_name"}),
    ),
    Endpoint("POST", "/check-runs", "checks", create_check_run, 201),
    Endpoint("PATCH", "/check-runs/<int:check_run>", "checks", update_check_run),
    Endpoint("GET", "/check-runs/<int:check_run>/annotations", "checks", annotations_of),
)
