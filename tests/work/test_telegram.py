"""Offers, presses and notes in a founder's chat: real parts, a strict stand-in of Telegram."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
import requests

from bot.channels.buttons import data_of
from bot.channels.questions import Answer
from bot.demo.stage import Stage, until
from bot.facts import Permission
from bot.sandbox.pull_request import SandboxPullRequest
from bot.telegram import Bot
from tests.fakes.telegram import SECRET_HEADER, TOKEN, Sent, Telegram, telegram
from tests.work.conftest import Shop, make_shop
from tests.work.test_founder import (
    CURSOR,
    FRIDAY,
    INJECTED,
    SESSION,
    bullets,
    check_run,
    offered,
    press,
    say,
    send,
)

CHAT, FOREIGN = -100123, -100999
ADA, BEN, HELPER, VISITOR, STRANGER = 41, 42, 43, 44, 45
BOT = Bot(TOKEN)


def settings(chat: int = CHAT) -> str:
    return f"""commit_every: 15m
founders: [ada]
agents: [helper]
telegram:
  chat: {chat}
  people: {{{ADA}: ada, {BEN}: ben, {HELPER}: helper, {VISITOR}: visitor}}
"""


@pytest.fixture(scope="module")
def there() -> Iterator[Telegram]:
    with telegram() as fake:
        fake.chats.update((CHAT, FOREIGN))
        yield fake


@dataclass
class Chat:
    """The chat of one shop, and those who write there."""

    there: Telegram
    shop: Shop

    @property
    def messages(self) -> list[Sent]:
        """What the bot said about this shop, or in answer to somebody's words."""
        name = self.shop.repository.full_name
        return [m for m in self.there.in_chat(CHAT) if m.texts[0].startswith(name)]

    @property
    def last(self) -> Sent:
        return self.there.in_chat(CHAT)[-1]

    def deliver(self, update: dict[str, Any], secret: str = BOT.webhook_secret) -> Any:
        """What Telegram is answered; then the work it asked for is done."""
        answer = requests.post(
            f"{self.shop.stage.url}/webhooks/telegram",
            json=update,
            headers={SECRET_HEADER: secret},
            timeout=10,
        )
        self.shop.stage.settle()
        return answer.json() | {"status": answer.status_code}

    def press(self, sent: Sent, label: str, user: int) -> Any:
        return self.deliver(self.there.press(sent, label, user))

    def say(self, text: str, user: int = ADA, chat: int = CHAT) -> Any:
        date = int(self.shop.stage.clock().timestamp())
        return self.deliver(self.there.say(chat, text, user, date))


@pytest.fixture
def chat(playing: Stage, there: Telegram) -> Chat:
    shop = make_shop(playing, settings())
    shop.repository.set_permission("helper", Permission.WRITE)
    shop.repository.set_permission("visitor", Permission.READ)
    return Chat(there, shop)


@pytest.fixture
def met(chat: Chat) -> Chat:
    """The bot heard of the repository and of its chat before anything is offered."""
    chat.shop.repository.commit("ada", {".github/lessonkeeper.yml": settings() + "mode: auto\n"})
    chat.shop.stage.settle()
    return chat


@pytest.fixture
def offer(chat: Chat) -> Sent:
    offered(chat.shop, SESSION)
    (sent,) = chat.messages
    return sent


def pull_of(chat: Chat) -> SandboxPullRequest:
    return chat.shop.repository.pulls[1]


def last_commit(chat: Chat) -> str:
    return chat.shop.repository.bare.commits(chat.shop.repository.tip())[-1].sha[:12]


# --- offers and presses ------------------------------------------------------------------------


def test_the_offer_of_the_check_run_arrives_with_its_buttons(chat: Chat, offer: Sent) -> None:
    assert offer.text.startswith(f"{chat.shop.repository.full_name} #1: offered from @")
    assert "`finally`" in offer.text
    assert list(offer.buttons) == ["Keep as lesson", "Discard"]
    assert bullets(chat.shop) == []
    assert check_run(chat.shop, pull_of(chat)).buttons


def test_a_press_is_answered_at_once_and_keeps_and_the_message_says_what(
    chat: Chat, offer: Sent
) -> None:
    answer = chat.press(offer, "Keep as lesson", BEN)
    assert (answer["status"], answer["method"]) == (200, "answerCallbackQuery")
    assert answer["callback_query_id"] == f"{BEN}000000"
    (bullet,) = chat.shop.bullets()
    assert f"(#1, {chat.shop.today()}, founder_note)" in bullet
    assert f"Kept by @\u200bben, in {last_commit(chat)}" in offer.text
    assert offer.buttons == {}
    assert check_run(chat.shop, pull_of(chat)).title == "1 lesson kept"


def test_a_press_keeps_once_however_often_and_from_wherever(chat: Chat, offer: Sent) -> None:
    pull = pull_of(chat)
    twice = [chat.there.press(offer, "Keep as lesson", user) for user in (ADA, BEN, ADA)]
    on_github = press(chat.shop, check_run(chat.shop, pull), "keep", "cleo")
    for update in (*twice, twice[0]):
        chat.deliver(update)
    send(chat.shop, on_github)
    say(chat.shop, pull, "ben", "/lesson " + FRIDAY)
    assert len(chat.shop.bullets()) == 2
    assert chat.shop.subjects() == ["chore(lessons): 1 appended from #1"] * 2
    assert "Kept by @\u200bada" in offer.text
    assert len(chat.messages) == 1


def test_what_was_decided_on_github_is_shown_in_the_chat(chat: Chat, offer: Sent) -> None:
    send(chat.shop, press(chat.shop, check_run(chat.shop, pull_of(chat)), "keep", "cleo"))
    assert f"Kept by @\u200bcleo, in {last_commit(chat)}" in offer.text
    assert offer.buttons == {}
    assert len(offer.texts) <= 3  # offered, being written, kept


def test_of_two_messages_that_a_crash_left_the_pressed_one_is_edited(
    chat: Chat, offer: Sent
) -> None:
    copied = replace(offer, number=offer.number + 10_000, texts=list(offer.texts))
    chat.there.messages[copied.number] = copied
    chat.press(copied, "Keep as lesson", ADA)
    assert "Kept by" in copied.text
    assert copied.buttons == {}
    chat.press(offer, "Keep as lesson", ADA)
    assert offer.text == copied.text
    assert len(chat.shop.bullets()) == 1


def test_a_discarded_offer_is_gone_and_says_by_whom(chat: Chat, offer: Sent) -> None:
    chat.press(offer, "Discard", ADA)
    assert "Discarded by @\u200bada" in offer.text
    assert bullets(chat.shop) == []


def test_two_findings_are_two_messages(chat: Chat) -> None:
    offered(chat.shop, SESSION, CURSOR)
    assert len(chat.messages) == 2
    for sent in chat.messages:
        chat.press(sent, "Keep as lesson", ADA)
    assert len(chat.shop.bullets()) == 2


def test_a_withdrawn_offer_loses_its_buttons(chat: Chat, offer: Sent) -> None:
    (review,) = pull_of(chat).reviews.values()
    pull_of(chat).dismiss_review(review.id, "ada")
    chat.shop.stage.settle()
    assert offer.text.startswith("This does not wait any more")
    assert offer.buttons == {}


def test_without_a_chat_nothing_is_sent_and_a_chat_named_later_gets_what_waits(
    playing: Stage, there: Telegram
) -> None:
    chat = Chat(there, make_shop(playing, settings(chat=0)))
    offered(chat.shop, SESSION)
    assert chat.messages == []
    chat.shop.repository.commit("ada", {".github/lessonkeeper.yml": settings()})
    chat.shop.stage.settle()
    assert len(chat.messages) == 1


@pytest.mark.parametrize("status", [429, 502])
def test_what_telegram_refuses_for_now_is_sent_later_and_once(chat: Chat, status: int) -> None:
    chat.there.refuse_next.append((status, {"parameters": {"retry_after": 30}}))
    offered(chat.shop, SESSION)
    assert chat.messages == []
    assert check_run(chat.shop, pull_of(chat)).buttons  # it holds nothing else back
    chat.shop.pass_time(minutes=2)
    until(lambda: len(chat.messages) == 1)
    chat.shop.stage.settle()
    assert len(chat.messages) == 1


# --- refused -----------------------------------------------------------------------------------


def refusals(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if "is refused" in r.getMessage()]


def test_a_wrong_secret_is_refused(
    chat: Chat, offer: Sent, caplog: pytest.LogCaptureFixture
) -> None:
    update = chat.there.press(offer, "Keep as lesson", ADA)
    for secret in ("", TOKEN, BOT.webhook_secret[:-1]):
        assert chat.deliver(update, secret)["status"] == 401
    assert bullets(chat.shop) == []
    assert len(refusals(caplog)) == 3


def test_a_forged_button_is_refused(
    chat: Chat, offer: Sent, caplog: pytest.LogCaptureFixture
) -> None:
    good = offer.buttons["Keep as lesson"]
    other = Bot("7:another").secret("buttons")
    answer, repository, question, mac = good.split(":")
    forged = [
        "",
        "keep",
        good[:-1] + ("A" if good[-1] != "A" else "B"),
        f"a:{repository}:{question}:{mac}",
        f"{answer}:{int(repository) + 1}:{question}:{mac}",
        data_of(other, int(repository), question, Answer.KEEP),
    ]
    for data in forged:
        answered = chat.deliver(chat.there.callback(CHAT, offer.number, data, ADA))
        assert answered["text"] == "That button is not one of mine."
    assert bullets(chat.shop) == []
    assert len(refusals(caplog)) == len(forged)
    assert offer.buttons


@pytest.mark.parametrize(
    ("user", "where", "why"),
    [
        (ADA, FOREIGN, "it is not the chat of that repository"),
        (STRANGER, CHAT, "the user is not listed in the settings"),
        (VISITOR, CHAT, "the account may not decide"),
        (HELPER, CHAT, "the account may not decide"),
    ],
)
def test_who_may_not_decide_is_refused(
    chat: Chat, offer: Sent, caplog: pytest.LogCaptureFixture, user: int, where: int, why: str
) -> None:
    data = offer.buttons["Keep as lesson"]
    before = len(chat.there.in_chat(FOREIGN))
    chat.deliver(chat.there.callback(where, offer.number, data, user))
    name = chat.shop.repository.full_name
    chat.say(f"/lesson {name} {FRIDAY}", user, where)
    assert bullets(chat.shop) == []
    assert [each.endswith(why) for each in refusals(caplog)] == [True, True]
    assert offer.buttons
    assert len(chat.there.in_chat(FOREIGN)) == before  # a stranger's chat is told nothing


def test_write_access_counts_at_the_press(chat: Chat, offer: Sent) -> None:
    chat.shop.repository.set_permission("ada", Permission.READ)
    chat.press(offer, "Keep as lesson", ADA)
    assert bullets(chat.shop) == []
    chat.shop.repository.set_permission("ada", Permission.WRITE)
    chat.press(offer, "Keep as lesson", ADA)
    assert len(chat.shop.bullets()) == 1


def test_a_replayed_update_does_nothing_again(chat: Chat, offer: Sent) -> None:
    update = chat.there.press(offer, "Discard", ADA)
    chat.deliver(update)
    changed = chat.there.callback(CHAT, offer.number, "keep", ADA)["callback_query"]
    chat.deliver({"update_id": update["update_id"], "callback_query": changed})
    assert "Discarded by" in offer.text
    assert bullets(chat.shop) == []


# --- notes that begin in the chat --------------------------------------------------------------


def test_a_lesson_is_kept_at_once_from_its_message(met: Chat) -> None:
    met.say(f"/lesson@lessons_bot {met.shop.repository.full_name} {FRIDAY}")
    (bullet,) = met.shop.bullets()
    assert f"(manual, {met.shop.today()}, founder_note)" in bullet
    (sent,) = met.messages
    assert f"Kept by @\u200bada, in {last_commit(met)}" in sent.text
    commit = met.shop.repository.bare.commits(met.shop.repository.tip())[-1]
    assert f"telegram:{CHAT}:{sent.reply_to}" in commit.message


def test_revise_is_offered_and_a_press_keeps_it(met: Chat) -> None:
    met.say(f"/revise {met.shop.repository.full_name} {SESSION}")
    (sent,) = met.messages
    assert bullets(met.shop) == []
    met.press(sent, "Keep as lesson", BEN)
    assert len(met.shop.bullets()) == 1
    assert "Kept by @\u200bben" in sent.text


def test_what_speaks_to_a_model_waits_for_a_press(met: Chat) -> None:
    met.say(f"/lesson {met.shop.repository.full_name} {INJECTED}")
    (sent,) = met.messages
    assert ": quarantined from @" in sent.text
    assert bullets(met.shop) == []


def test_a_note_that_cannot_be_kept_is_answered_with_the_reason(met: Chat) -> None:
    met.say(f"/lesson {met.shop.repository.full_name} {'word ' * 80}")
    assert met.last.text.startswith("I did not keep it.")
    assert bullets(met.shop) == []


def test_a_repository_need_not_be_named_where_the_chat_serves_one(
    playing: Stage, there: Telegram
) -> None:
    own = -100_500
    there.chats.add(own)
    shop = make_shop(playing, settings(chat=own))
    chat = Chat(there, shop)
    shop.repository.commit("ada", {".github/lessonkeeper.yml": settings(chat=own) + "mode: auto\n"})
    shop.stage.settle()
    chat.say("/lesson src/db.py must close its sessions before it returns.", chat=own)
    assert "src/db.py must close its sessions" in shop.bullets()[0]


def test_where_it_serves_several_the_name_is_asked_for(chat: Chat, offer: Sent) -> None:
    second = Chat(chat.there, make_shop(chat.shop.stage, settings()))
    offered(second.shop, CURSOR)
    answer = chat.say(f"/lesson {FRIDAY}")
    assert answer["method"] == "sendMessage"
    assert answer["text"].startswith("Which repository is it about?")
    assert bullets(chat.shop) == []
    assert bullets(second.shop) == []


def test_plain_talk_is_nothing(chat: Chat, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert chat.say("good morning") == {"status": 200}
    assert refusals(caplog) == []
