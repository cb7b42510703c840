"""The Bot API's client against a strict stand-in."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from bot.errors import Fault, UserError
from bot.telegram import Bot, Button, Hook, Message, answer_callback_query
from tests.fakes.telegram import TOKEN, Telegram, telegram

CHAT = -1001


@pytest.fixture
def there() -> Iterator[Telegram]:
    with telegram() as fake:
        fake.chats.add(CHAT)
        yield fake


@pytest.fixture
def bot(there: Telegram) -> Bot:
    return Bot(TOKEN, there.url)


def test_a_message_is_sent_with_its_buttons_and_edited(bot: Bot, there: Telegram) -> None:
    offer = Message("Keep <b>this</b>?", (Button("Keep", "k"), Button("Discard", "d")))
    number = bot.send_message(CHAT, offer, reply_to=7)
    (sent,) = there.in_chat(CHAT)
    assert (sent.number, sent.text, sent.reply_to) == (number, "Keep <b>this</b>?", 7)
    assert sent.buttons == {"Keep": "k", "Discard": "d"}
    bot.edit_message_text(CHAT, number, Message("Kept."))
    assert (sent.text, sent.buttons) == ("Kept.", {})


def test_an_edit_that_changes_nothing_or_comes_too_late_is_done(bot: Bot) -> None:
    number = bot.send_message(CHAT, Message("Kept."))
    bot.edit_message_text(CHAT, number, Message("Kept."))
    bot.edit_message_text(CHAT, number + 1, Message("Kept."))


@pytest.mark.parametrize("letter", ["a", "ä", "\U0001f600"])
def test_a_longer_text_is_cut_to_what_telegram_takes(
    bot: Bot, there: Telegram, letter: str
) -> None:
    bot.send_message(CHAT, Message(letter * 5000))
    (sent,) = there.in_chat(CHAT)
    assert sent.text.endswith(f"{letter}…")
    assert len(sent.text) > 2000


def test_a_press_is_answered_in_at_most_200_characters() -> None:
    assert answer_callback_query("9", "x" * 300)["text"] == "x" * 200


def test_the_bot_and_its_chats_have_names(bot: Bot) -> None:
    assert bot.username() == "lessons_bot"
    assert bot.chat(CHAT) == f"Chat {CHAT}"
    with pytest.raises(UserError, match="chat not found"):
        bot.chat(7)


def test_what_telegram_says_of_the_webhook(bot: Bot, there: Telegram) -> None:
    assert bot.webhook() == Hook("")
    bot.set_webhook("https://lessons.example/webhooks/telegram")
    there.failed = {
        "pending_update_count": 3,
        "last_error_date": 1_793_000_000,
        "last_error_message": "Connection refused",
    }
    at = datetime(2026, 10, 26, 7, 33, 20, tzinfo=UTC)
    url = "https://lessons.example/webhooks/telegram"
    assert bot.webhook() == Hook(url, 3, "Connection refused", at)


def test_the_webhook_is_set_with_a_secret_that_is_not_the_token(bot: Bot, there: Telegram) -> None:
    bot.set_webhook("https://lessons.example/webhooks/telegram")
    assert there.webhook["secret_token"] == bot.webhook_secret == Bot(TOKEN).webhook_secret
    assert there.webhook["allowed_updates"] == ["message", "callback_query"]
    assert bot.webhook_secret != Bot(TOKEN + "x").webhook_secret
    assert "telegram-token" not in bot.webhook_secret


def test_too_many_calls_are_a_fault_with_the_wait_that_telegram_names(
    bot: Bot, there: Telegram
) -> None:
    there.refuse_next.append((429, {"parameters": {"retry_after": 17}}))
    with pytest.raises(Fault) as caught:
        bot.send_message(CHAT, Message("Hello"))
    assert (caught.value.retry, caught.value.retry_after) == (True, 17.0)


def test_a_server_that_is_broken_is_tried_again(bot: Bot, there: Telegram) -> None:
    there.refuse_next.append((502, {}))
    with pytest.raises(Fault) as caught:
        bot.send_message(CHAT, Message("Hello"))
    assert caught.value.retry


def test_what_a_person_must_mend_is_said_with_its_remedy(bot: Bot, there: Telegram) -> None:
    with pytest.raises(UserError, match="chat not found"):
        bot.send_message(5, Message("Hello"))
    with pytest.raises(UserError, match="LESSONKEEPER_TELEGRAM_TOKEN"):
        Bot("1:wrong", there.url).send_message(CHAT, Message("Hello"))


def test_the_token_is_in_no_log_and_in_no_exception(
    there: Telegram, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        bot = Bot(TOKEN, there.url)
        bot.send_message(CHAT, Message("Hello"))
        there.refuse_next.append((400, {"description": f"no bot{TOKEN} here"}))
        with pytest.raises(UserError) as refused:
            bot.send_message(CHAT, Message("Hello"))
        with pytest.raises(Fault) as silent:
            Bot(TOKEN, "http://127.0.0.1:9").send_message(CHAT, Message("Hello"))
    assert "sendMessage" in caplog.text
    chain = [refused.value, silent.value, silent.value.__cause__]
    for text in (caplog.text, *map(str, chain), repr(bot)):
        assert TOKEN not in text
