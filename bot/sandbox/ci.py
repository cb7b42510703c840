"""What CI does in the sandbox: jobs end, and GitHub tells of it. Nothing is really run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.sandbox import events, records
from bot.sandbox.pull_request import SandboxPullRequest
from bot.sandbox.repository import SandboxRepository

ACTIONS = 15368  # GitHub's own App
EXIT_CODE = records.Annotation(".github", "Process completed with exit code 1.")


@dataclass(frozen=True, slots=True)
class Ci:
    """One workflow of GitHub Actions, or the checks of another App, which has no workflows."""

    repository: SandboxRepository
    workflow: str | None = "CI"
    app: int = ACTIONS
    slug: str = "github-actions"

    def finish(
        self,
        pull: SandboxPullRequest | None,
        job: str,
        conclusion: str,
        *,
        sha: str = "",
        annotations: Sequence[records.Annotation] = (),
    ) -> int:
        """A job ends on the head of a pull request, or on the default branch; the run's id.

        `sha` is another commit of it. A job that ended before on that commit was run again.
        """
        suite = self._suite(pull, sha)
        run = records.CheckRun(
            id=self.repository.forge.next_id(),
            name=job,
            head_sha=suite.head_sha,
            app=self.app,
            started_at=self.repository.forge.clock(),
            status="completed",
            conclusion=conclusion,
            completed_at=self.repository.forge.clock(),
            suite=suite,
            annotations=tuple(annotations),
        )
        self.repository.check_runs[run.id] = run
        events.check_run(self.repository, "completed", run)
        return run.id

    def finish_workflow(
        self, pull: SandboxPullRequest | None, conclusion: str, *, sha: str = ""
    ) -> None:
        """The workflow as a whole ends; its jobs have ended before."""
        events.workflow_run(self.repository, self._suite(pull, sha), conclusion)

    def _suite(self, pull: SandboxPullRequest | None, sha: str) -> records.CheckSuite:
        repository = self.repository
        head = sha or (pull.head_sha if pull else repository.tip())
        for run in repository.check_runs.values():
            found = run.suite
            if found and (found.head_sha, found.app, found.workflow) == (
                head,
                self.app,
                self.workflow,
            ):
                return found
        branch = repository.default_branch
        if pull is not None:
            branch = pull.head if pull.fork is None else ""
        return records.CheckSuite(
            id=repository.forge.next_id(),
            app=self.app,
            slug=self.slug,
            head_sha=head,
            branch=branch or None,
            created_at=repository.forge.clock(),
            workflow=self.workflow,
        )
