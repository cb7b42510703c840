"""A retention report as JSON and as Markdown (SPEC 8). Pure; it counts nothing itself."""

from __future__ import annotations

from collections.abc import Sequence

from bot.lessons.block import Cut
from bot.reports.caps import CapsReport, Selection
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


def to_json(report: Retention, caps: CapsReport, made: Made) -> dict[str, Json]:
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
        "limits": LIMITS,
        **made.to_json(),
    }


def to_markdown(report: Retention, caps: CapsReport, made: Made) -> str:
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
        *_caps(caps),
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


def _caps(caps: CapsReport) -> list[str]:
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
            f"× {each.factor:g}",
            f"{each.mean:.0f}",
            *_kept(each.both),
            *_kept(each.items_alone)[:2],
            *_kept(each.characters_alone)[:2],
        ]
        for each in caps.grown
    ]
    return [
        "## Which cap cuts",
        "",
        _FLIP,
        "",
        *table(["file", "lessons, characters", "items", "characters", "flips at"], sections),
        "",
        "As the files are, and with lessons that many times as long that say the same:",
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


def _kept(selection: Selection) -> list[str]:
    cuts = ", ".join(_CUTS[cut] for cut in selection.cuts)
    return [str(selection.kept), f"{selection.recall:.2f}", cuts]
