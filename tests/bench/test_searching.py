"""The measurements of search on few notes: they find what they time, and say so in a row."""

from __future__ import annotations

from pathlib import Path

from bot.bench.searching import index_rows, search_rows

FINDINGS = (Path(__file__).parents[1] / "field" / "findings-pairs.tsv").read_bytes()


def test_every_question_is_answered_and_the_slowest_count(tmp_path: Path) -> None:
    (row,) = search_rows(tmp_path, FINDINGS, lambda: None, notes=40)
    assert 0 < row.figures["p50"] <= row.figures["p99"]
    assert row.what == "a search over 40 notes, in-process"


def test_a_pushed_note_is_found_and_weighed_against_a_rebuild(tmp_path: Path) -> None:
    (row,) = index_rows(tmp_path, FINDINGS, lambda: None, notes=40)
    assert row.ok is (row.figures["one"] <= row.figures["rebuild"] / 100)
    assert row.against == "a rebuild of 40"
