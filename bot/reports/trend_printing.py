"""Duplicate shares, months and recurrences as JSON and as Markdown. Pure; it counts nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.reports.findings import quoted
from bot.reports.made import Json, Made, cell, share, table
from bot.reports.recurrence import CAVEAT, Recurrence, Recurrences, Seen
from bot.reports.trends import Month, Trend

SHORT = 80  # characters of a lesson in a table


@dataclass(frozen=True, slots=True)
class Store:
    """One repository's figures at a commit."""

    name: str
    commit: str | None
    trend: Trend
    recurrences: Recurrences


def to_json(stores: Sequence[Store], fleet: Trend, made: Made) -> dict[str, Json]:
    return {
        "stores": [
            {
                "repository": store.name,
                "commit": store.commit,
                **_trend_json(store.trend),
                "lessons": [_recurrence_json(each) for each in store.recurrences.shown],
                "never_shown": {
                    "lessons": store.recurrences.unshown.lessons,
                    "recurred": store.recurrences.unshown.recurred,
                },
            }
            for store in stores
        ],
        "fleet": _trend_json(fleet),
        "caveat": CAVEAT,
        **made.to_json(),
    }


def to_markdown(stores: Sequence[Store], fleet: Trend, made: Made) -> str:
    named = [(cell(store.name), store.trend) for store in stores]
    if len(stores) > 1:
        named.append(("**all**", fleet))
    head = ["repository", "appended", "refreshed", "retired", "duplicate share", "active"]
    lines = [
        "# Duplicates and recurrences",
        "",
        "Duplicate share = refreshed / (appended + refreshed).",
        "",
        *table(head, [[name, *_counts(trend)] for name, trend in named]),
    ]
    for name, trend in named:
        if trend.months:
            rows = [[month.month, *_month(month)] for month in trend.months]
            lines += ["", f"## {name} by month", "", *table(["month", *head[1:]], rows)]
    lines += ["", "## Did it help?", "", CAVEAT]
    for store in stores:
        lines += ["", f"### {cell(store.name)}", "", *_recurrences(store.recurrences)]
    return "\n".join(lines + made.to_markdown()) + "\n"


def _trend_json(trend: Trend) -> dict[str, Json]:
    total = trend.total
    return {
        "appended": total.appended,
        "refreshed": total.refreshed,
        "retired": total.retired,
        "duplicate_share": total.duplicate_share,
        "active": trend.active,
        "months": [
            {
                "month": month.month,
                "appended": month.counts.appended,
                "refreshed": month.counts.refreshed,
                "retired": month.counts.retired,
                "duplicate_share": month.counts.duplicate_share,
                "active": month.active,
            }
            for month in trend.months
        ],
    }


def _recurrence_json(each: Recurrence) -> dict[str, Json]:
    return {
        "id": each.lesson,
        "text": quoted(each.text),
        "first_shown": each.first_shown.isoformat(),
        "before": each.before,
        "after": each.after,
        "days_before": each.days_before,
        "days_after": each.days_after,
        "served": each.served,
        "despite": each.despite,
        "followed": each.followed,
        "violated": each.violated,
        "seen": each.seen.value,
    }


def _counts(trend: Trend) -> list[str]:
    total = trend.total
    counts = (total.appended, total.refreshed, total.retired)
    return [*map(str, counts), share(total.duplicate_share), str(trend.active)]


def _month(month: Month) -> list[str]:
    found = month.counts
    counts = (found.appended, found.refreshed, found.retired)
    return [*map(str, counts), share(found.duplicate_share), str(month.active)]


def _recurrences(found: Recurrences) -> list[str]:
    if not found.shown:
        return ["No lesson was shown yet."]
    rows = [
        [
            cell(_shortened(quoted(each.text))),
            each.first_shown.date().isoformat(),
            f"{each.before} in {each.days_before} d",
            f"{each.after} in {each.days_after} d",
            f"{each.despite} of {each.served}",
            f"{each.followed} / {each.violated}",
            each.seen.value,
        ]
        for each in found.shown
    ]
    head = [
        "lesson",
        "first shown",
        "came up before",
        "came up after",
        "in pull requests it was served to",
        "followed / violated",
        "",
    ]
    counts = "; ".join(f"{seen.value}: {found.count(seen)}" for seen in Seen)
    never = found.unshown
    return [
        *table(head, rows),
        "",
        f"{counts}. Never shown: {never.lessons}, of which {never.recurred} came up again.",
    ]


def _shortened(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[: SHORT - 1]}…"
