"""A pair report as JSON and as Markdown (SPEC 8, 13). Pure; it counts nothing itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.reports.labels import LabelScores, Score
from bot.reports.pairs import BINS, Cluster, PairReport, ScoredPair

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


def to_json(report: PairReport) -> dict[str, Json]:
    """What the stores say where files were given; `rule` and `floors` where labels were."""
    document: dict[str, Json] = {}
    if report.labels is not None:
        document["rule"] = _score(report.labels.rule, with_counts=True)
        document["floors"] = [
            {"floor": floor.floor, **_score(floor.score)} for floor in report.labels.floors
        ]
    if report.stores:
        document |= {
            "stores": [_cluster(cluster) for cluster in report.stores],
            "pairs": report.pairs,
            "histogram": list(report.histogram),
            "collapsing": [_pair(pair) for pair in report.collapsing],
            "apart": [_pair(pair) for pair in report.apart],
            "above": [_pair(pair) for pair in report.above],
            "below": [_pair(pair) for pair in report.below],
        }
    return document


def to_markdown(report: PairReport) -> str:
    lines = ["# Pair report"]
    if report.stores:
        lines += _stores_section(report)
    if report.labels is not None:
        lines += _labels_section(report.labels)
    return "\n".join(lines) + "\n"


def _score(score: Score, *, with_counts: bool = False) -> dict[str, Json]:
    rates: dict[str, Json] = {"precision": score.precision, "recall": score.recall}
    if not with_counts:
        return rates
    return {"merged": score.merged, **rates, "opposite_merged": score.opposite_merged}


def _cluster(cluster: Cluster) -> dict[str, Json]:
    return {
        "file": cluster.store,
        "bullets": cluster.bullets,
        "largest_cluster": cluster.largest,
        "newest": [
            {"bullets": size, "largest_cluster": largest} for size, largest in cluster.windows
        ],
    }


def _pair(pair: ScoredPair) -> dict[str, Json]:
    return {
        "file": pair.store,
        "a": pair.a,
        "b": pair.b,
        "similarity": round(pair.comparison.similarity, 4),
        "blend": round(pair.comparison.blend, 4),
        "apart": pair.comparison.apart,
    }


def _stores_section(report: PairReport) -> list[str]:
    windows = [size for size, _ in report.stores[0].windows]
    counts = (
        f"Pairs of active bullets: {report.pairs}; would collapse: {len(report.collapsing)}; "
        f"kept apart by the guard: {len(report.apart)}."
    )
    lines = [
        "",
        counts,
        "",
        "| file | bullets | largest cluster | "
        + " | ".join(f"in the newest {size}" for size in windows)
        + " |",
        "|---|---|---|" + "---|" * len(windows),
    ]
    for store in report.stores:
        largest = [str(largest) for _, largest in store.windows]
        cells = [store.store, str(store.bullets), str(store.largest), *largest]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| similarity | pairs |", "|---|---|"]
    for step, count in enumerate(report.histogram):
        lines.append(f"| {step / BINS:.2f} to {(step + 1) / BINS:.2f} | {count} |")
    for title, pairs in (
        ("Would collapse", report.collapsing),
        ("Kept apart by the guard", report.apart),
        ("Just above the line", report.above),
        ("Just below the line", report.below),
    ):
        lines += ["", f"## {title}", "", *_pair_lines(pairs)]
    return lines


def _pair_lines(pairs: Sequence[ScoredPair]) -> list[str]:
    if not pairs:
        return ["None."]
    lines = []
    for pair in pairs:
        scores = pair.comparison
        apart = f", {scores.apart}" if scores.apart else ""
        lines += [
            f"- {pair.store}: similarity {scores.similarity:.3f}, blend {scores.blend:.3f}{apart}",
            f"  - {pair.a}",
            f"  - {pair.b}",
        ]
    return lines


def _labels_section(labels: LabelScores) -> list[str]:
    rule = labels.rule
    lines = [
        "",
        f"## Against {labels.pairs} labelled pairs",
        "",
        "A floor stands alone: no blend, no guard.",
        "",
        "| | merged | precision | recall | opposites merged |",
        "|---|---|---|---|---|",
    ]
    named = [("**the rule**", rule), *((f"floor {f.floor:.2f}", f.score) for f in labels.floors)]
    for name, score in named:
        rates = (_rate(score.precision), _rate(score.recall))
        cells = [name, str(score.merged), *rates, str(score.opposite_merged)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
