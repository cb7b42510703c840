"""A retention report as JSON and as Markdown (SPEC 8). Pure; it counts nothing itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from bot.lessons.block import Cut
from bot.reports.caps import CapsReport, Grown, Selection
from bot.reports.made import Json, Made, cell, share, table
from bot.reports.retention import CLUSTER, QUERY, STEPS, Curve, Policy, Retention, Swept

LIMITS = (
    "What this does not say: the queries are made of the lessons themselves, every other word of "
    "each, so they are no future needs. A lesson nobody will need again counts as much as one that "
    "everybody will, and a policy that drops near duplicates is asked for them all the same. "
    f"{Policy.COVER} knows the queries: it is a bound for the others, no policy that could run."
)
_FLIP = (
    "Two caps for each file, the newest lessons first. The cap on characters cuts first where "
    "lessons are longer, in the mean, than its characters divided by the items of the other."
)
_CUTS = {Cut.ITEMS: "items", Cut.CHARS: "characters", Cut.NONE: "none"}


def to_json(
    report: Retention, caps: CapsReport, made: Made, generated: Sequence[CapsReport] = ()
) -> dict[str, Json]:
    """`generated`: the caps of all generated corpora, where one of them was measured."""
    return {
        "lessons": report.lessons,
        "characters": report.characters,
        "budgets": [step / STEPS for step in range(1, STEPS + 1)],
        "thresholds": {"cluster": CLUSTER, "query": QUERY},
        "policies": [_curve(curve) for curve in report.curves],
        "by_cluster": [_swept(each) for each in report.by_cluster],
        "by_query": [_swept(each) for each in report.by_query],
        "caps": {
            "sections": [
                {
                    "file": section.name,
                    "items": section.caps.items,
                    "characters": section.caps.characters,
                    "lessons": section.lessons,
                    "lessons_characters": section.characters,
                    "flips_at": section.flips_at,
                }
                for section in caps.sections
            ],
            "grown": [
                {
                    "factor": grown.factor,
                    "mean_characters": grown.mean,
                    "both": _selection(grown.both),
                    "items_alone": _selection(grown.items_alone),
                    "characters_alone": _selection(grown.characters_alone),
                }
                for grown in caps.grown
            ],
        },
        **({"generated": [_spread(*each) for each in _by_growth(generated)]} if generated else {}),
        "limits": LIMITS,
        **made.to_json(),
    }


def to_markdown(
    report: Retention, caps: CapsReport, made: Made, generated: Sequence[CapsReport] = ()
) -> str:
    """`generated`: as for `to_json`; the caps are told of all of them."""
    budgets = [f"{step * 100 // STEPS} %" for step in range(1, STEPS + 1)]
    rows = [
        [
            curve.policy.value,
            *(f"{each:.2f}" for each in curve.recall),
            share(curve.area),
            share(curve.short_area),
        ]
        for curve in report.curves
    ]
    lines = [
        "# Retention report",
        "",
        _basis(report),
        "",
        *table(["policy", *budgets, "area", "to 70 %"], rows),
        "",
        LIMITS,
        "",
        "## Other thresholds",
        "",
        "Areas from 10 % to 100 %. Near duplicates from a similarity of:",
        "",
        *_sweep(report.by_cluster),
        "",
        "Queries answered from a similarity of:",
        "",
        *_sweep(report.by_query),
        "",
        *_caps(caps, generated),
    ]
    return "\n".join(lines + made.to_markdown()) + "\n"


def _basis(report: Retention) -> str:
    return (
        f"{report.lessons} active lessons of {report.characters} characters; one query for each, "
        f"answered at a similarity of {QUERY} or more. The share answered, by the budget of "
        "characters; the area under it from 10 % to 100 % (0.9 at most) and to 70 % (0.6 at most)."
    )


def _curve(curve: Curve) -> dict[str, Json]:
    return {
        "policy": curve.policy.value,
        "recall": list(curve.recall),
        "kept": list(curve.kept),
        "area": curve.area,
        "area_to_70": curve.short_area,
    }


def _swept(swept: Swept) -> dict[str, Json]:
    return {"threshold": swept.threshold, "policies": [_curve(each) for each in swept.curves]}


def _selection(selection: Selection) -> dict[str, Json]:
    return {
        "kept": selection.kept,
        "recall": selection.recall,
        "cut": [cut.value for cut in selection.cuts],
    }


def _sweep(swept: Sequence[Swept]) -> list[str]:
    head = ["policy", *(f"{each.threshold:g}" for each in swept)]
    rows = [
        [policy.value, *(share(each.curves[place].area) for each in swept)]
        for place, policy in enumerate(Policy)
    ]
    return table(head, rows)


def _spread(*grown: Grown) -> dict[str, Json]:
    """One growth of several corpora: the least, the middle and the most of each number."""

    def spread(selections: Sequence[Selection]) -> dict[str, Json]:
        kept = [each.kept for each in selections]
        recall = [each.recall for each in selections]
        return {
            "kept": [min(kept), median(kept), max(kept)],
            "recall": [min(recall), median(recall), max(recall)],
        }

    return {
        "corpora": len(grown),
        "factor": grown[0].factor,
        "both": spread([each.both for each in grown]),
        "items_alone": spread([each.items_alone for each in grown]),
        "characters_alone": spread([each.characters_alone for each in grown]),
    }


def _by_growth(reports: Sequence[CapsReport]) -> Iterator[tuple[Grown, ...]]:
    return zip(*(report.grown for report in reports), strict=True)


def _caps(caps: CapsReport, generated: Sequence[CapsReport]) -> list[str]:
    sections = [
        [
            cell(section.name),
            f"{section.lessons} of {section.characters}",
            str(section.caps.items),
            str(section.caps.characters),
            f"{section.flips_at:.0f}",
        ]
        for section in caps.sections
    ]
    grown = [
        [
            f"× {each[0].factor:g}",
            f"{each[0].mean:.0f}",
            *_kept([one.both for one in each]),
            *_kept([one.items_alone for one in each])[:2],
            *_kept([one.characters_alone for one in each])[:2],
        ]
        for each in _by_growth(generated or [caps])
    ]
    of_all = (
        f" Of {len(generated)} generated corpora of this size the middle, and where they differ "
        "the least and the most:"
    )
    return [
        "## Which cap cuts",
        "",
        _FLIP,
        "",
        *table(["file", "lessons, characters", "items", "characters", "flips at"], sections),
        "",
        "As the files are, and with lessons that many times as long that say the same"
        + (f".{of_all}" if generated else ":"),
        "",
        *table(
            [
                "length",
                "mean",
                "both caps: kept",
                "recall",
                "cut by, file by file",
                "items alone: kept",
                "recall",
                "characters alone: kept",
                "recall",
            ],
            grown,
        ),
    ]


def _kept(selections: Sequence[Selection]) -> list[str]:
    """Of one selection, or of several with their spread: how many, the recall, what cut."""
    cuts = dict.fromkeys(", ".join(_CUTS[cut] for cut in each.cuts) for each in selections)
    return [
        _ranged([f"{n}" for n in sorted(each.kept for each in selections)]),
        _ranged([f"{n:.2f}" for n in sorted(each.recall for each in selections)]),
        " or ".join(sorted(cuts)),
    ]


def _ranged(ordered: Sequence[str]) -> str:
    """The middle, and the ends where they read otherwise."""
    middle = ordered[len(ordered) // 2]
    if ordered[0] == ordered[-1]:
        return middle
    return f"{middle} ({ordered[0]} to {ordered[-1]})"
