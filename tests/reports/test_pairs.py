"""The pair report on lessons files and on labelled pairs."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from bot.errors import UserError
from bot.lessons.guard import Apart
from bot.lessons.similarity import Comparison
from bot.reports.labels import Label, LabelledPair, caution, parse_labels, score_labels
from bot.reports.made import Made
from bot.reports.pair_printing import to_json, to_markdown
from bot.reports.pairs import Store, closeness, report_pairs, score
from bot.settings import BlockSettings, Caps, Refresh, Settings

TODAY = date(2026, 11, 29)
RULE = Refresh()
MADE = Made(TODAY, "python app.py report pairs one.md")
FINDINGS = (Path(__file__).parents[1] / "field" / "findings-pairs.tsv").read_bytes()

WAIT = "Wait for every CI job of the pull request before giving a verdict."
WAIT_AGAIN = "Wait for each CI job of a pull request before you give the verdict."
WAIT_STILL = "Before giving a verdict, wait for every CI job of that pull request."
NEVER_WAIT = "Never wait for every CI job of the pull request before giving a verdict."
PIN = "Pin the version of the formatter in the lock file of the repository."
SHORT = "Pin the formatter."


def lessons_file(*lines: str) -> bytes:
    return "".join(f"- {line}\n" for line in lines).encode()


def pair_texts(pairs: object) -> set[frozenset[str]]:
    assert isinstance(pairs, list)
    return {frozenset((pair["a"], pair["b"])) for pair in pairs}


def test_active_bullets_of_one_store_are_compared_and_stores_never() -> None:
    files = [
        ("one.md", lessons_file(f"{WAIT} (#1, 2026-10-01, changes_requested)", PIN)),
        (
            "two.md",
            lessons_file(
                f"{WAIT_AGAIN} (#2, 2026-10-02, ci_fix)",
                f"{WAIT_STILL} (#3, 2026-10-03, ci_fix; expired 2026-11-01)",
                f"~~{WAIT}~~",
                SHORT,
            ),
        ),
    ]
    report = report_pairs(files, None, Settings(), TODAY)
    assert [(store.store, store.bullets) for store in report.stores] == [
        ("one.md", 2),
        ("two.md", 2),
    ]
    assert report.pairs == sum(report.histogram) == 2
    assert report.collapsing == ()


def test_pairs_that_would_collapse_and_pairs_that_the_guard_keeps_apart() -> None:
    report = score([Store("one.md", (WAIT, WAIT_AGAIN, NEVER_WAIT, PIN))], RULE, (20, 15))
    document = to_json(report, MADE)
    assert document["pairs"] == 6
    assert pair_texts(document["collapsing"]) == {frozenset((WAIT, WAIT_AGAIN))}
    assert pair_texts(document["apart"]) == {
        frozenset((WAIT, NEVER_WAIT)),
        frozenset((WAIT_AGAIN, NEVER_WAIT)),
    }
    assert pair_texts(document["above"]) == {frozenset((WAIT, WAIT_AGAIN))}
    assert pair_texts(document["below"]) == {
        frozenset((PIN, t)) for t in (WAIT, WAIT_AGAIN, NEVER_WAIT)
    }
    assert {pair.comparison.apart for pair in report.apart} == {Apart.NEGATION}


def test_the_histogram_counts_a_pair_at_its_similarity() -> None:
    same, words = "one two three four", "five six seven eight"
    report = score([Store("one.md", (same, same, words))], RULE, ())
    assert report.histogram[-1] == 1
    assert report.histogram[0] == 2


def test_the_largest_cluster_in_the_file_and_in_the_newest() -> None:
    chain = (WAIT, WAIT_AGAIN, WAIT_STILL)
    report = score([Store("one.md", (PIN, *chain)), Store("none.md", ())], RULE, (3, 2))
    cluster, empty = report.stores
    assert (cluster.bullets, cluster.largest, cluster.windows) == (4, 3, ((3, 2), (2, 1)))
    assert (empty.bullets, empty.largest, empty.windows) == (0, 0, ((3, 0), (2, 0)))


def test_newest_is_by_date_ties_from_the_bottom_and_a_persons_line_first() -> None:
    data = lessons_file(
        "Read the log of the first red step. (#3, 2026-10-06, changes_requested)",
        f"{WAIT_AGAIN} (#1, 2026-10-05, changes_requested)",
        f"{PIN} (#2, 2026-10-05, changes_requested)",
        WAIT,
    )
    block = replace(BlockSettings(), bullets=Caps(4, 4800), session=Caps(3, 3600))
    (cluster,) = report_pairs([("one.md", data)], None, Settings(block=block), TODAY).stores
    assert cluster.windows == ((4, 2), (3, 1))


def test_the_closest_pairs_are_those_by_the_weaker_score_of_the_better_way() -> None:
    def close(similarity: float, blend: float, refresh: Refresh = RULE) -> float:
        return closeness(Comparison(similarity, blend, None, same=False), refresh)

    assert close(0.25, 0.42) == 1
    assert close(0.0, 0.5) == 1
    assert close(0.5, 0.21) == pytest.approx(0.5)
    assert close(0.125, 0.45) == pytest.approx(0.9)
    assert close(0.125, 0.45, Refresh(reword_floor=None)) == pytest.approx(0.5)


def test_a_file_with_undecodable_bytes_can_be_printed() -> None:
    data = b"- " + PIN.encode() + b" \xff\n- " + PIN.encode() + b"\n"
    report = report_pairs([("one.md", data)], None, Settings(), TODAY)
    to_markdown(report, MADE).encode()
    assert len(report.collapsing) == 1


def test_a_secret_in_a_file_reaches_neither_the_page_nor_the_document() -> None:
    key = "ghp_" + "a1B2" * 9  # put together here, so that no scanner takes this file for a leak
    data = lessons_file(*(f"{WAIT} Pass {key} to the job{end}" for end in (".", " again.")))
    report = report_pairs([("one.md", data)], None, Settings(), TODAY)
    assert len(report.collapsing) == 1
    assert key not in to_markdown(report, MADE)
    assert key not in json.dumps(to_json(report, MADE))


# Labels


def test_the_whole_rule_and_every_floor_on_the_labelled_findings() -> None:
    document = to_json(report_pairs([], FINDINGS, Settings(), TODAY), MADE)
    assert set(document) == {"rule", "floors", "suggested", "refresh", "as_of", "command"}
    rule, floors = document["rule"], document["floors"]
    assert isinstance(rule, dict)
    assert isinstance(floors, list)
    assert list(rule) == ["merged", "precision", "recall", "opposite_merged"]
    assert rule["precision"] >= 0.90
    assert rule["recall"] >= 0.47
    assert rule["opposite_merged"] == 0
    assert [entry["floor"] for entry in floors] == [n / 100 for n in range(5, 61)]
    (configured,) = (entry for entry in floors if entry["floor"] == 0.25)
    assert round(configured["precision"], 3) == 0.905
    assert round(configured["recall"], 3) == 0.423
    json.dumps(document, allow_nan=False)


def test_an_opposite_that_a_floor_merges_counts_against_its_precision() -> None:
    pairs = [
        LabelledPair(WAIT, WAIT_AGAIN, Label.SAME),
        LabelledPair(WAIT, NEVER_WAIT, Label.OPPOSITE),
        LabelledPair(WAIT, PIN, Label.DISTINCT),
        LabelledPair(SHORT, SHORT, Label.SAME),  # too short for the rule
    ]
    scores = score_labels(pairs, RULE)
    assert scores.pairs == 4
    rule = scores.rule
    assert (rule.merged, rule.precision, rule.recall, rule.opposite_merged) == (1, 1.0, 0.5, 0)
    (floor,) = (entry.score for entry in scores.floors if entry.floor == 0.25)
    assert (floor.merged, floor.precision, floor.recall, floor.opposite_merged) == (2, 0.5, 0.5, 1)


def test_a_floor_of_ones_own_is_scored_beside_the_others() -> None:
    floors = score_labels([], Refresh(floor=0.333)).floors
    assert len(floors) == 57
    assert 0.333 in [entry.floor for entry in floors]


def labelled(*found: tuple[str, str, Label]) -> list[LabelledPair]:
    return [LabelledPair(a, b, label) for a, b, label in found]


def words(common: int, own: int, name: str) -> tuple[str, str]:
    """Two texts whose similarity is common / (common + 2 own)."""
    shared = " ".join(f"{name}shared{n}" for n in range(common))
    return tuple(f"{shared} " + " ".join(f"{name}{side}{n}" for n in range(own)) for side in "xy")  # type: ignore[return-value]


def test_the_suggested_floor_keeps_a_wrong_merge_out_at_the_price_of_a_right_one() -> None:
    right = [(*words(10, 5, f"right{n}"), Label.SAME) for n in range(8)]  # 10/20 = 0.50
    late = (*words(10, 12, "late"), Label.SAME)  # 10/34 = 0.29
    wrong = [(*words(10, 10, f"wrong{n}"), Label.DISTINCT) for n in range(3)]  # 10/30 = 0.33
    scores = score_labels(labelled(*right, late, *wrong), RULE)
    assert scores.suggested is not None
    assert scores.suggested.floor == 0.50  # the highest of those that do equally well
    assert (scores.suggested.score.precision, scores.suggested.score.recall) == (1.0, 8 / 9)


def test_few_labels_prove_little() -> None:
    one = score_labels(labelled((WAIT, WAIT_AGAIN, Label.SAME)), RULE).rule
    many = replace(one, merged=100)
    assert (one.precision, one.recall) == (many.precision, many.recall) == (1.0, 1.0)
    # Wilson: 1 / (1 + 1.96²) = 0.2065 of one, 0.9630 of a hundred; then F0.5 with recall 1.
    assert caution(one) == pytest.approx(1.25 * 0.20654 / (0.25 * 0.20654 + 1), abs=1e-4)
    assert caution(many) == pytest.approx(1.25 * 0.96301 / (0.25 * 0.96301 + 1), abs=1e-4)


def test_no_floor_is_suggested_where_none_merges_what_is_the_same() -> None:
    scores = score_labels(labelled((WAIT, WAIT_AGAIN, Label.DISTINCT)), RULE)
    assert scores.suggested is None
    assert "No floor is suggested" in to_markdown(replace(score([], RULE, ()), labels=scores), MADE)


def test_where_nothing_is_merged_there_is_no_precision() -> None:
    scores = score_labels([LabelledPair(WAIT, PIN, Label.DISTINCT)], RULE).rule
    assert (scores.merged, scores.precision, scores.recall) == (0, None, None)


def test_columns_are_found_by_name_and_quoted_cells_are_read() -> None:
    data = '\ufefflabel\tpr\tb\ta\r\nopposite\t7\t"say ""no""\nor not"\tsay yes\r\n'.encode()
    assert parse_labels(data) == (LabelledPair("say yes", 'say "no"\nor not', Label.OPPOSITE),)


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"", 1, "there is no column a, b, label"),
        (b"a\tlabel\n", 1, "there is no column b"),
        (b"a\tb\tlabel\nx\ty\tsame\nx\ty\ttwin\n", 3, "'twin' is not a label"),
        (b"a\tb\tlabel\nx\ty\n", 2, "too few columns"),
        (b"a\tb\tlabel\nx\ty\tsame\nx\t\xff\tsame\n", 3, "not UTF-8"),
        (b'a\tb\tlabel\n"x\ty\tsame\nx\ty\tsame\n', 2, "unexpected end of data"),
        (
            b"a\tb\tlabel\n" + b"x" * (csv.field_size_limit() + 1) + b"\ty\tsame\n",
            2,
            "field larger than field limit",
        ),
    ],
)
def test_unreadable_labels_say_where(data: bytes, line: int, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        report_pairs([], data, Settings(), TODAY, labels_name="judged.tsv")
    assert (caught.value.file, caught.value.line) == ("judged.tsv", line)
    assert "same, distinct, opposite" in caught.value.remedy


def test_the_page() -> None:
    labels = f"a\tb\tlabel\n{WAIT}\t{WAIT_AGAIN}\tsame\n{WAIT}\t{PIN}\tdistinct\n".encode()
    data = lessons_file(WAIT, WAIT_AGAIN, NEVER_WAIT)
    page = to_markdown(report_pairs([("one.md", data)], labels, Settings(), TODAY), MADE)
    assert "Pairs of active bullets: 3; would collapse: 1; kept apart by the guard: 2." in page
    assert "| largest cluster | in the newest 20 | in the newest 15 |" in page
    assert "| one.md | 3 | 3 | 1 | 2 | 2 | 2 | 2 |" in page
    assert page.index("| 0.20 to 0.25 |") < page.index("| **floor 0.25** |")
    assert page.index("| **floor 0.25** |") < page.index("| 0.25 to 0.30 |")
    assert f"  - {WAIT}\n" in page
    assert ", negation\n" in page
    assert "| **the rule** | 1 | 1.000 | 1.000 | 0 |" in page
    assert "| floor 0.25, in use | 1 | 1.000 | 1.000 | 0 |" in page
    assert "No opposite is among these labels" in page
    assert page.endswith("As of 2026-11-29. Again: `python app.py report pairs one.md`\n")
