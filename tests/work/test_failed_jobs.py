"""Known failures: which events of CI are worth a question to GitHub."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.work.failed_jobs import KEEP, FailedJobs
from tests.stores import stores
from webhooks.events import CheckFinished, Origin, RepositoryName, WorkflowFinished

NOW = datetime(2026, 11, 2, 10, 0, tzinfo=UTC)
US, CI = 4242, 15368
ORIGIN = Origin("guid", RepositoryName(11, "acme/shop"), 100, None)
ONE, TWO = "1" * 40, "2" * 40
FAILED = CheckFinished(ORIGIN, 31, CI, ONE, "test", "failure", (7,))
PASSED = replace(FAILED, check_run=32, head_sha=TWO, conclusion="success")


@pytest.fixture
def failed(database_url: str) -> Iterator[FailedJobs]:
    with stores(database_url) as opened:
        yield FailedJobs(opened.engine, opened.writer, US)


def test_a_job_is_mended_on_another_head_than_it_failed_on(failed: FailedJobs) -> None:
    assert not failed.mended(PASSED)
    failed.note(FAILED, NOW)
    assert failed.mended(PASSED)
    assert not failed.mended(replace(PASSED, head_sha=ONE))
    assert not failed.mended(replace(PASSED, conclusion="failure"))


@pytest.mark.parametrize(
    "other",
    [
        replace(PASSED, name="lint"),
        replace(PASSED, app=99),
        replace(PASSED, pull_requests=(8,)),
        replace(PASSED, pull_requests=()),
        replace(PASSED, origin=replace(ORIGIN, repository=RepositoryName(12, "acme/other"))),
    ],
)
def test_another_job_pull_request_or_repository_is_not_meant(
    failed: FailedJobs, other: CheckFinished
) -> None:
    failed.note(FAILED, NOW)
    assert not failed.mended(other)


@pytest.mark.parametrize(
    "event",
    [
        replace(FAILED, app=US),
        replace(FAILED, app=None),
        replace(FAILED, conclusion="cancelled"),
        replace(FAILED, conclusion=None),
    ],
)
def test_what_is_no_failure_of_anothers_job_is_not_kept(
    failed: FailedJobs, event: CheckFinished
) -> None:
    failed.note(event, NOW)
    assert not failed.mended(replace(PASSED, app=event.app))


def test_the_newest_failing_head_counts(failed: FailedJobs) -> None:
    failed.note(FAILED, NOW)
    failed.note(replace(FAILED, head_sha=TWO), NOW)
    assert not failed.mended(PASSED)
    assert failed.mended(replace(PASSED, head_sha=ONE))


def test_pull_requests_of_forks_are_known_by_the_job_alone(failed: FailedJobs) -> None:
    failed.note(replace(FAILED, pull_requests=()), NOW)
    assert failed.mended(replace(PASSED, pull_requests=()))


def test_a_workflow_passes_where_any_job_had_failed(failed: FailedJobs) -> None:
    passed = WorkflowFinished(ORIGIN, 41, "CI", TWO, "pull_request", "success", (7,))
    assert not failed.mended(passed)
    failed.note(FAILED, NOW)
    assert failed.mended(passed)


def test_what_was_read_is_forgotten(failed: FailedJobs) -> None:
    failed.note(FAILED, NOW)
    failed.note(replace(FAILED, name="lint"), NOW)
    failed.forget(11, (7,), {(CI, "test")})
    assert not failed.mended(PASSED)
    assert failed.mended(replace(PASSED, name="lint"))
    failed.forget(11, (7,))
    assert not failed.mended(replace(PASSED, name="lint"))


def test_two_weeks_later_it_is_pruned(failed: FailedJobs) -> None:
    failed.note(FAILED, NOW)
    failed.prune(NOW + KEEP - timedelta(seconds=1))
    assert failed.mended(PASSED)
    failed.prune(NOW + KEEP)
    assert not failed.mended(PASSED)


def test_a_name_of_any_length_is_known_again(failed: FailedJobs) -> None:
    failed.note(replace(FAILED, name="x" * 5000), NOW)
    assert failed.mended(replace(PASSED, name="x" * 5000))
