"""The rows of the benchmark as values: what they say, and where they are written."""

from __future__ import annotations

import json

import pytest

from bot.bench.__main__ import drawn
from bot.bench.rounds import Spread, in_turns, ratios
from bot.bench.table import Machine, Row, growth_of, into, share_of_reach, to_json, to_markdown

WHERE = Machine(cores=2, python="3.12.1", git="2.45.0", system="Linux", load=0.2)
ROWS = [
    Row("a write", "a clone", "≤ 0.05 ×", "0.01 ×", True, {"ratio": 0.0123456789}),
    Row("a decision", "–", "≤ 5 ms", "9 ms", False),
    Row("a cold one", "–", "–", "20 ms", None),
]


def test_a_row_says_whether_it_reached_its_mark() -> None:
    lines = to_markdown(ROWS).splitlines()
    assert lines[0] == "| what | against | reach | measured | ok |"
    assert [line.rsplit("|", 2)[1].strip() for line in lines[2:]] == ["yes", "NO", "–"]


def test_the_json_holds_the_bare_numbers() -> None:
    document = json.loads(json.dumps(to_json(ROWS, WHERE)))
    assert [row["ok"] for row in document["rows"]] == [True, False, None]
    assert document["rows"][0]["figures"] == {"ratio": 0.012346}
    assert document["machine"]["cores"] == 2


def test_the_table_takes_the_place_between_the_marks_and_leaves_the_rest() -> None:
    before = "# B\n\n<!-- measured -->\nformer\n<!-- /measured -->\n\nend\n"
    after = into(before, to_markdown(ROWS), WHERE)
    assert after.startswith("# B\n\n<!-- measured -->\n\n2 cores, Linux, Python 3.12.1, git 2.45.0")
    assert after.endswith("|\n\n<!-- /measured -->\n\nend\n")
    assert "former" not in after
    assert into(after, to_markdown(ROWS), WHERE) == after


def test_a_document_without_the_marks_is_left_alone() -> None:
    with pytest.raises(ValueError, match="not both there"):
        into("# B\n", "| |\n", WHERE)


@pytest.mark.parametrize(("load", "busy"), [(0.5, False), (1.6, True)])
def test_a_machine_is_busy_when_others_want_its_cores(load: float, busy: bool) -> None:
    assert Machine(2, "3.12.1", "2.45.0", "Linux", load).is_busy is busy


def test_a_spread_shows_three_digits() -> None:
    assert str(Spread.of([0.00123456, 1.5, 1234.5])) == "0.00123 / 1.50 / 1234"
    assert Spread.of([0.001, 0.002, 0.004]).milliseconds() == "1.00 / 2.00 / 4.00 ms"


def test_sides_take_turns_and_the_first_round_is_lost() -> None:
    order: list[str] = []

    def side(name: str, seconds: float) -> float:
        order.append(name)
        return seconds

    ticks: list[None] = []
    taken = in_turns(
        {"a": lambda: side("a", 1.0), "b": lambda: side("b", 2.0)}, 2, lambda: ticks.append(None)
    )
    assert order == ["b", "a", "a", "b", "b", "a"]
    assert taken == {"a": (1.0, 1.0), "b": (2.0, 2.0)}
    assert len(ticks) == 3
    assert ratios(taken["a"], taken["b"]) == Spread(0.5, 0.5, 0.5)


def test_without_patience_one_round_has_to_do() -> None:
    taken = in_turns({"a": lambda: 1.0}, 9, lambda: None, lost=0, patience=-1.0)
    assert taken == {"a": (1.0,)}


@pytest.mark.parametrize(
    ("reach", "measured", "share"),
    [
        ("≤ 0.05 ×", "0.006 / 0.015 / 0.024 × (bot 145 ms)", 0.3),
        ("≤ 5 ms", "4 ms", 0.8),
        ("≤ 2 s", "400 / 500 / 900 ms", 0.25),
        ("≥ 1.3 ×", "2.60 ×", 0.5),
        ("≥ 0.80", "1.00", 0.8),
        ("none", "0 of 38", None),
        ("–", "3 ms", None),
        ("≤ 5 ms", "not measured: there is no wrk", None),
    ],
)
def test_a_row_takes_a_share_of_what_it_may(reach: str, measured: str, share: float | None) -> None:
    found = share_of_reach(Row("a", "–", reach, measured, None))
    assert found == (share if share is None else pytest.approx(share))


def test_the_picture_shows_each_share_and_what_grows() -> None:
    grows = Row("a page: 4 stores", "1 store", "≤ 6 ×", "2 ×", True, {"1": 0.1, "4": 0.2})
    assert growth_of(grows) == ((1, 0.1), (4, 0.2))
    picture = drawn([*ROWS, grows])
    assert picture == drawn([*ROWS, grows])
    said = picture.decode()
    assert all(words in said for words in ("a write / a clone", "a decision", "a page"))
    assert "a cold one" not in said
