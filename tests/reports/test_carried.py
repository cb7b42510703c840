"""What always-loaded files weigh, and what each line of them costs in a month."""

from __future__ import annotations

import pytest

from bot.reports.carried import Weight, tokens, weigh
from bot.settings import Carried

FEW = Carried(lines=10, kilobytes=1, runs_per_month=1000, usd_per_million_tokens=2.0)


def test_tokens_are_a_quarter_of_ascii_and_one_for_any_other_character() -> None:
    assert tokens("four per token\n!") == 4
    assert tokens("提交前") == 3
    assert tokens("") == 0


def test_a_line_costs_its_tokens_times_the_runs_times_the_price() -> None:
    (file,) = weigh({"AGENTS.md": b"x" * 39 + b"\n" + b"y" * 20}, FEW)
    first, second = file.lines
    assert (first.number, first.tokens, second.tokens) == (1, 10, 5)
    assert first.usd == pytest.approx(10 * 1000 * 2 / 1_000_000)
    assert file.tokens == 15
    assert file.usd == pytest.approx(0.03)
    assert file.size == 60


@pytest.mark.parametrize(
    ("data", "weight"),
    [
        (b"", Weight.FINE),
        (b"a\n" * 8, Weight.FINE),
        (b"a\n" * 9, Weight.NEAR),
        (b"a\n" * 10, Weight.NEAR),
        (b"a\n" * 11, Weight.OVER),
        (b"a" * 921, Weight.FINE),
        (b"a" * 922, Weight.NEAR),
        (b"a" * 1024, Weight.NEAR),
        (b"a" * 1025, Weight.OVER),
        (b"\xff" * 3, Weight.FINE),
    ],
)
def test_the_warning_comes_before_either_budget_is_spent(data: bytes, weight: Weight) -> None:
    assert weigh({"AGENTS.md": data}, FEW)[0].weight is weight
