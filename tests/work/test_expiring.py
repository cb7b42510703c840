"""Whoever kept a founder note is told before it ends: real server, stand-in of Telegram."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.demo.stage import Stage
from bot.sandbox.pull_request import SandboxPullRequest
from bot.sandbox.records import Comment, Issue
from tests.fakes.telegram import Sent, Telegram, telegram
from tests.work.conftest import SETTINGS, Shop, make_shop
from tests.work.test_founder import CURSOR, FRIDAY, LINTER, say

CHAT = -100123
CHATTING = f"{SETTINGS}telegram:\n  chat: {CHAT}\n  people: {{41: Ada}}\n"


@pytest.fixture(scope="module")
def there() -> Iterator[Telegram]:
    with telegram() as fake:
        fake.chats.add(CHAT)
        yield fake


@pytest.fixture
def chatting(playing: Stage) -> Shop:
    return make_shop(playing, CHATTING)


def keep(shop: Shop, text: str, by: str = "ada") -> SandboxPullRequest:
    number = shop.repository.next_number
    pull = shop.repository.open_pull_request("ben", {"src/db.py": f"a = {number}\n"})
    say(shop, pull, by, f"/lesson {text}")
    return pull


def days_pass(shop: Shop, days: int) -> None:
    """Then what the daily round does to this repository."""
    shop.pass_time(days=days)
    now = shop.stage.clock()
    shop.stage.server.expiries.want(shop.repository.id, now)
    shop.stage.server.memory.want_housekeeping(shop.repository.id, now)
    shop.stage.settle()


def issues(shop: Shop) -> list[Issue]:
    return list(shop.repository.issues.values())


def issue(shop: Shop) -> Issue:
    (found,) = issues(shop)
    return found


def comments(shop: Shop) -> list[Comment]:
    number = issue(shop).number
    return [c for c in shop.repository.comments.values() if c.number == number]


def messages(shop: Shop, there: Telegram) -> list[Sent]:
    name = f"{shop.repository.full_name}: a founder note"
    return [m for m in there.in_chat(CHAT) if m.text.startswith(name)]


# --- in an issue -------------------------------------------------------------------------------


def test_an_issue_tells_seven_days_before_and_once(shop: Shop) -> None:
    keep(shop, FRIDAY)
    kept_on, ends = shop.today(), shop.today(90)
    days_pass(shop, 82)
    assert issues(shop) == []

    shop.pass_time(days=1)
    shop.stage.server.round()
    shop.stage.settle()
    assert issue(shop).title == "Founder notes that end soon"
    assert issue(shop).user == shop.stage.forge.app_account
    assert f"- Ends on {ends}, kept by ada on {kept_on} (#\u200b1)." in issue(shop).body
    assert f"  ```\n  /lesson {FRIDAY}\n  ```" in issue(shop).body

    said = issue(shop).body
    edits = shop.stage.github.count("PATCH", f"*/issues/{issue(shop).number}")
    days_pass(shop, 1)
    days_pass(shop, 1)
    assert issue(shop).body == said
    assert shop.stage.github.count("PATCH", f"*/issues/{issue(shop).number}") == edits
    assert comments(shop) == []


def test_the_comment_that_it_shows_keeps_the_note_and_closes_it(shop: Shop) -> None:
    keep(shop, FRIDAY)
    days_pass(shop, 85)
    (shown,) = [line.strip() for line in issue(shop).body.splitlines() if "/lesson " in line]

    shop.repository.comment(issue(shop).number, "ben", shown)
    shop.stage.settle()

    (bullet,) = shop.bullets()
    assert f"(manual, {shop.today()}, founder_note)" in bullet
    assert issue(shop).closed_at is not None
    assert "No founder note ends soon." in issue(shop).body
    days_pass(shop, 10)
    assert len(shop.bullets()) == 1
    assert "expired" not in shop.file()


def test_words_too_few_to_be_refreshed_are_kept_by_the_same_comment(shop: Shop) -> None:
    keep(shop, "Ask ada before a release.")
    days_pass(shop, 85)
    say(shop, keep(shop, CURSOR), "ben", "/lesson Ask ada before a release.")

    assert issue(shop).closed_at is not None
    days_pass(shop, 6)
    assert "Ask ada" in "".join(line for line in shop.bullets() if "expired" not in line)


def test_it_is_closed_when_what_it_listed_has_ended(shop: Shop) -> None:
    keep(shop, FRIDAY)
    days_pass(shop, 85)
    assert issue(shop).closed_at is None

    days_pass(shop, 5)
    assert "expired" in shop.file()
    assert issue(shop).closed_at is not None


def test_one_issue_for_all_of_them_and_news_are_said_in_a_comment(shop: Shop) -> None:
    keep(shop, FRIDAY)
    shop.pass_time(days=2)
    keep(shop, LINTER, by="ben")
    days_pass(shop, 81)
    assert FRIDAY in issue(shop).body
    assert LINTER not in issue(shop).body

    days_pass(shop, 3)
    assert (FRIDAY in issue(shop).body, LINTER in issue(shop).body) == (True, True)
    (comment,) = comments(shop)
    assert comment.body.startswith("1 more note ends soon, as listed above:")
    assert "kept by ben" in comment.body
    assert LINTER in comment.body


def test_what_a_person_closed_stays_closed_until_another_note_ends(shop: Shop) -> None:
    keep(shop, FRIDAY)
    shop.pass_time(days=2)
    keep(shop, LINTER)
    days_pass(shop, 81)
    shop.repository.close_issue(issue(shop).number, "cleo")
    days_pass(shop, 1)
    assert issue(shop).closed_at is not None

    days_pass(shop, 2)
    assert issue(shop).closed_at is None
    assert LINTER in issue(shop).body


def test_of_a_founder_who_was_renamed_the_present_name_is_said(shop: Shop) -> None:
    keep(shop, FRIDAY, by="cleo")
    accounts = shop.stage.forge.accounts
    cleo = accounts["cleo"]
    accounts["cleo"] = type(cleo)(cleo.id, "cleopatra", cleo.kind)
    try:
        days_pass(shop, 85)
    finally:
        accounts["cleo"] = cleo

    assert "kept by cleopatra on" in issue(shop).body


def test_an_answer_that_was_lost_opens_no_second_issue(shop: Shop) -> None:
    keep(shop, FRIDAY)
    path = f"/repos/{shop.repository.full_name}/issues"
    shop.stage.github.fail_next("POST", path, 502, after_effect=True)
    days_pass(shop, 85)
    shop.pass_time(minutes=10)
    shop.stage.server.writes.request(shop.repository.id, shop.stage.clock())
    shop.stage.settle()

    assert issue(shop).closed_at is None
    assert len(issues(shop)) == 1


def test_a_repository_without_issues_goes_on(shop: Shop) -> None:
    keep(shop, FRIDAY)
    path = f"/repos/{shop.repository.full_name}/issues"
    shop.stage.github.fail_next("POST", path, 410, message="Issues has been disabled")
    days_pass(shop, 85)
    assert issues(shop) == []

    keep(shop, LINTER)
    assert any(LINTER in bullet for bullet in shop.bullets())
    days_pass(shop, 1)
    assert FRIDAY in issue(shop).body


def test_notice_0_tells_nothing(playing: Stage) -> None:
    shop = make_shop(playing, f"{SETTINGS}store: {{notice: 0}}\n")
    keep(shop, FRIDAY)
    days_pass(shop, 89)

    assert issues(shop) == []


# --- in Telegram -------------------------------------------------------------------------------


def test_a_founder_of_the_chat_is_told_there_and_once(chatting: Shop, there: Telegram) -> None:
    keep(chatting, FRIDAY)
    ends = chatting.today(90)
    days_pass(chatting, 83)
    days_pass(chatting, 1)

    (sent,) = messages(chatting, there)
    assert f"a founder note ends on {ends}, kept by ada" in sent.text
    assert sent.text.endswith(f"\n\n/lesson {chatting.repository.full_name} {FRIDAY}")
    assert issues(chatting) == []


def test_who_is_not_in_the_chat_is_told_in_the_issue(chatting: Shop, there: Telegram) -> None:
    keep(chatting, FRIDAY, by="ben")
    keep(chatting, LINTER, by="ada")
    days_pass(chatting, 85)

    (sent,) = messages(chatting, there)
    assert sent.text.endswith(LINTER)
    assert FRIDAY in issue(chatting).body
    assert LINTER not in issue(chatting).body


def test_a_chat_that_refuses_is_replaced_by_the_issue(chatting: Shop, there: Telegram) -> None:
    keep(chatting, FRIDAY)
    there.chats.discard(CHAT)
    try:
        days_pass(chatting, 85)
    finally:
        there.chats.add(CHAT)

    assert messages(chatting, there) == []
    assert FRIDAY in issue(chatting).body
