"""The figures: counted once, read at the scrape, and naming no repository."""

from __future__ import annotations

from bot.inbox import Status
from bot.metrics import Metrics


def test_the_page_shows_counters_and_the_rows_as_they_are_now() -> None:
    rows = {Status.RECEIVED: 2, Status.FAILED: 1}
    metrics = Metrics(lambda: rows)
    metrics.deliveries.labels("push", "stored").inc()
    metrics.zero_writes.inc()
    rows[Status.RECEIVED] = 3
    lines = metrics.render().decode().splitlines()
    assert 'lessonkeeper_deliveries_total{event="push",outcome="stored"} 1.0' in lines
    assert "lessonkeeper_zero_writes_total 1.0" in lines
    assert "lessonkeeper_writes_total 0.0" in lines
    assert 'lessonkeeper_inbox_rows{status="received"} 3.0' in lines
    assert 'lessonkeeper_inbox_rows{status="failed"} 1.0' in lines


def test_no_figure_can_name_a_repository() -> None:
    metrics = Metrics(lambda: dict.fromkeys(Status, 0))
    labels = {
        label for family in metrics.registry.collect() for s in family.samples for label in s.labels
    }
    assert labels <= {"event", "outcome", "kind", "status", "finding", "half", "le"}
