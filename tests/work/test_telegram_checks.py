"""What doctor says of Telegram: nothing where it is not configured, else each line its remedy."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from bot.invocation import command
from bot.telegram import Bot
from bot.work.doctor import Check
from tests.fakes.github_app import Repository
from tests.fakes.telegram import TOKEN, Telegram, telegram
from tests.work.test_doctor import URL, Place, place

__all__ = ["place"]

CHAT = -1001
HOOK = f"{URL}/webhooks/telegram"
RESTART = f"Restart `{command('serve')}`: each start sets the webhook with its secret."
SETTINGS = f"telegram: {{chat: {CHAT}, people: {{41: ada}}}}\n"


@pytest.fixture
def there() -> Iterator[Telegram]:
    with telegram() as fake:
        fake.chats.add(CHAT)
        yield fake


@pytest.fixture
def chatting(place: Place, there: Telegram) -> Place:
    """All is well with Telegram too."""
    place.environ["LESSONKEEPER_TELEGRAM_TOKEN"] = TOKEN
    place.environ["LESSONKEEPER_TELEGRAM_URL"] = there.url
    place.repository("acme/shop", Repository(settings=SETTINGS))
    Bot(TOKEN, there.url).set_webhook(HOOK)
    return place


def told(place: Place) -> dict[str, Check]:
    return {c.name: c for c in place.checks() if c.name.startswith("Telegram")}


def test_nothing_is_said_where_it_is_not_configured(place: Place) -> None:
    assert told(place) == {}


def test_all_is_well(chatting: Place) -> None:
    assert chatting.ill() == {}
    assert {name: check.said for name, check in told(chatting).items()} == {
        "Telegram bot": "@lessons_bot",
        "Telegram webhook": f"Telegram sends to {HOOK}",
        f"Telegram chat {CHAT}": f"“Chat {CHAT}” of acme/shop",
    }


def test_a_token_that_is_none(chatting: Place) -> None:
    chatting.environ["LESSONKEEPER_TELEGRAM_TOKEN"] = "4242:of-somebody-else"
    check = chatting.ill()["Telegram bot"]
    assert check.said == "Telegram refused getMe: Unauthorized"
    assert check.remedy == "Copy LESSONKEEPER_TELEGRAM_TOKEN from @BotFather."
    assert "somebody-else" not in str(chatting.checks())


@pytest.mark.parametrize("url", ["", "https://elsewhere.example/telegram?key=secret"])
def test_a_webhook_that_is_not_ours(chatting: Place, there: Telegram, url: str) -> None:
    there.webhook["url"] = url
    assert chatting.ill()["Telegram webhook"] == Check(
        "Telegram webhook",
        False,
        f"Telegram sends to {url.partition('?')[0] or 'nothing'}",
        RESTART,
    )


@pytest.mark.parametrize(
    ("failure", "remedy"),
    [
        ("Wrong response from the webhook: 401 Unauthorized", RESTART),
        ("Wrong response from the webhook: 404 Not Found", RESTART),
        (
            "Connection refused",
            f"See that {HOOK} is reached from outside and `serve` runs behind it.",
        ),
    ],
)
def test_updates_that_do_not_arrive(
    chatting: Place, there: Telegram, failure: str, remedy: str
) -> None:
    there.failed = {"pending_update_count": 2, "last_error_message": failure}
    check = chatting.ill()["Telegram webhook"]
    assert (check.said, check.remedy) == (f"2 wait: {failure}", remedy)


def test_a_failure_that_is_over_is_only_told(chatting: Place, there: Telegram) -> None:
    at = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)
    there.failed = {"last_error_date": int(at.timestamp()), "last_error_message": "Timed out"}
    check = told(chatting)["Telegram webhook"]
    assert check.ok
    assert check.said == f"Telegram sends to {HOOK}, last failed at 2026-11-02 09:30 UTC"


def test_without_a_public_address_presses_do_not_arrive(chatting: Place) -> None:
    del chatting.environ["LESSONKEEPER_URL"]
    check = told(chatting)["Telegram webhook"]
    assert check.ok is None
    assert check.remedy == "Set LESSONKEEPER_URL, or decide on GitHub."


def test_a_chat_that_the_bot_is_not_in(chatting: Place, there: Telegram) -> None:
    there.chats.clear()
    check = chatting.ill()[f"Telegram chat {CHAT}"]
    assert check.said == "acme/shop: Telegram refused getChat: Bad Request: chat not found"
    assert check.remedy == "Add the bot to it, or mend `telegram: chat` in the settings."


def test_settings_that_name_a_chat_where_there_is_no_bot(place: Place) -> None:
    place.repository("acme/shop", Repository(settings=SETTINGS))
    check = place.ill()[f"Telegram chat {CHAT}"]
    assert check.said == "acme/shop would write there, but there is no bot"
    assert "LESSONKEEPER_TELEGRAM_TOKEN" in check.remedy
