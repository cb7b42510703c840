"""What CI did: the jobs of a pull request's heads, the same job elsewhere, the change that mended.

Asked in few requests: GraphQL counts one point for a hundred lists, so suites and runs are read for
commits that may matter, and annotations of single runs alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from bot.facts import Between, ChangedFile, Commit, Job, JobRun, Repository
from bot.forge import answers
from bot.forge.connection import Connection
from bot.forge.errors import Gone

HEADS = 60  # the newest; a pull request that needed more tries teaches nothing by the first ones
HEADS_AT_ONCE = 20  # x 50 suites: ten points of the hourly 5,000
FILES_LIMIT = 300  # GitHub compares no more
CLEAN = (None, "SUCCESS", "NEUTRAL", "SKIPPED")  # a cancelled suite may hold a failure, too

_PAGE = "pageInfo { hasNextPage endCursor }"
HEADS_QUERY = f"""
query Heads($owner: String!, $name: String!, $number: Int!, $after: String) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      commits(first: 100, after: $after) {{
        {_PAGE}
        nodes {{ commit {{ ...Head }} }}
      }}
      timelineItems(first: 50, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]) {{
        nodes {{ ... on HeadRefForcePushedEvent {{ beforeCommit {{ ...Head }} }} }}
      }}
    }}
  }}
}}
fragment Head on Commit {{ oid checkSuites(first: 50) {{ nodes {{ conclusion }} }} }}
"""
# ALL: the latest run alone would hide that a job failed first and passed when it was run again.
_SUITE = """
  createdAt
  app { databaseId slug }
  branch { name }
  workflowRun { workflow { name } }
"""
_RUN = "nodes { databaseId name conclusion completedAt }"
RUNS_FRAGMENT = f"""
fragment Runs on Commit {{
  oid
  checkSuites(first: 50) {{
    nodes {{
      {_SUITE}
      checkRuns(first: 100, filterBy: {{checkType: ALL, status: COMPLETED}}) {{ {_RUN} }}
    }}
  }}
}}
"""
ELSEWHERE_QUERY = f"""
query Elsewhere(
  $owner: String!, $name: String!, $app: Int!, $job: String!, $since: GitTimestamp!
) {{
  repository(owner: $owner, name: $name) {{
    defaultBranchRef {{
      target {{ ... on Commit {{ history(first: 100, since: $since) {{ nodes {{ ...Job }} }} }} }}
    }}
    pullRequests(first: 30, orderBy: {{field: UPDATED_AT, direction: DESC}}) {{
      nodes {{ commits(last: 3) {{ nodes {{ commit {{ ...Job }} }} }} }}
    }}
  }}
}}
fragment Job on Commit {{
  oid
  checkSuites(first: 5, filterBy: {{appId: $app, checkName: $job}}) {{
    nodes {{
      {_SUITE}
      checkRuns(first: 20, filterBy: {{checkName: $job, checkType: ALL, status: COMPLETED}}) {{
        {_RUN}
      }}
    }}
  }}
}}
"""


@dataclass(frozen=True, slots=True)
class Jobs:
    """Of one repository; `path` is that of its REST resources."""

    connection: Connection
    repository: Repository
    path: str

    def of_pull_request(self, number: int) -> tuple[JobRun, ...]:
        """Every run on its heads, those taken away by a force push included.

        Nothing, for one request, where no head has a failure left.
        """
        checked: dict[str, list[str | None]] = {}
        for commit in self._heads(number):
            suites = commit["checkSuites"]["nodes"]
            if suites:
                checked[commit["oid"]] = [suite["conclusion"] for suite in suites]
        if all(each in CLEAN for conclusions in checked.values() for each in conclusions):
            return ()
        return self._runs(list(checked)[-HEADS:])

    def elsewhere(self, job: Job, since: datetime) -> tuple[JobRun, ...]:
        """The job on the newest hundred commits of the default branch since then, and on the last
        commits of the thirty pull requests that changed last."""
        variables = {"app": job.app, "job": job.name, "since": since.isoformat()}
        found = self._ask(ELSEWHERE_QUERY, variables)
        branch = found["defaultBranchRef"]
        commits = list(branch["target"]["history"]["nodes"]) if branch else []
        for pull in found["pullRequests"]["nodes"]:
            commits += [node["commit"] for node in pull["commits"]["nodes"]]
        return tuple(run for run in self._read(commits) if run.job == job)

    def titles(self, run: int) -> tuple[str, ...]:
        """Titles of the failures that a run annotated, in order; GitHub has empty ones."""
        rows = self.connection.pages(f"{self.path}/check-runs/{run}/annotations")
        return tuple(row["title"] or "" for row in rows if row["annotation_level"] == "failure")

    def between(self, number: int, before: str, after: str) -> Between:
        try:
            there = self._compare(before, after)
        except Gone:  # GitHub forgets commits that no branch holds any more
            return Between((), (), complete=False)
        complete = there["total_commits"] == len(there["commits"]) and _all_files(there)
        files: list[Any] = there["files"]
        own = None
        if there["status"] == "diverged":  # force-pushed: what differs between the two versions
            back = self._compare(after, before)
            complete = complete and _all_files(back)
            files = _differing(back["files"], files)
            rows = self.connection.pages(f"{self.path}/pulls/{number}/commits")
            own = {row["sha"] for row in rows}
        return Between(
            commits=tuple(_commit(row, own) for row in there["commits"]),
            files=tuple(
                ChangedFile(row["filename"], row["changes"], row["status"] == "removed")
                for row in files
            ),
            complete=complete,
        )

    def _heads(self, number: int) -> Iterator[Any]:
        """Commits that are or were heads, or on the way to one, oldest first."""
        after, more, first = None, True, True
        while more:
            variables: dict[str, object] = {"number": number, "after": after}
            pull = self._ask(HEADS_QUERY, variables)["pullRequest"]
            if pull is None:
                raise Gone(f"GitHub does not find pull request #{number}.")
            if first:
                taken_away = (node["beforeCommit"] for node in pull["timelineItems"]["nodes"])
                yield from (commit for commit in taken_away if commit)
            yield from (node["commit"] for node in pull["commits"]["nodes"])
            page = pull["commits"]["pageInfo"]
            after, more, first = page["endCursor"], page["hasNextPage"], False

    def _runs(self, shas: Sequence[str]) -> tuple[JobRun, ...]:
        found: list[JobRun] = []
        for start in range(0, len(shas), HEADS_AT_ONCE):
            some = enumerate(shas[start : start + HEADS_AT_ONCE])
            asked = "\n".join(f'c{n}: object(oid: "{sha}") {{ ...Runs }}' for n, sha in some)
            query = (
                "query Runs($owner: String!, $name: String!) {"
                f" repository(owner: $owner, name: $name) {{\n{asked}\n}} }}{RUNS_FRAGMENT}"
            )
            found += self._read(commit for commit in self._ask(query, {}).values() if commit)
        return tuple(found)

    def _read(self, commits: Iterable[Any]) -> list[JobRun]:
        return [
            _run(run, suite, commit["oid"], self.repository.default_branch)
            for commit in commits
            for suite in commit["checkSuites"]["nodes"]
            for run in suite["checkRuns"]["nodes"]
            if suite["app"] is not None and run["conclusion"] and run["completedAt"]
        ]

    def _compare(self, before: str, after: str) -> Any:
        path = f"{self.path}/compare/{quote(before, safe='')}...{quote(after, safe='')}"
        return self.connection.get(path)

    def _ask(self, query: str, variables: dict[str, object]) -> Any:
        names = {"owner": self.repository.owner, "name": self.repository.name}
        found = self.connection.graphql(query, {**names, **variables})["repository"]
        if found is None:
            raise Gone(f"GitHub does not find {self.repository.full_name}.")
        return found


def _run(run: Any, suite: Any, head: str, default_branch: str) -> JobRun:
    app, workflow, branch = suite["app"], suite["workflowRun"], suite["branch"]
    group = workflow["workflow"]["name"] if workflow else app["slug"]
    return JobRun(
        id=int(run["databaseId"]),
        job=Job(app["databaseId"], group, run["name"]),
        head=head,
        conclusion=run["conclusion"].lower(),
        completed_at=answers.time(run["completedAt"]),
        pushed_at=answers.time(suite["createdAt"]),
        on_default_branch=branch is not None and branch["name"] == default_branch,
    )


def _commit(row: Any, own: set[str] | None) -> Commit:
    return Commit(
        sha=row["sha"],
        committed_at=answers.time(row["commit"]["committer"]["date"]),
        merges_base=len(row["parents"]) > 1 or (own is not None and row["sha"] not in own),
        author=answers.account(row["author"]) if row["author"] else None,
    )


def _all_files(compared: Any) -> bool:
    return len(compared["files"]) < FILES_LIMIT


def _differing(old: list[Any], new: list[Any]) -> list[Any]:
    """Files of two changes to one base that are not the same in both."""
    before = {row["filename"]: row["sha"] for row in old}
    after = {row["filename"] for row in new}
    changed = [row for row in new if before.get(row["filename"]) != row["sha"]]
    dropped = [
        {**row, "status": "removed" if row["status"] == "added" else "modified"}
        for row in old
        if row["filename"] not in after
    ]
    return changed + dropped
