"""Pure values of the pages: what a store's files add up to, and how it is drawn and written."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from bot.lessons.event_files import add
from bot.lessons.rows import WriteRow
from bot.reports.carried import weigh
from bot.reports.trends import Counts, Month
from bot.settings import Carried, Settings
from bot.web.chart import BOTTOM, HEIGHT, LEFT, TOP, WIDTH, mix, sizes, weights
from bot.web.figures import Figures, State, figures
from bot.web.fleet import Summary, fleet, summary
from bot.web.prose import code, percent

TODAY = date(2026, 11, 2)
LESSONS = b"""# Lessons

- Wait for every job. (#41, 2026-11-01, changes_requested) <!-- 00000001 -->
- Close the session. (#17, 2026-08-04, changes_requested) <!-- 00000002 -->
- Bump `MIN_TESTS`. (#17, 2026-08-05, ci_fix) <!-- 00000003 -->
- Name the file. (#9, 2026-10-01, changes_requested; stale 2026-10-20: a.py) <!-- 00000004 -->
- ~~Never wait.~~ (#8, 2026-10-02, founder_note) <!-- 00000005 -->
- A person's own line.
"""


@dataclass(frozen=True)
class Files:
    lessons: bytes | None = LESSONS
    commit: str | None = "c" * 40
    events: dict[str, bytes] = field(default_factory=dict)
    standing: dict[str, bytes] = field(default_factory=dict)
    rules: bytes | None = None
    settings: Settings = field(default_factory=Settings)


def found(files: Files | None = None) -> Figures:
    return figures(files or Files(), 0, TODAY)


def test_every_line_has_the_state_it_has_on_the_day() -> None:
    assert [(line.state, line.id) for line in found().lines] == [
        (State.BY_HAND, None),
        (State.ACTIVE, "00000001"),
        (State.STRUCK, "00000005"),
        (State.STALE, "00000004"),
        (State.ACTIVE, "00000003"),
        (State.EXPIRED, "00000002"),  # on its 90th day, whether or not a sweep ran
    ]


def test_an_empty_store_has_figures_too() -> None:
    nothing = found(Files(lessons=None, commit=None))
    assert (nothing.lines, nothing.last_write, nothing.trend.months) == ((), None, ())
    assert percent(nothing.trend.total.duplicate_share) == "–"


def test_what_is_kept_of_a_store_follows_the_date() -> None:
    kept = Summary.from_text(summary(found()).to_text())
    assert kept == summary(found())
    assert [kept.active(day) for day in (TODAY, date(2026, 11, 3), date(2027, 1, 30))] == [3, 2, 1]


def test_a_fleet_is_the_sum_of_its_stores() -> None:
    at = datetime(2026, 11, 1, tzinfo=UTC)
    rows = [WriteRow(at, {"appended": 3, "refreshed": 1}, (1,), 3)]
    one = summary(found(Files(events=add({}, rows))))
    seen = fleet([("b/two", None, 1), ("a/one", one, 0), ("A/zero", one, 2)], TODAY, 1)
    assert [store.full_name for store in seen.stores] == ["a/one", "A/zero", "b/two"]
    assert (seen.active, seen.duplicate_share, seen.alarms) == (6, 0.25, 4)
    assert seen.stores[2].active is None, "it was not read yet, which is not the same as empty"


counts = st.builds(Counts, *[st.integers(0, 400)] * 3)
months = st.lists(st.builds(Month, st.just("2026-11"), counts, st.integers(0, 40)), max_size=40)


@given(months)
def test_every_bar_stands_inside_its_picture(given_months: list[Month]) -> None:
    for chart in (mix(given_months), sizes(given_months)):
        for bar in chart.bars:
            assert LEFT <= bar.x <= bar.x + bar.width <= WIDTH
            assert TOP - 0.2 <= bar.y <= bar.y + bar.height <= HEIGHT - BOTTOM + 0.2
        assert len(chart.lines) <= 7


def test_a_file_over_its_budget_stands_out() -> None:
    budget = Carried()
    files = weigh({"AGENTS.md": b"x\n" * 20, "CLAUDE.md": b"x\n" * 400}, budget)
    drawn = weights(files)
    assert [(bar.kind, bar.share) for bar in drawn.bars] == [("light", "10%"), ("heavy", "200%")]
    assert drawn.bars[0].width < drawn.budget < drawn.bars[1].width <= WIDTH


@given(st.text())
def test_a_sentence_is_text_and_inline_code_whatever_is_in_it(sentence: str) -> None:
    written = str(code(sentence))
    plain = re.sub(r"</?code>", "", written)
    assert "<" not in plain
    balanced = sentence.count("`") % 2 == 0
    assert html.unescape(plain) == html.unescape(html.escape(sentence)).replace(
        "`", "" if balanced else "`"
    )
