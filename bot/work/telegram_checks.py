"""What `doctor` says of Telegram, where it is configured: the bot, its webhook, each chat.

Telegram does not tell which secret it sends; a wrong one shows in what it says of failed updates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from urllib.parse import urlsplit

from bot.errors import Fault, UserError
from bot.invocation import command
from bot.telegram import Bot, Hook
from bot.work.doctor import Check, refused

WEBHOOK = "/webhooks/telegram"
RESTART = f"Restart `{command('serve')}`: each start sets the webhook with its secret."


def checks(bot: Bot, url: str | None) -> Iterator[Check]:
    """The token and the webhook. `url` is the public address of the server."""
    try:
        yield Check("Telegram bot", True, f"@{bot.username()}")
        yield webhook(bot.webhook(), url)
    except (UserError, Fault) as error:
        yield refused("Telegram bot", error)


def webhook(found: Hook, url: str | None) -> Check:
    name = "Telegram webhook"
    if url is None:
        said = "this server has no public address: offers are sent, presses do not arrive"
        return Check(name, None, said, "Set LESSONKEEPER_URL, or decide on GitHub.")
    wanted = f"{url}{WEBHOOK}"
    if found.url != wanted:
        shown = urlsplit(found.url)._replace(query="").geturl() or "nothing"
        return Check(name, False, f"Telegram sends to {shown}", RESTART)
    if found.failure and found.waiting:
        return Check(name, False, f"{found.waiting} wait: {found.failure}", _mend(found, wanted))
    last = f", last failed at {_minute(found.failed_at)} UTC" if found.failed_at else ""
    return Check(name, True, f"Telegram sends to {wanted}{last}")


def _mend(found: Hook, wanted: str) -> str:
    """404 is also how the receiver answers to a secret that is not its own."""
    if "401" in found.failure or "404" in found.failure:
        return RESTART
    return f"See that {wanted} is reached from outside and `serve` runs behind it."


def chats(bot: Bot | None, wanted: Mapping[int, Sequence[str]]) -> Iterator[Check]:
    """`wanted` is by chat the repositories whose settings name it."""
    for chat, repositories in sorted(wanted.items()):
        name, of = f"Telegram chat {chat}", ", ".join(sorted(repositories))
        if bot is None:
            remedy = "Set LESSONKEEPER_TELEGRAM_TOKEN, from @BotFather."
            yield Check(name, False, f"{of} would write there, but there is no bot", remedy)
            continue
        try:
            yield Check(name, True, f"“{bot.chat(chat)}” of {of}")
        except UserError as error:
            remedy = "Add the bot to it, or mend `telegram: chat` in the settings."
            yield Check(name, False, f"{of}: {error.message}", remedy)
        except Fault as fault:
            yield refused(name, fault)


def _minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"
