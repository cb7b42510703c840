"""Reports as pictures, PNG or SVG. The one home of matplotlib, which only a picture loads.

Draws what a report holds and counts nothing. The same report gives the same file.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from bot.errors import CallError
from bot.reports.labels import LabelScores
from bot.reports.pairs import BINS, PairReport, StoreFigures
from bot.reports.retention import SHORT, STEPS, Policy, Retention
from bot.reports.trends import Trend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg")
# Okabe and Ito's colours: told apart also by people who see fewer.
INK, BLUE, ORANGE, GREEN, RED, PURPLE = (
    "#333333", "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7",
)  # fmt: skip
COLUMNS = 3  # panels side by side
NAMES = 24  # of months below an axis: more would touch each other


def format_of(name: str) -> str:
    """The format that a file's name asks for. Raises CallError for one that there is not."""
    found = PurePath(name).suffix.lower().removeprefix(".")
    if found not in FORMATS:
        raise CallError("there is no such picture.", file=name, remedy="End it in .png or .svg.")
    return found


def pairs(report: PairReport, form: str) -> bytes:
    """A histogram for each store with the floor, and what each floor does to labelled pairs."""
    panels = len(report.stores) + (report.labels is not None)
    columns = min(panels, COLUMNS)
    rows = -(-panels // columns)
    figure = _figure(max(4.2 * columns, 6.4), 3.2 * rows)
    places = list(figure.subplots(rows, columns, squeeze=False).flat)
    most = max((max(store.histogram) for store in report.stores), default=1)
    for axes, store in zip(places, report.stores, strict=False):
        _histogram(axes, store, report.refresh.floor, most)
    if report.labels is not None:
        _floors(places[len(report.stores)], report.labels, report.refresh.floor)
    for axes in places[panels:]:
        axes.set_axis_off()
    return _bytes(figure, form)


def retention(report: Retention, form: str) -> bytes:
    """The recall of each policy at each budget, the shorter area shaded."""
    figure = _figure(7.2, 4.4)
    axes = figure.subplots()
    budgets = [step * 100 / STEPS for step in range(1, STEPS + 1)]
    styles = zip((BLUE, ORANGE, GREEN, PURPLE, INK), ("o", "s", "^", "v", ""), strict=True)
    for curve, (colour, marker) in zip(report.curves, styles, strict=True):
        line = "--" if curve.policy is Policy.COVER else "-"
        label = f"{curve.policy}, area {curve.area:.3f}"
        axes.plot(budgets, curve.recall, line, marker=marker, color=colour, label=label)
    axes.axvspan(budgets[0], budgets[SHORT - 1], color=INK, alpha=0.05)
    axes.set_xlim(budgets[0], budgets[-1])
    axes.set_ylim(0, 1.02)
    axes.set_title(
        f"{report.lessons} lessons of {report.characters} characters\n"
        "one query made of each: not what anybody will ask for",
        fontsize="medium",
    )
    axes.set_xlabel("budget, % of the characters")
    axes.set_ylabel("queries answered")
    axes.legend(loc="lower right")
    return _bytes(figure, form)


def months(trend: Trend, form: str) -> bytes:
    """Appended and refreshed above the line, retired below it; and the share of duplicates."""
    figure = _figure(7.2, 4.8)
    bars, line = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    places = range(len(trend.months))
    counts = [month.counts for month in trend.months]
    appended = [each.appended for each in counts]
    refreshed = [each.refreshed for each in counts]
    bars.bar(places, appended, color=BLUE, label="appended")
    bars.bar(places, refreshed, bottom=appended, color=GREEN, label="refreshed")
    bars.bar(places, [-each.retired for each in counts], color=ORANGE, label="retired")
    sizes = [month.active for month in trend.months]
    bars.plot(places, sizes, color=INK, marker=".", label="active")
    bars.axhline(0, color=INK, linewidth=0.8)
    bars.set_ylabel("bullets")
    bars.legend(loc="upper left", ncols=4, fontsize="small")
    bars.margins(y=0.2)
    shares = [(place, each.duplicate_share) for place, each in enumerate(counts)]
    points = [(place, value) for place, value in shares if value is not None]
    line.plot([x for x, _ in points], [y for _, y in points], color=RED, marker="o")
    line.set_ylim(0, 1.02)
    line.set_ylabel("duplicate share")
    named = places[:: -(-len(places) // NAMES) or 1]
    line.set_xticks(named, [trend.months[place].month for place in named], rotation=45)
    return _bytes(figure, form)


def benchmarks(
    shares: Sequence[tuple[str, float]],
    growth: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    form: str,
) -> bytes:
    """What each row takes of what it may take, 1 being all; and how seconds grow with a size, both
    as multiples of the least. `growth` holds (name, ((size, seconds), …)).
    """
    figure = _figure(12, 1.6 + 0.28 * max(len(shares), 12))
    left, right = figure.subplots(1, 2, width_ratios=[3, 2])
    places = range(len(shares) - 1, -1, -1)
    for place, (_, share) in zip(places, shares, strict=True):
        left.plot([share, 1], [place, place], color=INK, linewidth=0.5, alpha=0.4)
        left.plot(share, place, "o", color=BLUE if share <= 1 else RED)
    left.axvline(1, color=INK, linewidth=1)
    left.set_xscale("log")
    left.xaxis.set_major_formatter("{x:g}")
    names = [name if len(name) <= 78 else f"{name[:77]}…" for name, _ in shares]
    left.set_yticks(places, names, fontsize="x-small")
    left.set_title("what each takes of what it may take", fontsize="medium")
    colours = zip((BLUE, ORANGE, GREEN, PURPLE), ("o", "s", "^", "v"), strict=True)
    for (name, steps), (colour, marker) in zip(growth, colours, strict=False):
        (first, least), *_ = steps
        right.plot(
            [size / first for size, _ in steps],
            [seconds / least for _, seconds in steps],
            marker=marker, color=colour, label=name,
        )  # fmt: skip
    most = max((steps[-1][0] / steps[0][0] for _, steps in growth), default=1.0)
    right.plot([1, most], [1, most], color=INK, linestyle=":", label="in step with the size")
    right.set_xscale("log", base=2)
    right.set_yscale("log", base=2)
    for axis in (right.xaxis, right.yaxis):
        axis.set_major_formatter("{x:g} ×")
    right.set_xlabel("size")
    right.set_title("how the time grows", fontsize="medium")
    right.legend(loc="best", fontsize="x-small")
    return _bytes(figure, form)


def _histogram(axes: Axes, store: StoreFigures, floor: float, most: int) -> None:
    """`most`: the highest bar of all panels, so that they can be compared."""
    width = 1 / BINS
    centres = [(step + 0.5) * width for step in range(BINS)]
    axes.bar(centres, store.histogram, width * 0.92, color=BLUE)
    axes.axvline(floor, color=RED, linestyle="--", label=f"floor {floor:g}")
    axes.set_yscale("symlog", linthresh=1)  # the few pairs near the floor are what matters
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_ylim(0, most * 1.5)
    axes.set_xlim(0, 1)
    axes.set_title(f"{_shortened(store.store)}\n{store.pairs} pairs of {store.bullets} bullets")
    axes.set_xlabel("similarity of two bullets")
    axes.set_ylabel("pairs")
    axes.legend(loc="upper right")


def _floors(axes: Axes, labels: LabelScores, in_use: float) -> None:
    floors, scores = [f.floor for f in labels.floors], [f.score for f in labels.floors]
    for name, colour, values, rule in (
        ("precision", BLUE, [score.precision for score in scores], labels.rule.precision),
        ("recall", GREEN, [score.recall for score in scores], labels.rule.recall),
    ):
        points = [(x, y) for x, y in zip(floors, values, strict=True) if y is not None]
        axes.plot([x for x, _ in points], [y for _, y in points], color=colour, label=name)
        if rule is not None:
            axes.axhline(rule, color=colour, linestyle=":", label=f"{name} of the rule")
    axes.axvline(in_use, color=RED, linestyle="--", label="floor in use")
    if labels.suggested is not None:
        axes.axvline(labels.suggested.floor, color=PURPLE, linestyle="-.", label="suggested")
    axes.set_ylim(0, 1.02)
    axes.set_title(f"A floor alone\n{labels.pairs} labelled pairs")
    axes.set_xlabel("floor")
    axes.legend(loc="center right", fontsize="small")


def _figure(width: float, height: float) -> Figure:
    """An empty figure of this size in inches; it is drawn without any state of the process."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", dpi=120)


def _bytes(figure: Figure, form: str) -> bytes:
    import matplotlib as mpl

    data = io.BytesIO()
    # Neither the day nor a random id goes into the file.
    with mpl.rc_context({"svg.hashsalt": "lessonkeeper", "svg.fonttype": "none"}):
        figure.savefig(data, format=form, metadata={"Date": None} if form == "svg" else None)
    return data.getvalue()


def _shortened(name: str) -> str:
    """The end of a path: what tells it from its neighbours, in a title's width."""
    return name if len(name) <= 40 else f"…{name[-39:]}"
