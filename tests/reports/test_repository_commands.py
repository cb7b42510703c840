"""`report duplicates` and `report audit` on real repositories, as a person calls them."""

from __future__ import annotations

from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest

from bot.git.clone import Clone as Reader
from bot.git.command import Git
from bot.git.versions import versions
from bot.lessons import event_files
from bot.lessons.block import BEGIN, END
from bot.lessons.rows import Row, SignalRow, WriteRow
from tests.reports.conftest import Caller, Clone

LESSONS, PITFALLS = ".agent-corp/lessons.md", ".agent-corp/known-pitfalls.md"
WAIT = "Wait for every CI job of the pull request before giving a verdict."


def moment(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


def written(*found: Row) -> dict[str, str | bytes | None]:
    return dict(event_files.add({}, found))


def block(*identities: str) -> str:
    lines = [f"- {WAIT} (#1, 2026-06-01) <!-- {each} -->" for each in identities]
    return "\n".join([BEGIN, "", *lines, "", END, ""])


def signal(day: str, pr: int) -> SignalRow:
    return SignalRow(
        at=moment(day),
        source=f"review:{pr}@{pr:012x}",
        pr=pr,
        head="f" * 40,
        channel="changes_requested",
        state="changes_requested",
        by=7,
        strength=0.7,
        sentence=WAIT,
        bullet="aaaaaaaa",
        did="appended",
    )


@pytest.fixture
def history(clone: Clone) -> str:
    """A store with two writes, whose lesson came into the committed block in July."""
    events = written(
        WriteRow(at=moment("2026-06-01"), counts={"appended": 1}, prs=(1,), active=1),
        WriteRow(at=moment("2026-08-01"), counts={"refreshed": 1}, prs=(2,), active=1),
        signal("2026-06-01", 1),
        signal("2026-08-01", 2),
    )
    clone.commit({PITFALLS: block()}, "2026-06-01T12:00:00Z")
    clone.commit({PITFALLS: block("aaaaaaaa")}, "2026-07-01T12:00:00Z")
    clone.commit({PITFALLS: block("aaaaaaaa", "bbbbbbbb")}, "2026-07-05T12:00:00Z")
    return clone.commit(events, "2026-08-01T12:00:00Z")


def test_the_versions_of_a_file_come_oldest_first_and_its_absence_is_none(clone: Clone) -> None:
    clone.commit({"a.md": "one\n"}, "2026-06-01T12:00:00Z")
    clone.commit({"a.md": None}, "2026-06-02T12:00:00Z")
    clone.commit({"b.md": "other\n"}, "2026-06-03T12:00:00Z")
    head = clone.commit({"a.md": "two\n"}, "2026-06-04T12:00:00Z")
    found = list(versions(Reader(Git(clone.tree)), head, "a.md"))
    assert [(at.date().isoformat(), data) for at, data in found] == [
        ("2026-06-01", b"one\n"),
        ("2026-06-04", b"two\n"),
    ]


def test_what_came_by_a_merge_came_when_it_was_merged(clone: Clone) -> None:
    clone.commit({"b.md": "b\n"}, "2026-06-01T12:00:00Z")
    clone.git("switch", "--quiet", "--create", "work")
    clone.commit({"a.md": "one\n"}, "2026-06-02T12:00:00Z")
    clone.git("switch", "--quiet", "main")
    clone.git("merge", "--quiet", "--no-ff", "--no-edit", "work", at="2026-06-09T12:00:00Z")
    head = clone.git("rev-parse", "HEAD")
    ((at, data),) = versions(Reader(Git(clone.tree)), head, "a.md")
    assert (at.date().isoformat(), data) == ("2026-06-09", b"one\n")


def test_shares_months_and_recurrences_are_read_from_a_clone(
    caller: Caller, clone: Clone, history: str
) -> None:
    answer = caller.report("duplicates", "--repo", "shop", "--json")
    assert answer.status == 0
    (store,) = answer.json["stores"]
    assert (store["repository"], store["commit"]) == ("shop", history)
    assert (store["appended"], store["refreshed"], store["duplicate_share"]) == (1, 1, 0.5)
    assert [month["month"] for month in store["months"]] == ["2026-06", "2026-07", "2026-08"]
    (lesson,) = store["lessons"]
    assert lesson["first_shown"] == "2026-07-01T12:00:00+00:00"
    assert (lesson["before"], lesson["after"], lesson["seen"]) == (1, 1, "recurred")
    page = caller.report("duplicates", "--repo", "shop", "--plot", "months.svg").out
    assert "| shop | 1 | 1 | 0 | 0.500 | 1 |" in page
    assert "regression to the mean" in page
    drawn = ElementTree.fromstring((caller.place / "months.svg").read_bytes())
    assert "duplicate share" in "".join(drawn.itertext())


def test_a_fleet_is_named_repository_by_repository(
    caller: Caller, clone: Clone, history: str
) -> None:
    clone.git("clone", "--quiet", "--bare", ".", "../till.git")
    answer = caller.report("duplicates", "--repo", "shop", "--repo", "till.git")
    assert "| **all** | 2 | 2 | 0 | 0.500 | 2 |" in answer.out
    assert "report duplicates --repo shop --repo till.git`" in answer.out
    assert answer.err == ""


def test_an_empty_repository_has_nothing_to_tell(caller: Caller, clone: Clone) -> None:
    found = caller.report("duplicates", "--repo", "shop", "--plot", "a.png", "--json")
    assert (found.status, found.json["fleet"]["duplicate_share"]) == (0, None)
    assert caller.report("audit", "--repo", "shop", "--json").json["findings"] == []


def test_an_audit_is_exit_status_1_where_it_found_something(caller: Caller, clone: Clone) -> None:
    clone.commit({LESSONS: f"- {WAIT} (#7, 2026-06-01, ci_fix)\n"}, "2026-06-01T12:00:00Z")
    clean = caller.report("audit", "--repo", "shop")
    assert (clean.status, clean.err) == (0, "")
    clone.commit({LESSONS: f"- {WAIT}\n", "AGENTS.md": "x\n" * 300}, "2026-06-02T12:00:00Z")
    found = caller.report("audit", "--repo", "shop", "--json")
    assert found.status == 1
    assert [each["kind"] for each in found.json["findings"]] == ["no provenance", "carried weight"]
    assert [each["file"] for each in found.json["carried"]] == ["AGENTS.md"]


def test_what_was_judged_in_the_terminal_is_not_found_again(caller: Caller, clone: Clone) -> None:
    trailer = "(#7, 2026-06-01, ci_fix)"
    again = "Wait for each CI job of a pull request before you give the verdict."
    clone.commit({LESSONS: f"- {WAIT} {trailer}\n- {again} {trailer}\n"}, "2026-06-01T12:00:00Z")
    audit = ("audit", "--repo", "shop", "--labels", caller.write("labels.tsv", "a\tb\tlabel\n"))
    assert caller.report(*audit).status == 1
    judging = ("pairs", f"shop/{LESSONS}", "--labels", "labels.tsv", "--label")
    caller.report(*judging, typed="d\n")
    assert caller.report(*audit).status == 0


def test_the_settings_of_the_repository_price_what_it_carries(caller: Caller, clone: Clone) -> None:
    settings = "include: [docs/agents.md]\ncarried: {runs_per_month: 1000}\n"
    clone.commit(
        {".github/lessonkeeper.yml": settings, "docs/agents.md": "x" * 4000},
        "2026-06-01T12:00:00Z",
    )
    (carried,) = caller.report("audit", "--repo", "shop", "--json").json["carried"]
    assert (carried["file"], carried["usd_per_month"]) == ("docs/agents.md", 3.0)


def test_a_dead_path_is_found_in_the_history_of_the_branch(caller: Caller, clone: Clone) -> None:
    lesson = "- Close the session in `src/old.py`. (#7, 2026-06-01, ci_fix)\n"
    clone.commit({LESSONS: lesson, "src/old.py": "x = 1\n"}, "2026-06-01T12:00:00Z")
    clone.commit({"src/old.py": None}, "2026-06-02T12:00:00Z")
    (found,) = caller.report("audit", "--repo", "shop", "--json").json["findings"]
    assert (found["kind"], found["line"]) == ("path that is gone", 1)


def test_a_file_with_conflict_markers_is_read_as_it_was_last_good(
    caller: Caller, clone: Clone
) -> None:
    clone.commit({LESSONS: f"- {WAIT}\n"}, "2026-06-01T12:00:00Z")
    clone.commit({LESSONS: "<<<<<<< ours\n- a\n>>>>>>> theirs\n"}, "2026-06-02T12:00:00Z")
    found = caller.report("audit", "--repo", "shop", "--json").json["findings"]
    assert [each["kind"] for each in found] == ["file that cannot be trusted", "no provenance"]


@pytest.mark.parametrize(
    "call",
    [("duplicates",), ("audit",), ("duplicates", "--repo", "none"), ("audit", "--repo", ".")],
)
def test_wrong_calls(caller: Caller, call: tuple[str, ...]) -> None:
    answer = caller.report(*call)
    assert (answer.status, answer.out) == (2, "")
