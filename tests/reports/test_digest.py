"""Which four figures of a week changed most, and the words they are told in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import pytest

from bot.digest_text import command, issue, markdown, plain, title
from bot.lessons import event_files
from bot.lessons.history import History
from bot.lessons.rows import AdherenceRow, PromotedRow, Row, ShownRow, WriteRow
from bot.reports.digest import Digest, digest
from tests.reports.conftest import Caller, Clone

UNTIL = date(2026, 11, 29)
END = datetime(2026, 11, 29, tzinfo=UTC)


def write(days_ago: float, active: int = 1, **counts: int) -> WriteRow:
    at = END - timedelta(days=days_ago)
    return WriteRow(at=at, counts=counts, prs=(1,), active=active)


def served(days_ago: float, pr: int) -> ShownRow:
    return ShownRow(at=END - timedelta(days=days_ago), pr=pr, reader="agent", bullets=("aaaaaaaa",))


def week(*stores: Sequence[Row]) -> Digest | None:
    return digest([History.read(event_files.add({}, each)) for each in stores], UNTIL)


def named(found: Digest | None) -> dict[str, tuple[float | None, float | None]]:
    assert found is not None
    return {each.name: (each.now, each.before) for each in found.figures}


def test_the_four_that_changed_most_are_told_the_most_moved_first() -> None:
    found = week(
        [
            write(3, active=9, appended=9, refreshed=4),
            write(10, active=1, appended=1, refreshed=4),
            *(served(2, pr) for pr in range(4)),
            PromotedRow(END - timedelta(days=1), "aaaaaaaa", "a.md", weight=2, signals=3, prs=2),
        ]
    )
    assert found is not None
    assert [each.name for each in found.figures] == [
        "lessons appended",
        "active lessons",
        "blocks served to pull requests",
        "duplicate share",
    ]
    assert named(found)["lessons appended"] == (9, 1)
    moved = [each.moved for each in found.figures]
    assert moved == sorted(moved, reverse=True)
    assert moved[0] == pytest.approx(8 / math.sqrt(10))


def test_a_small_number_that_doubles_moves_less_than_a_large_one() -> None:
    found = week([write(1, appended=2, refreshed=40), write(8, appended=1, refreshed=20)])
    assert found is not None
    assert found.figures[0].name == "lessons refreshed"


def test_a_share_moves_by_how_many_writes_prove_it() -> None:
    few = week([write(1, appended=1, refreshed=1), write(8, appended=1)])
    many = week([write(1, appended=50, refreshed=50), write(8, appended=50)])
    assert few is not None
    assert many is not None
    assert "duplicate share" in named(many)
    (of_few,) = (f.moved for f in few.figures if f.name == "duplicate share")
    (of_many,) = (f.moved for f in many.figures if f.name == "duplicate share")
    assert of_few < 1 < of_many


def test_a_week_is_seven_whole_days_and_today_is_none_of_them() -> None:
    assert named(week([write(7, appended=3), write(7.01, appended=1)]))["lessons appended"] == (
        3,
        1,
    )
    assert named(week([write(14, appended=1)]))["lessons appended"] == (0, 1)
    assert week([write(14.01, appended=1)]) is None
    assert week([write(0, appended=1)]) is None


def test_stores_add_up_and_keep_their_size() -> None:
    found = week([write(1, active=4, appended=4)], [write(30, active=6, appended=6)])
    assert found is not None
    assert found.stores == 2
    assert named(found)["active lessons"] == (10, 6)


def test_only_violations_count_of_the_verdicts() -> None:
    at = END - timedelta(days=1)
    verdicts = ["violated", "violated", "followed"]
    found = week([AdherenceRow(at, "aaaaaaaa", pr, each) for pr, each in enumerate(verdicts)])
    assert named(found)["standing lessons violated"] == (2, 0)


# The words


def test_the_words_in_each_place() -> None:
    found = week([write(1, active=3, appended=3, refreshed=1), write(8, active=1, appended=1)])
    assert found is not None
    again = command(found, ["https://example.org/acme/shop.git", "a b"])
    assert again == (
        "python app.py report digest --until 2026-11-29"
        " --repo https://example.org/acme/shop.git --repo 'a b'"
    )
    page = markdown(found, "again")
    assert page.startswith("2026-11-22 to 2026-11-28, 1 repository. What changed most:\n\n")
    assert "| lessons appended | 3 | 1 |\n" in page
    assert "| duplicate share | 25% | 0% |\n" in page
    assert page.endswith("\n\nAgain: `again`")
    assert issue(found, "again").startswith(page)
    assert "Close this issue to hear no more" in issue(found, "again")
    said = plain(found, "acme", "again")
    assert said.startswith("Lessonkeeper, acme. 2026-11-22 to 2026-11-28, 1 repository.\n\n")
    assert "lessons appended: 3 (the week before: 1)\n" in said
    assert title("acme") == "Lessonkeeper: the week of acme"


def test_a_command_names_at_most_twenty_repositories() -> None:
    found = week([write(1, appended=1)])
    assert found is not None
    many = command(found, [f"shop-{n}" for n in range(21)])
    assert many.endswith("--repo shop-19 …")


def test_the_command_prints_the_same(caller: Caller, clone: Clone) -> None:
    found = [write(1, active=3, appended=3), write(8, active=1, appended=1)]
    clone.commit(dict(event_files.add({}, found)), "2026-11-28T12:00:00Z")
    call = ("digest", "--repo", "shop", "--until", "2026-11-29")
    expected = week(found)
    assert expected is not None
    answer = caller.report(*call)
    assert answer.out == f"{markdown(expected, command(expected, ['shop']))}\n"
    figures = caller.report(*call, "--json").json["figures"]
    assert [each["name"] for each in figures] == [each.name for each in expected.figures]
    quiet = caller.report("digest", "--repo", "shop", "--until", "2026-01-01")
    assert quiet.out == "Nothing happened in this week and the one before.\n"
    assert caller.report("digest", "--repo", "shop", "--until", "soon").status == 2
