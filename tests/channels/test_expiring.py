"""Which founder notes end soon, and what becomes of the issue that lists them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.expiring import Act, Ending, Listed, endings, notice
from bot.lessons.document import Document
from bot.lessons.event_files import Recorded
from bot.lessons.history import History
from bot.lessons.retirement import expired
from bot.lessons.rows import InvalidRow, SignalRow
from bot.settings.model import Store

KEPT = date(2026, 8, 11)
ENDS = date(2026, 11, 9)  # the 90th day after
DAY = timedelta(days=1)


def document(*lines: str) -> Document:
    return Document.parse("".join(f"- {line}\n" for line in lines).encode(), date(2027, 1, 1))


def note(text: str = "Never deploy on a Friday.", on: date = KEPT, *, flag: str = "") -> str:
    return f"{text} (#12, {on}, founder_note{flag}) <!-- 3f9a2c1d -->"


def ending(
    *lines: str, today: date = ENDS - DAY, settings: Store | None = None
) -> tuple[Ending, ...]:
    return endings(document(*lines), History(()), settings or Store(), today)


@pytest.mark.parametrize(
    ("today", "told"),
    [(ENDS - 8 * DAY, 0), (ENDS - 7 * DAY, 1), (ENDS - DAY, 1), (ENDS, 0), (ENDS + DAY, 0)],
)
def test_a_note_ends_soon_from_seven_days_before_until_its_day(today: date, told: int) -> None:
    assert len(ending(note(), today=today)) == told


@given(expire=st.integers(1, 400), before=st.integers(0, 400), age=st.integers(0, 800))
def test_whatever_is_told_of_is_shown_today_and_no_more_on_its_day(
    expire: int, before: int, age: int
) -> None:
    settings = Store(expire=timedelta(days=expire), notice=timedelta(days=before))
    for each in ending(note(), today=KEPT + age * DAY, settings=settings):
        assert expired(each.kept_on, settings.expire, KEPT + age * DAY) is None
        assert expired(each.kept_on, settings.expire, each.ends) is not None
        assert each.ends - (KEPT + age * DAY) <= settings.notice


@pytest.mark.parametrize(
    "line",
    [
        "Never deploy on a Friday.",  # a person's own line never ends
        note().replace("founder_note", "changes_requested"),
        note(flag="; overridden 2026-10-01: undone"),
        f"~~{note()}~~",
    ],
)
def test_nothing_else_in_the_file_is_told_of(line: str) -> None:
    assert ending(line) == ()


def test_a_notice_of_no_days_tells_nothing() -> None:
    assert ending(note(), settings=Store(notice=timedelta(0))) == ()


def test_the_first_to_end_comes_first() -> None:
    later = "Ask ada before a release. (manual, 2026-08-12, founder_note) <!-- 00000001 -->"

    found = ending(later, note())

    assert [(each.bullet, each.ends) for each in found] == [
        ("3f9a2c1d", ENDS),
        ("00000001", ENDS + DAY),
    ]


def test_words_that_were_kept_again_as_a_bullet_of_their_own_last() -> None:
    again = "Never deploy on a Friday. (manual, 2026-11-02, founder_note) <!-- 00000001 -->"

    assert ending(note(), again) == ()
    assert len(ending(note(), again.replace("a Friday", "a Monday"))) == 1


def signal(by: int, on: date, row: str) -> Recorded:
    at = datetime.combine(on, datetime.min.time(), UTC)
    kept = SignalRow(
        at=at,
        source=f"comment:{by}",
        pr=12,
        head="",
        channel="founder_note",
        state="kept",
        by=by,
        strength=1.0,
        sentence="Never deploy on a Friday.",
        trigger="",
        strategy="",
        bullet="3f9a2c1d",
        did="refreshed",
    )
    return Recorded(row, at, kept)


def test_it_was_kept_by_whoever_kept_it_last_and_was_not_undone() -> None:
    undone = datetime(2026, 10, 1, tzinfo=UTC)
    rows = (
        signal(41, KEPT - 9 * DAY, "a" * 16),
        signal(42, KEPT, "b" * 16),
        signal(43, KEPT + 9 * DAY, "c" * 16),
        Recorded("d" * 16, undone, InvalidRow(at=undone, signal="c" * 16, why="undone", pr=12)),
    )

    (found,) = endings(document(note()), History(rows), Store(), ENDS - DAY)

    assert found.by == 42


# --- the issue ---------------------------------------------------------------------------------

FIRST = Ending("3f9a2c1d", "Never deploy on a Friday.", "#12", KEPT, ENDS)
SECOND = Ending("00000001", "Ask ada before a release.", "manual", KEPT + DAY, ENDS + DAY)


@pytest.mark.parametrize(
    ("ends", "listed", "is_open", "act", "news"),
    [
        ((), None, False, Act.NOTHING, ()),
        ((FIRST,), None, False, Act.OPEN, ()),
        ((FIRST,), {FIRST}, True, Act.NOTHING, ()),
        ((FIRST, SECOND), {FIRST}, True, Act.UPDATE, (SECOND,)),
        ((SECOND,), {FIRST, SECOND}, True, Act.UPDATE, ()),
        ((), {FIRST}, True, Act.CLOSE, ()),
        ((), {FIRST}, False, Act.NOTHING, ()),
        ((FIRST,), {FIRST, SECOND}, False, Act.NOTHING, ()),  # a person closed it
        ((FIRST, SECOND), {FIRST}, False, Act.REOPEN, (SECOND,)),
        ((FIRST,), set(), False, Act.REOPEN, (FIRST,)),  # we closed it
    ],
)
def test_the_one_issue_is_brought_up_to_what_ends_soon(
    ends: tuple[Ending, ...],
    listed: set[Ending] | None,
    is_open: bool,
    act: Act,
    news: tuple[Ending, ...],
) -> None:
    told: set[Listed] | None = None if listed is None else {each.listed for each in listed}
    found = notice(ends, told, is_open=is_open)

    assert (found.act, found.news) == (act, news)
    assert found.reason


def test_a_note_that_was_kept_again_and_ends_again_is_told_of_again() -> None:
    told = {(FIRST.bullet, FIRST.ends - 90 * DAY)}

    assert notice([FIRST], told, is_open=False).act is Act.REOPEN
