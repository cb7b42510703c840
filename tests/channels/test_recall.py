"""A finding that quotes what was shown is no evidence."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.recall import ADDRESS, RUN, Line, part_of, recalled
from bot.channels.review import judge
from bot.distill.model import Distilled
from bot.facts import Account, Permission, PullRequest, PullRequestFacts, Repository, Review
from bot.facts import ReviewState as State
from bot.lessons.lesson import Lesson
from bot.lessons.pitfalls import committed, lines_in
from bot.lessons.reading import in_order
from bot.lessons.store import write
from bot.settings import Settings
from tests.lessons.test_store import TODAY, evidence, run, store

NOW = datetime(2026, 11, 2, 10, tzinfo=UTC)
TWELVE = "Close the database session in a `finally` block of `src/db.py`"
WHOLE = f"{TWELVE} whenever any query may raise."
SHOWN = (Line(WHOLE, "3f9a2c1d"), Line("Keep it short."))


def test_a_run_is_twelve_tokens() -> None:
    assert len(in_order(TWELVE)) == RUN


@pytest.mark.parametrize(
    "finding",
    [
        f"{TWELVE}!",
        f"Please: {WHOLE.upper()}",
        "> Close the database\n> session in a **finally** block\n> of src / db . py whenever",
        "See 3f9a2c1d.",
        "`3F9A2C1D` holds here as well.",
        "Do as [it says](../.agent-corp/lessons.md).",
        "https://github.com/acme/shop/blob/main/.agent-corp/known-pitfalls.md#L9 says it.",
        "As [before][1].\n\n[1]: .agent-corp/standing/3f.md",
        '<a href=".agent-corp/rules.md">rules</a>',
        f"](/{'a' * (ADDRESS - 2)}/.agent-corp/rules.md)",
        "Close the data\u200bbase session in a `finally` block of `src/db.py` whenever",
    ],
)
def test_it_quotes(finding: str) -> None:
    assert recalled(finding, SHOWN, NOW) is not None


@pytest.mark.parametrize(
    "finding",
    [
        "Close the database session in a `finally` block of `src/db`!",  # eleven tokens
        "Close each database session in a `finally` block of `src/db.py` when a query may raise.",
        "The id a3f9a2c1d is another one, and so is 3f9a2c1.",
        "Never edit `.agent-corp/known-pitfalls.md` by hand.",
        f"](/{'a' * (ADDRESS - 1)}/.agent-corp/rules.md)",  # longer than an address is
        "Keep it short.",
        "",
    ],
)
def test_it_is_evidence(finding: str) -> None:
    assert recalled(finding, SHOWN, NOW) is None


def test_what_came_to_be_later_was_not_quoted() -> None:
    (line, _) = SHOWN
    for since, quotes in ((NOW - timedelta(seconds=1), True), (NOW, False)):
        dated = Line(line.text, line.id, since)
        assert (recalled(line.text, [dated], NOW) is not None) is quotes
        assert (recalled("3f9a2c1d", [dated], NOW) is not None) is quotes


# --- any bullet of a store, in any words around it -----------------------------------------------

TEXTS = (
    WHOLE,
    "Never keep a cursor of `src/cart.py` open while another query is waiting for its own lock.",
    "Run `make lint` before every push to the branch `main`, because the hook does not do it.",
    "Schließe jede Sitzung der Datenbank in einem `finally`-Block, auch wenn etwas scheitert.",
    "データベースのセッションは必ず `finally` ブロックで閉じること。",
)
STORE, _ = run(store(), *(evidence(text, pr=n, day=n) for n, text in enumerate(TEXTS, 1)))
RULES = b"- **ci**: Wait for every job.\n"
BLOCK = committed(STORE.lessons, STORE.events, RULES, Settings())
LINES = tuple(Line(text, identity) for identity, text in lines_in(BLOCK))
ADA, BEN = Account(1, "ada"), Account(2, "ben")
LATER = datetime(2026, 11, 20, tzinfo=UTC)


def test_the_block_gives_back_its_lines() -> None:
    assert [line.text for line in LINES] == ["ci: Wait for every job.", *reversed(TEXTS)]
    assert [line.id is None for line in LINES] == [True, *[False] * len(TEXTS)]


@given(
    st.sampled_from([line for line in LINES if line.id]),
    st.sampled_from(["{text}", "{id}", "> {text}", "[x](/.agent-corp/lessons.md)"]),
    st.text(),
    st.text(),
)
def test_a_quoted_bullet_adds_no_evidence(line: Line, form: str, before: str, after: str) -> None:
    body = f"{before}\n{form.format(text=line.text, id=line.id)}\n{after}"
    review = Review(9, ADA, State.CHANGES_REQUESTED, body, LATER, "e" * 40)
    facts = PullRequestFacts(
        Repository(11, "acme", "shop", "main", ""),
        PullRequest(99, BEN, "main", "topic", "e" * 40, head_repository=11),
        reviews=(review,),
        permissions={"ada": Permission.WRITE},
    )
    distilled = {review.source: Distilled((Lesson(line.text),))}  # the most that it could say
    told = judge(facts, distilled, Settings(), None, LINES)
    edit = write(STORE, told.evidence, Settings(), TODAY, present=told.present)
    assert (edit.changes, edit.rows) == ({}, ())


FIRST = "1. Close each cursor of `src/db.py` in a `finally` block, as 3f9a2c1d says.\n\n"
SECOND = "2. Never write the migration `db/migrate.sql` without a way back.\n"


@pytest.mark.parametrize(
    ("body", "sentence", "quotes"),
    [
        (FIRST + SECOND, "Close each cursor of `src/db.py` in a `finally` block.", True),
        (FIRST + SECOND, "Never write the migration `db/migrate.sql` without a way back.", False),
        (f"From 3f9a2c1d:\n\n{SECOND}", "Never write `db/migrate.sql` without a way back.", True),
        (f"{SECOND}\n3f9a2c1d", "Roll each deployment back by itself.", True),  # made of neither
    ],
)
def test_of_a_list_each_item_is_a_finding(body: str, sentence: str, quotes: bool) -> None:
    assert (recalled(part_of(body, sentence), SHOWN, NOW) is not None) is quotes


QUOTING = "Close each cursor of `src/db.py` in a `finally` block, as 3f9a2c1d says.\n\n"
NEW_ONE = "Never write the migration `db/migrate.sql` without a way back to what was before.\n\n"


@pytest.mark.parametrize(
    ("body", "quotes"),
    [
        (QUOTING + NEW_ONE, False),
        (NEW_ONE + QUOTING, False),
        (f"{NEW_ONE}1. {QUOTING}", False),
        (f"## Database\n\n{QUOTING}## Migrations\n\n{NEW_ONE}", False),
        (f"{QUOTING}```\n\nclose()\n```\n\n{NEW_ONE}", False),
        (f"{NEW_ONE}See 3f9a2c1d.", True),  # a paragraph that speaks of the one before it
        (f"{NEW_ONE}This is what the lesson 3f9a2c1d of our own memory has always said.", True),
        (f"{NEW_ONE}```\n\n3f9a2c1d\n```\n", True),
        (f"> {WHOLE}\n\n{NEW_ONE}", True),  # an answer to what it quotes
        (f"{NEW_ONE}> {WHOLE}\n", True),
        (f"The lesson 3f9a2c1d says it in other words:\n\n{NEW_ONE}", True),
        (f"## From 3f9a2c1d\n\nGood work.\n\n{NEW_ONE}", True),
        (f"Two of the things that 3f9a2c1d means to tell us.\n\n1. {NEW_ONE}", True),
    ],
)
def test_of_a_text_each_paragraph_is_a_finding(body: str, quotes: bool) -> None:
    sentence = "Never write the migration `db/migrate.sql` without a way back."
    assert (recalled(part_of(body, sentence), SHOWN, NOW) is not None) is quotes


def test_a_new_finding_beside_a_quoting_one_is_evidence() -> None:
    review = Review(9, ADA, State.CHANGES_REQUESTED, FIRST + SECOND, LATER, "e" * 40)
    facts = PullRequestFacts(
        Repository(11, "acme", "shop", "main", ""),
        PullRequest(99, BEN, "main", "topic", "e" * 40, head_repository=11),
        reviews=(review,),
        permissions={"ada": Permission.WRITE},
    )
    said = tuple(Lesson(item.partition(" ")[2].strip()) for item in (FIRST, SECOND))
    told = judge(facts, {review.source: Distilled(said)}, Settings(), None, SHOWN)
    assert [each.recall is None for each in told.evidence] == [False, True]


def test_nobody_was_shown_it_and_it_is_evidence() -> None:
    _, edit = run(STORE, evidence(TEXTS[0], pr=99, day=20))
    assert edit.counts == {"refreshed": 1}
