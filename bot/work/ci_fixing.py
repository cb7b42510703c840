"""The CI-fix feature: jobs that failed and were mended, read from GitHub when a pull request is
merged, and where fixes count at once also when a job passes that is known to have failed.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

from bot.channels.ci_fix import WINDOW, Episode, Looked, episodes, judge
from bot.facts import Between, Job, JobRun, PullRequestFacts
from bot.forge.protocol import Forge
from bot.settings import Evidence
from bot.work.failed_jobs import FailedJobs
from bot.work.feature import Scene
from bot.work.outbox import Outbox
from webhooks.events import CheckFinished, Event, PullRequestChanged, WorkflowFinished

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CiFixes:
    """`us` is the id of the App itself. `debounce`: the jobs of one push end side by side."""

    failed: FailedJobs
    outbox: Outbox
    us: int
    debounce: timedelta

    def wait(self, event: Event) -> timedelta | None:
        match event:
            case CheckFinished() | WorkflowFinished() if self.failed.mended(event):
                return self.debounce
            case PullRequestChanged(action="closed" | "labeled"):
                return timedelta(0)
        return None

    def hear(self, event: Event, scene: Scene) -> None:
        match event:
            case CheckFinished() | WorkflowFinished():
                self._passed(event, scene)
            case PullRequestChanged(number=number, merged=merged):
                if merged or scene.settings.merged_label is not None:
                    self.read(scene, number)
                    self.failed.forget(scene.known.id, (number,))

    def read(self, scene: Scene, number: int) -> tuple[JobRun, ...]:
        """Judges the jobs of a pull request as they stand, and keeps what they teach for the write.

        The runs are handed back.
        """
        if scene.settings.ci_fix is None:
            return ()
        forge = scene.place.forge
        facts = forge.pull_request_jobs(number)
        looked = _look(forge, facts, episodes(facts, scene.settings, self.us))
        came = judge(facts, looked, scene.settings)
        for each in came:
            log.info(
                "repository %d #%d: check %d passed after %d failed: %s",
                scene.known.id, number, each.episode.passed.id, each.episode.failed.id, each.reason,
            )  # fmt: skip
        evidence = tuple(each.evidence for each in came if each.evidence is not None)
        if evidence:
            self.outbox.keep(scene.known, scene.settings, f"ci:{number}", evidence)
        return facts.runs

    def _passed(self, event: CheckFinished | WorkflowFinished, scene: Scene) -> None:
        """Weak fixes count from the merge on, which is read in any case."""
        ended: set[tuple[int, str]] | None = None
        if scene.settings.ci_fix is Evidence.STRONG:
            forge = scene.place.forge
            numbers = event.pull_requests or forge.pull_requests_of_commit(event.head_sha)
            runs = [run for number in numbers for run in self.read(scene, number)]
            here = {(r.job.app, r.job.name) for r in runs if r.head == event.head_sha}
            ended = here or None
        # What ended here was read just now: the events that tell of it have nothing to add.
        self.failed.forget(scene.known.id, event.pull_requests, ended)


def _look(
    forge: Forge, facts: PullRequestFacts, found: tuple[Episode, ...]
) -> dict[Episode, Looked]:
    """Asks once about each change and each job."""
    changes: dict[tuple[str, str], Between] = {}
    elsewhere: dict[Job, tuple[JobRun, ...]] = {}
    looked: dict[Episode, Looked] = {}
    for each in found:
        fix, job = (each.failed.head, each.passed.head), each.passed.job
        if fix not in changes:
            changes[fix] = forge.between(facts.pull.number, *fix)
        if job not in elsewhere:
            since = each.passed.completed_at - WINDOW
            elsewhere[job] = forge.job_elsewhere(job, since)
        looked[each] = Looked(changes[fix], forge.failure_titles(each.failed.id), elsewhere[job])
    return looked
