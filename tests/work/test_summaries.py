"""What is kept of each store for the page of all stores."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from sqlalchemy import update

from bot.reports.trends import Counts
from bot.web.fleet import Summary
from bot.work.summaries import Summaries, summaries
from tests.stores import NOW, stores

KEPT = Summary("c" * 40, ((NOW.date(), 2),), 1, 0, 3, Counts(4, 5, 6), NOW)


def test_the_newest_summary_of_a_store_is_kept(database_url: str) -> None:
    with stores(database_url) as made:
        kept = Summaries(made.engine, made.writer)
        kept.keep(11, KEPT)
        kept.keep(11, replace(KEPT, retired=4))
        kept.keep(12, KEPT)
        assert kept.of([11, 12, 13]) == {11: replace(KEPT, retired=4), 12: KEPT}
        assert kept.get(13) is None


@pytest.mark.parametrize("change", [{"more": 1}, {"written": {"gone": 1}}, {"last_write": "soon"}])
def test_what_another_version_kept_holds_no_other_store_back(
    sqlite_url: str, change: dict[str, object]
) -> None:
    with stores(sqlite_url) as made:
        kept = Summaries(made.engine, made.writer)
        kept.keep(11, KEPT)
        kept.keep(12, KEPT)
        text = json.dumps({**json.loads(KEPT.to_text()), **change})
        row = update(summaries).where(summaries.c.repository == 11).values(summary=text)
        made.writer.do(lambda c: c.execute(row).rowcount)
        assert kept.of([11, 12]) == {12: KEPT}
        kept.keep(11, KEPT)
        assert kept.get(11) == KEPT
