"""What a proposal would change, what closing it declines, and a person's edits done again."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.lessons.history import History
from bot.lessons.orders import Retire
from bot.lessons.proposal import declined, proposed, reapply
from bot.lessons.store import LESSONS, Edit, Snapshot, write
from bot.settings import Settings
from tests.fakes.tree import FakeTree
from tests.lessons.test_store import NOON, OTHERS, PENDING_AGAIN, TODAY, evidence

EMPTY = Snapshot(None, {}, FakeTree(), 1)
A = "- Pin it. (#1, 2026-11-01, founder_note) <!-- aaaaaaaa -->\n"
B = "- Close it. (#2, 2026-11-02, founder_note) <!-- bbbbbbbb -->\n"


def after(snapshot: Snapshot, edit: Edit) -> Snapshot:
    events = {p: d for p, d in edit.changes.items() if d and p.endswith(".jsonl")}
    return replace(
        snapshot, lessons=edit.changes.get(LESSONS), events={**snapshot.events, **events}
    )


def test_a_proposal_tells_what_is_new_and_what_is_earned_again() -> None:
    first = after(EMPTY, write(EMPTY, [evidence()], Settings(), TODAY))
    second = after(
        first,
        write(
            first,
            [evidence(PENDING_AGAIN, pr=42, day=3), evidence(OTHERS[0], pr=43, day=3)],
            Settings(),
            TODAY,
        ),
    )
    found = proposed(first.lessons, second.lessons, TODAY)
    assert [(c.did, c.detail) for c in found] == [
        ("refreshed", "again in #42"),
        ("appended", "from #43"),
    ]
    assert proposed(second.lessons, second.lessons, TODAY) == ()


def test_a_proposal_tells_what_is_struck_and_what_leaves() -> None:
    first = after(EMPTY, write(EMPTY, [evidence()], Settings(), TODAY))
    bullet = next(iter(History.read(first.events).by_bullet))
    order = Retire(bullet, 7, NOON)
    struck = after(first, write(first, [], Settings(), TODAY, orders=[order]))
    assert [c.did for c in proposed(first.lessons, struck.lessons, TODAY)] == ["struck"]
    assert [c.did for c in proposed(first.lessons, b"", TODAY)] == ["evicted"]


def test_what_was_declined_is_not_taken_again_but_a_new_source_earns_it() -> None:
    offered = after(EMPTY, write(EMPTY, [evidence()], Settings(), TODAY))
    rows = declined(History.read(offered.events), History.read({}), 9, NOON)
    assert [row.sources for row in rows] == [(evidence().source,)]
    refused = write(EMPTY, [evidence()], Settings(), TODAY, declined=rows)
    assert not refused.changes
    assert [each.reason for each in refused.landed] == ["declined in a pull request"]
    earned = write(EMPTY, [evidence(), evidence(day=1)], Settings(), TODAY, declined=rows)
    assert earned.counts == {"appended": 1}
    # Recorded with that write, so that no pull request has to be asked for again.
    stands = after(EMPTY, earned)
    assert History.read(stands.events).declined == {evidence().source}
    assert not write(stands, [evidence()], Settings(), TODAY).changes


def test_many_declined_sources_stay_small_rows() -> None:
    many = [evidence(number=n, pr=n + 1) for n in range(120)]
    offered = after(EMPTY, write(EMPTY, many, Settings(), TODAY))
    rows = declined(History.read(offered.events), History.read({}), 9, NOON)
    assert {s for row in rows for s in row.sources} == {e.source for e in many}
    assert all(len(row.line().encode()) < 4096 for row in rows)


def test_a_persons_wording_is_put_where_its_bullet_went() -> None:
    worded = A.replace("Pin it.", "Pin every action.")
    done = reapply((A + B).encode(), (worded + B).encode(), (B + A).encode())
    assert done.data.decode() == B + worded
    assert done.lost == ()


def test_a_line_that_a_person_deleted_stays_deleted() -> None:
    assert reapply((A + B).encode(), B.encode(), (A + B).encode()).data == B.encode()


def test_a_persons_own_line_is_never_lost() -> None:
    own = "- Ask Ada about the ledger.\n"
    assert reapply(A.encode(), (A + own).encode(), (B + A).encode()).data.decode() == B + A + own
    assert reapply(A.encode(), (A + own).encode(), B.encode()).data.decode() == B + own


def test_a_change_of_a_line_that_is_gone_is_told() -> None:
    worded = A.replace("Pin it.", "Pin every action.")
    done = reapply(A.encode(), worded.encode(), B.encode())
    assert done.data == B.encode()
    assert done.lost == (worded.strip(),)


LINES = st.lists(st.integers(0, 9).map(lambda n: f"- line {n}\n"), unique=True).map("".join)


@given(LINES, LINES)
def test_an_edit_done_again_where_it_was_made_gives_the_edited_file(old: str, new: str) -> None:
    done = reapply(old.encode(), new.encode(), old.encode())
    assert sorted(done.data.decode().splitlines()) == sorted(new.splitlines())
    assert done.lost == ()


def test_a_hundred_thousand_blank_lines_come_to_an_end() -> None:
    blank = b"\n" * 100_000
    assert reapply(blank + b"- a\n", blank + b"- b\n", blank + b"- a\n").data.endswith(b"- b\n")
