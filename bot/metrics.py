"""The figures of one process for Prometheus. No figure names a repository, an owner or a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.inbox import Status


class Metrics:
    """Counters of one process. `inbox_counts` is asked at each scrape."""

    def __init__(self, inbox_counts: Callable[[], Mapping[Status, int]] = dict) -> None:
        self.registry = CollectorRegistry()
        self.deliveries = self._counter(
            "deliveries", "Deliveries by event and what was answered.", "event", "outcome"
        )
        self.faults = self._counter(
            "faults",
            "Tries of a job that did not succeed, and what became of it.",
            "kind",
            "outcome",
        )
        self.writes = self._counter("writes", "Commits that landed in a repository.")
        self.zero_writes = self._counter("zero_writes", "Reviews that rightly gave no commit.")
        self.searches = self._counter("searches", "Searches by what came of them.", "finding")
        self.search_failures = self._counter(
            "search_half_failures", "Searches that one half had no part in.", "half"
        )
        self.index_failures = self._counter(
            "index_failures", "Looks at a branch that did not reach the index."
        )
        self.index_lag = Histogram(
            "index_lag_seconds",
            "From a commit until its pages can be found.",
            namespace="lessonkeeper",
            registry=self.registry,
            buckets=(1, 2, 5, 10, 30, 60, 300, 3600, 86400),
        )
        self.registry.register(_InboxRows(inbox_counts))

    def show_alarms(self, counts: Callable[[], Mapping[str, int]]) -> None:
        """`counts` is asked at each scrape: how many alarms ring, by name."""
        self.registry.register(_Alarms(counts))

    def render(self) -> bytes:
        """The text that Prometheus reads."""
        return generate_latest(self.registry)

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(
            name, documentation, labels, namespace="lessonkeeper", registry=self.registry
        )


class _Alarms(Collector):
    def __init__(self, counts: Callable[[], Mapping[str, int]]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[GaugeMetricFamily]:
        ring = GaugeMetricFamily("lessonkeeper_alarms", "Alarms that ring.", labels=["alarm"])
        for name, count in self._counts().items():
            ring.add_metric([name.replace(" ", "_")], count)
        yield ring


class _InboxRows(Collector):
    def __init__(self, counts: Callable[[], Mapping[Status, int]]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[GaugeMetricFamily]:
        rows = GaugeMetricFamily(
            "lessonkeeper_inbox_rows", "Deliveries in the inbox by status.", labels=["status"]
        )
        for status, count in self._counts().items():
            rows.add_metric([status], count)
        yield rows
