"""`python app.py serve` with a Telegram bot: what it tells Telegram, and what survives its end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests

from bot.demo.stage import until
from bot.facts import Permission
from bot.sandbox.deliver import deliver_all
from bot.sandbox.repository import SandboxRepository
from bot.telegram import Bot
from tests.fakes.telegram import SECRET_HEADER, TOKEN, Telegram, telegram
from tests.work.test_serving import Operator, lessons, operator, review

__all__ = ["operator"]

CHAT, BEN = -100123, 42
SETTINGS = f"founders: [ada]\ntelegram: {{chat: {CHAT}, people: {{{BEN}: ben}}}}\n"


@pytest.fixture
def there() -> Iterator[Telegram]:
    with telegram() as fake:
        fake.chats.add(CHAT)
        yield fake


@pytest.fixture
def shop(operator: Operator) -> SandboxRepository:
    made = operator.forge.create_repository(
        "acme/shop", {"src/db.py": "a\n" * 9, ".github/lessonkeeper.yml": SETTINGS}
    )
    for login in ("ada", "ben"):
        made.set_permission(login, Permission.WRITE)
    return made


def test_a_press_before_a_restart_keeps_and_the_old_message_says_so(
    operator: Operator, shop: SandboxRepository, there: Telegram
) -> None:
    operator.variables.update(
        LESSONKEEPER_URL="https://lessons.example",
        LESSONKEEPER_TELEGRAM_TOKEN=TOKEN,
        LESSONKEEPER_TELEGRAM_URL=there.url,
    )
    with operator.serving() as server:
        review(shop)
        deliver_all(operator.forge, f"{server.url}/webhooks/github")
        until(lambda: there.in_chat(CHAT) != [])
        until(lambda: there.webhook != {})
        (offer,) = there.in_chat(CHAT)
        update = there.press(offer, "Keep as lesson", BEN)
        for _ in range(3):
            answer = requests.post(
                f"{server.url}/webhooks/telegram",
                json=update,
                headers={SECRET_HEADER: there.webhook["secret_token"]},
                timeout=10,
            )
            assert answer.json()["method"] == "answerCallbackQuery"
        server.process.kill()
        server.ended()
        first = server.logged
    with operator.serving() as server:
        until(lambda: "Kept by" in offer.text and "being written" not in offer.text)
        assert server.stop() == 0
    assert lessons(shop) == ["chore(lessons): 1 appended from #1"]
    assert there.webhook["url"] == "https://lessons.example/webhooks/telegram"
    assert there.webhook["secret_token"] == Bot(TOKEN).webhook_secret
    assert not any(TOKEN in line for line in first + server.logged)
