"""A pair report as JSON and as Markdown (SPEC 8, 13). Pure; it counts nothing itself."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reports.drift import DISTANCE, PAIRS, Drift
from bot.reports.labels import FloorScore, LabelScores, Score
from bot.reports.made import Json, Made, cell, share, table
from bot.reports.pairs import BINS, PairReport, ScoredPair, StoreFigures
from bot.settings import Refresh

BAR = 40  # characters of the longest bar
EVERY = 5  # hundredths: the page shows these floors, JSON all


def to_json(report: PairReport, made: Made, drift: Drift | None = None) -> dict[str, Json]:
    """What the stores say where files were given; `rule` and `floors` where labels were."""
    document: dict[str, Json] = {}
    if report.labels is not None:
        document["rule"] = _score(report.labels.rule, with_counts=True)
        document["floors"] = [_floor(floor) for floor in report.labels.floors]
        best = report.labels.suggested
        document["suggested"] = _floor(best) if best else None
    if report.stores:
        document |= {
            "stores": [_store(store) for store in report.stores],
            "pairs": report.pairs,
            "histogram": list(report.histogram),
            "distribution": [list(each) for each in report.distribution],
            "collapsing": [_pair(pair) for pair in report.collapsing],
            "apart": [_pair(pair) for pair in report.apart],
            "above": [_pair(pair) for pair in report.above],
            "below": [_pair(pair) for pair in report.below],
        }
    if drift is not None:
        document["drift"] = {
            "since": drift.since,
            "distance": drift.distance,
            "pairs": drift.pairs,
            "pairs_before": drift.pairs_before,
            "alarm": drift.alarm,
        }
    rule = report.refresh
    document["refresh"] = {
        "floor": rule.floor,
        "confirm": rule.confirm,
        "reword_floor": rule.reword_floor,
        "min_tokens": rule.min_tokens,
    }
    return document | made.to_json()


def to_markdown(report: PairReport, made: Made, drift: Drift | None = None) -> str:
    lines = ["# Pair report"]
    if report.stores:
        lines += _stores_section(report)
    if drift is not None:
        lines += ["", "## Drift", "", _drift(drift)]
    if report.labels is not None:
        lines += _labels_section(report.labels, report.refresh)
    return "\n".join(lines + made.to_markdown()) + "\n"


def _score(score: Score, *, with_counts: bool = False) -> dict[str, Json]:
    rates: dict[str, Json] = {"precision": score.precision, "recall": score.recall}
    if not with_counts:
        return rates
    return {"merged": score.merged, **rates, "opposite_merged": score.opposite_merged}


def _floor(floor: FloorScore) -> dict[str, Json]:
    return {"floor": floor.floor, **_score(floor.score)}


def _store(store: StoreFigures) -> dict[str, Json]:
    return {
        "file": store.store,
        "bullets": store.bullets,
        "pairs": store.pairs,
        "collapsing": store.collapsing,
        "apart": store.apart,
        "largest_cluster": store.largest,
        "newest": [
            {"bullets": size, "largest_cluster": largest} for size, largest in store.windows
        ],
        "histogram": list(store.histogram),
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
    windows = [f"in the newest {size}" for size, _ in report.stores[0].windows]
    counts = (
        f"Pairs of active bullets: {report.pairs}; would collapse: {len(report.collapsing)}; "
        f"kept apart by the guard: {len(report.apart)}."
    )
    head = ["file", "bullets", "pairs", "would collapse", "kept apart", "largest cluster", *windows]
    rows = [
        [
            cell(store.store),
            *map(
                str,
                (store.bullets, store.pairs, store.collapsing, store.apart, store.largest),
            ),
            *(str(largest) for _, largest in store.windows),
        ]
        for store in report.stores
    ]
    lines = ["", counts, "", *table(head, rows), "", *_histogram(report)]
    for title, pairs in (
        ("Would collapse", report.collapsing),
        ("Kept apart by the guard", report.apart),
        ("Just above the line", report.above),
        ("Just below the line", report.below),
    ):
        lines += ["", f"## {title}", "", *_pair_lines(pairs)]
    return lines


def _histogram(report: PairReport) -> list[str]:
    """Bars of the square root of their counts, so that the few pairs near the floor are seen."""
    most = max(*report.histogram, 1) ** 0.5
    floor = report.refresh.floor
    used = max((step for step, count in enumerate(report.histogram) if count), default=0)
    rows = []
    for step, count in enumerate(report.histogram[: max(used, round(floor * BINS)) + 1]):
        low, high = step / BINS, (step + 1) / BINS
        if low <= floor < high:
            rows.append([f"**floor {floor:g}**", "", "─" * BAR])
        bar = "█" * max(round(BAR * count**0.5 / most), 1) if count else ""
        rows.append([f"{low:.2f} to {high:.2f}", str(count), bar])
    return table(["similarity", "pairs", "square root of their number"], rows)


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


def _drift(drift: Drift) -> str:
    sides = f"{drift.pairs} pairs now, {drift.pairs_before} on {drift.since}"
    if drift.distance is None:
        return f"There is nothing to compare: {sides}."
    found = f"Kolmogorov-Smirnov distance of the similarities: {drift.distance:.3f} ({sides})."
    if not drift.enough:
        return f"{found} Too few pairs: the alarm needs {PAIRS} on both sides."
    if not drift.alarm:
        return f"{found} No drift: the alarm is above {DISTANCE:.2f}."
    return (
        f"{found} **Drift**: above {DISTANCE:.2f}. The floor was chosen for other pairs: "
        "judge some anew (--label) and see which floor is suggested."
    )


def _labels_section(labels: LabelScores, refresh: Refresh) -> list[str]:
    best = labels.suggested.floor if labels.suggested else None
    rows = [("**the rule**", labels.rule)]
    for floor in labels.floors:
        name = f"floor {floor.floor:g}"
        if floor.floor == refresh.floor:
            name += ", in use"
        if floor.floor == best:
            name = f"**{name}, suggested**"
        if floor.floor in (refresh.floor, best) or round(floor.floor * 100) % EVERY == 0:
            rows.append((name, floor.score))
    cells = [
        [
            name,
            str(score.merged),
            share(score.precision),
            share(score.recall),
            str(score.opposite_merged),
        ]
        for name, score in rows
    ]
    return [
        "",
        f"## Against {labels.pairs} labelled pairs",
        "",
        "A floor stands alone: no blend, no guard. Recall is of the labelled pairs, not of all.",
        "",
        *table(["", "merged", "precision", "recall", "opposites merged"], cells),
        "",
        _suggestion(labels),
    ]


def _suggestion(labels: LabelScores) -> str:
    best = labels.suggested
    if best is None:
        return "No floor is suggested: none merges a pair that is the same."
    said = (
        f"Suggested floor: {best.floor:g}. It is biased towards keeping both, because a false "
        "merge loses a lesson and a missed one costs a slot: precision counts twice as much as "
        "recall (F0.5) and is taken at the lower end of its 95 % interval, so few labels push the "
        "floor up; on a tie the higher floor wins."
    )
    if not labels.opposites:
        said += " No opposite is among these labels, which flatters every floor."
    return said
