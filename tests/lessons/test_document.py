"""Parsing then printing gives the same bytes; an edit touches only the lines we own."""

from __future__ import annotations

import sys
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.lessons.bullet import Flag, Retirement, Verdict
from bot.lessons.document import Document, Revision

TODAY = date(2026, 11, 29)

LINES = st.sampled_from(
    [
        "# Lessons",
        "",
        "Some prose that explains.",
        "- Wait for every CI job. (#41, 2026-11-02, changes_requested) <!-- 3f9a2c1d -->",
        "- Bump it. (#17, 2026-08-01, ci_fix; stale 2026-11-09: run-tests.sh) <!-- 77ab01ce -->",
        "- A wrapped one",
        "  that goes on. (o/r#9, 2026-01-02,",
        "  founder_note)",
        "- A person's line.",
        "  - nested",
        "* starred (manual, 2026-02-03, ci_fix)",
        "1. ordered",
        "- [ ] a task",
        "```",
        "- code (#1, 2026-01-01, ci_fix)",
        "> - quoted",
        "- ~~Struck.~~ (#2, 2026-01-03, founder_note) <!-- aaaaaaaa -->",
        "- Tomorrow (#2, 2036-01-03, founder_note)",
        "- Never (#2, 2026-02-31, founder_note)",
        "<!-- a comment",
        "-->",
    ]
)
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])
FILES = st.tuples(
    st.booleans(), st.lists(st.tuples(LINES, ENDINGS), max_size=25), st.booleans()
).map(
    lambda t: (
        ("\ufeff" if t[0] else "")
        + "".join(text + end for text, end in t[1])
        + ("- last" if t[2] else "")
    ).encode()
)


@given(st.binary(max_size=400) | FILES)
def test_any_file_prints_as_it_was_read(data: bytes) -> None:
    document = Document.parse(data, TODAY)
    assert document.print() == data
    assert document.edit({}, (), ()) == data


@given(st.lists(LINES, max_size=25), ENDINGS)
def test_how_lines_end_makes_no_difference_to_what_they_say(lines: list[str], end: str) -> None:
    here, there = (Document.parse(e.join(lines).encode(), TODAY).bullets for e in ("\n", end))
    assert [(b.text, b.trailer, b.id) for b in there] == [(b.text, b.trailer, b.id) for b in here]


@pytest.mark.parametrize(
    "piece", [" ", "a b", "(a/", "(#1, ", "<!-- ", "(#1, 2026-01-01, ci_fix; stale 2026-01-03: x) "]
)
def test_hostile_repetition_comes_to_an_end(piece: str) -> None:
    """Patterns that look from each place to the end of the line take many minutes for it."""
    for head, tail in (("a", "b"), ("a (#1, 2026-02-30, ci_fix; stale 2026-01-03: ", ")")):
        data = f"- {head}{piece * (500_000 // len(piece))}{tail}\n".encode()
        document = Document.parse(data, TODAY)
        assert document.print() == data
        assert len(document.bullets) == 1


def test_twice_the_bullets_are_twice_the_work() -> None:
    def calls(bullets: int) -> int:
        count = 0

        def counted(*_event: object) -> None:
            nonlocal count
            count += 1

        before = sys.getprofile()
        sys.setprofile(counted)
        Document.parse(b"- a\n" * bullets, TODAY)
        sys.setprofile(before)
        return count

    assert calls(600) < 2.5 * calls(300)


@given(FILES)
def test_a_refresh_changes_ref_and_date_alone(data: bytes) -> None:
    document = Document.parse(data, TODAY)
    for index, bullet in enumerate(document.bullets):
        if bullet.trailer is None:
            continue
        new = document.edit({index: Revision(ref="#999", on=date(2026, 11, 20))}, (), ())
        again = Document.parse(new, TODAY)
        fresh = again.bullets[index]
        assert fresh.trailer is not None
        assert (fresh.trailer.ref, fresh.trailer.on) == ("#999", date(2026, 11, 20))
        assert fresh.trailer.verdict == bullet.trailer.verdict
        assert fresh.text == bullet.text
        back = again.edit({index: Revision(ref=bullet.trailer.ref, on=bullet.trailer.on)}, (), ())
        assert back == data


@given(FILES, st.data())
def test_dropping_ours_leaves_every_other_line(data: bytes, draw: st.DataObject) -> None:
    document = Document.parse(data, TODAY)
    ours = [i for i, b in enumerate(document.bullets) if b.ours]
    dropped = set(draw.draw(st.lists(st.sampled_from(ours), unique=True))) if ours else set()
    new = document.edit({}, dropped, ())
    text = document.text
    for index in sorted(dropped, reverse=True):
        bullet = document.bullets[index]
        head = max(text.rfind("\n", 0, bullet.start), text.rfind("\r", 0, bullet.start)) + 1
        head = max(head, 1) if text.startswith("\ufeff") else head
        tail = bullet.end
        while tail < len(text) and text[tail] not in "\r\n":
            tail += 1
        tail += 2 if text[tail : tail + 2] == "\r\n" else 1
        text = text[:head] + text[tail:]
    assert new.decode() == text


def test_the_two_published_lines_read_as_written() -> None:
    text = (
        "- Wait for every CI job to conclude before giving a verdict."
        " (#41, 2026-11-02, changes_requested) <!-- 3f9a2c1d -->\n"
        "- Bump MIN_TESTS in run-tests.sh when adding tests."
        " (#17, 2026-08-01, ci_fix; stale 2026-11-09: run-tests.sh) <!-- 77ab01ce -->\n"
    )
    first, second = Document.parse(text.encode(), TODAY).bullets
    assert first.text == "Wait for every CI job to conclude before giving a verdict."
    assert first.id == "3f9a2c1d"
    assert first.active
    assert second.trailer is not None
    assert second.trailer.retirement == Retirement(Flag.STALE, date(2026, 11, 9), "run-tests.sh")
    assert str(second.trailer) == "(#17, 2026-08-01, ci_fix; stale 2026-11-09: run-tests.sh)"
    assert not second.active


@pytest.mark.parametrize(
    "trailer",
    [
        "(#0, 2026-01-01, ci_fix)",
        "(#1, 2026-02-30, ci_fix)",
        "(#1, 2026-11-30, ci_fix)",
        "(#1, 2026-01-01, approved)",
        "(#1, 2026-01-01, ci_fix; stale 2027-01-01: a)",
        "(#1, 2026-01-01)",
        "(alice, 2026-01-01, ci_fix)",
    ],
)
def test_a_trailer_that_cannot_be_makes_the_line_a_persons(trailer: str) -> None:
    (bullet,) = Document.parse(f"- Text. {trailer}\n".encode(), TODAY).bullets
    assert bullet.trailer is None
    assert bullet.active


def test_the_last_trailer_counts_and_a_cause_may_hold_parentheses() -> None:
    text = (
        "- Not (#1, 2026-01-01, ci_fix) this. (#2, 2026-01-02, ci_fix; stale 2026-01-03: a (b).c)\n"
    )
    (bullet,) = Document.parse(text.encode(), TODAY).bullets
    assert bullet.text == "Not (#1, 2026-01-01, ci_fix) this."
    assert bullet.trailer is not None
    assert bullet.trailer.ref == "#2"
    assert bullet.trailer.verdict is Verdict.CI_FIX
    assert bullet.trailer.retirement == Retirement(Flag.STALE, date(2026, 1, 3), "a (b).c")


def test_bullets_in_code_quotes_and_nested_lists_are_none() -> None:
    text = "```\n- code\n```\n\n> - quoted\n\n1. one\n\n    - indented\n"
    assert Document.parse(text.encode(), TODAY).bullets == ()


def test_a_bom_hides_neither_the_first_heading_nor_the_first_bullet() -> None:
    data = "\ufeff- First. (#1, 2026-01-01, ci_fix)\n".encode()
    document = Document.parse(data, TODAY)
    assert [b.text for b in document.bullets] == ["First."]
    assert document.edit({}, (), ["- New."]) == data + b"- New.\n"
    assert document.edit({}, {0}, ()) == "\ufeff".encode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- a", "- a\n- new\n"),
        ("- a\r\n", "- a\r\n- new\r\n"),
        ("- a\n\nprose\n", "- a\n- new\n\nprose\n"),
        ("# T\n", "# T\n\n- new\n"),
        ("# T", "# T\n\n- new\n"),
        ("", "- new\n"),
        ("- a\n  - nested\n", "- a\n  - nested\n- new\n"),
        ("- o (#1, 2026-01-01, ci_fix)\n\n## Team\n\n- theirs\n",
         "- o (#1, 2026-01-01, ci_fix)\n- new\n\n## Team\n\n- theirs\n"),
    ],
)  # fmt: skip
def test_a_new_bullet_stands_on_its_own_line_below_ours(before: str, after: str) -> None:
    assert Document.parse(before.encode(), TODAY).edit({}, (), ["- new"]).decode() == after
