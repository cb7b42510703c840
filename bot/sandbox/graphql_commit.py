"""A commit and its checks, as the sandbox's GraphQL answers them, in GitHub's schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from graphql import GraphQLError, GraphQLResolveInfo

from bot.sandbox import payloads, records
from bot.sandbox.bare import Commit
from bot.sandbox.repository import SandboxRepository

Json = dict[str, Any]
Info = GraphQLResolveInfo[Any]
PAGE_LIMIT = 100

# databaseId of a check run is an Int in GitHub's schema, though its values are longer than 32 bits.
SCHEMA = """
    scalar GitTimestamp
    enum CheckConclusionState {
      ACTION_REQUIRED CANCELLED FAILURE NEUTRAL SKIPPED STALE STARTUP_FAILURE SUCCESS TIMED_OUT
    }
    enum CheckRunType { ALL LATEST }
    enum CheckStatusState { COMPLETED IN_PROGRESS PENDING QUEUED REQUESTED WAITING }
    input CheckRunFilter {
      appId: Int
      checkName: String
      checkType: CheckRunType
      status: CheckStatusState
    }
    input CheckSuiteFilter { appId: Int checkName: String }
    interface GitObject { oid: GitObjectID! }
    type Commit implements GitObject {
      oid: GitObjectID!
      committedDate: DateTime!
      parents(first: Int, after: String): CommitConnection!
      checkSuites(first: Int, after: String, filterBy: CheckSuiteFilter): CheckSuiteConnection
      history(first: Int, after: String, since: GitTimestamp): CommitHistoryConnection!
    }
    type CommitConnection { totalCount: Int! }
    type CommitHistoryConnection { pageInfo: PageInfo! nodes: [Commit] }
    type CheckSuiteConnection { pageInfo: PageInfo! nodes: [CheckSuite] }
    type CheckSuite {
      app: App
      branch: Ref
      conclusion: CheckConclusionState
      createdAt: DateTime!
      workflowRun: WorkflowRun
      checkRuns(first: Int, after: String, filterBy: CheckRunFilter): CheckRunConnection
    }
    type App { databaseId: Int slug: String! }
    type Ref { name: String! target: GitObject }
    type WorkflowRun { workflow: Workflow! }
    type Workflow { name: String! }
    type CheckRunConnection { pageInfo: PageInfo! nodes: [CheckRun] }
    type CheckRun {
      databaseId: BigInt
      name: String!
      conclusion: CheckConclusionState
      completedAt: DateTime
    }
"""


def connection(items: Sequence[Json], limit: int = PAGE_LIMIT) -> Callable[..., Json]:
    """A list to be paged; `limit` makes pages smaller than they were asked for."""

    def page(_: Info, first: int | None = None, after: str | None = None, **__: object) -> Json:
        if first is None:
            raise GraphQLError("You must provide a `first` or `last` value to properly paginate.")
        if not 1 <= first <= PAGE_LIMIT:
            raise GraphQLError(f"Requesting {first} records exceeds the `first` limit of 100.")
        start = int(after) if after else 0
        end = min(start + min(first, limit), len(items))
        cursor = str(end) if end > start else None
        info = {"hasNextPage": end < len(items), "endCursor": cursor}
        return {"pageInfo": info, "nodes": items[start:end]}

    return page


def commit(repository: SandboxRepository, sha: str) -> Json:
    """Git is asked for what the query asks for: most ask for checks alone."""

    @cache
    def found() -> Commit:
        return repository.bare.commits("-1", sha)[0]

    return {
        "__typename": "Commit",
        "oid": sha,
        "committedDate": lambda _: payloads.time(found().committed_at),
        "parents": lambda _, **__: {"totalCount": len(found().parents)},
        "checkSuites": _check_suites(repository, sha),
        "history": _history(repository, sha),
    }


def branch(repository: SandboxRepository, name: str) -> Json:
    return {"name": name, "target": commit(repository, repository.tip(name))}


def _history(repository: SandboxRepository, sha: str) -> Callable[..., Json]:
    def history(info: Info, since: str | None = None, **paging: Any) -> Json:
        from_then = datetime.fromisoformat(since) if since else None
        found = [
            commit(repository, each.sha)
            for each in reversed(repository.bare.commits(sha))
            if from_then is None or each.committed_at >= from_then
        ]
        return connection(found)(info, **paging)

    return history


def _check_suites(repository: SandboxRepository, sha: str) -> Callable[..., Json]:
    def check_suites(info: Info, filterBy: Json | None = None, **paging: Any) -> Json:  # noqa: N803
        wanted = filterBy or {}
        suites: dict[int, tuple[records.CheckSuite, list[records.CheckRun]]] = {}
        for run in _runs(repository, sha):
            if run.suite is not None:
                suites.setdefault(run.suite.id, (run.suite, []))[1].append(run)
        found = [
            _suite(suite, runs)
            for suite, runs in suites.values()
            if wanted.get("appId") in (None, suite.app)
            and wanted.get("checkName") in (None, *(run.name for run in runs))
        ]
        return connection(found)(info, **paging)

    return check_suites


def _suite(suite: records.CheckSuite, runs: list[records.CheckRun]) -> Json:
    def check_runs(info: Info, filterBy: Json | None = None, **paging: Any) -> Json:  # noqa: N803
        wanted = filterBy or {}
        found = list(runs)
        if wanted.get("checkType") != "ALL":
            found = list({run.name: run for run in runs}.values())
        if "status" in wanted:
            found = [run for run in found if run.status.upper() == wanted["status"]]
        if "checkName" in wanted:
            found = [run for run in found if run.name == wanted["checkName"]]
        return connection([_check_run(run) for run in found])(info, **paging)

    return {
        "app": {"databaseId": suite.app, "slug": suite.slug},
        "branch": {"name": suite.branch} if suite.branch else None,
        "conclusion": _conclusion(runs),
        "createdAt": payloads.time(suite.created_at),
        "workflowRun": {"workflow": {"name": suite.workflow}} if suite.workflow else None,
        "checkRuns": check_runs,
    }


def _check_run(run: records.CheckRun) -> Json:
    return {
        "databaseId": run.id,
        "name": run.name,
        "conclusion": run.conclusion.upper() if run.conclusion else None,
        "completedAt": payloads.time_or_none(run.completed_at),
    }


def _runs(repository: SandboxRepository, sha: str) -> list[records.CheckRun]:
    return [run for run in repository.check_runs.values() if run.head_sha == sha]


def _conclusion(runs: list[records.CheckRun]) -> str | None:
    """The worst of the latest run of each job; None while one goes on."""
    latest = {run.name: run.conclusion for run in runs}.values()
    if None in latest:
        return None
    order = ("failure", "timed_out", "cancelled", "action_required", "success", "neutral")
    return next((each.upper() for each in order if each in latest), "SKIPPED")
