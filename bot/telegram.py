"""The Bot API of Telegram: the few methods that Lessonkeeper needs, as plain HTTP calls.

It knows chats, messages and buttons, and nothing of lessons. The token is part of each address,
so no address and no exception of the HTTP library leaves this module.
Limits are those of https://core.telegram.org/bots/api.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import requests

from bot.environment import PUBLIC_TELEGRAM
from bot.errors import Fault, UserError

TIMEOUT = 10.0  # seconds, to connect and between two bytes
TEXT_LIMIT = 4096  # UTF-16 code units of a message
ANSWER_LIMIT = 200  # characters that a press is answered with
DATA_LIMIT = 64  # bytes of a button's data
UPDATES = ("message", "callback_query")

# What an edit is answered with that has nothing to do any more.
_NOTHING_TO_EDIT = (
    "message is not modified",
    "message to edit not found",
    "message can't be edited",
)


@dataclass(frozen=True, slots=True)
class Button:
    label: str
    data: str


@dataclass(frozen=True, slots=True)
class Message:
    """Plain text with a row of buttons: nothing in it is taken for markup, no link is opened."""

    text: str
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class Hook:
    """Where Telegram delivers, how many updates wait, and what it says of the last failed one."""

    url: str
    waiting: int = 0
    failure: str = ""
    failed_at: datetime | None = None


class Bot:
    """One bot. Methods raise UserError where Telegram refuses for good, Fault where it may not."""

    def __init__(self, token: str, base_url: str = PUBLIC_TELEGRAM) -> None:
        self._token = token
        self._address = f"{base_url.rstrip('/')}/bot{token}/"
        for name in ("urllib3.connectionpool", "urllib3.util.retry"):  # they log addresses
            logging.getLogger(name).addFilter(self._without_token)

    def secret(self, purpose: str) -> bytes:
        """32 bytes for one purpose, the same as long as the token is."""
        key = self._token.encode()
        return hmac.digest(key, f"lessonkeeper telegram {purpose}".encode(), hashlib.sha256)

    @property
    def webhook_secret(self) -> str:
        """What Telegram says with each update, in `X-Telegram-Bot-Api-Secret-Token`."""
        return self.secret("webhook").hex()

    def set_webhook(self, url: str) -> None:
        """Has Telegram deliver messages and presses to this https address."""
        self._call(
            "setWebhook",
            url=url,
            secret_token=self.webhook_secret,
            allowed_updates=list(UPDATES),
            max_connections=4,
        )

    def username(self) -> str:
        """The bot's own name; what the token is tried with."""
        return str(self._read("getMe").get("username", ""))

    def webhook(self) -> Hook:
        found = self._read("getWebhookInfo")
        failed_at = found.get("last_error_date")
        waiting = found.get("pending_update_count")
        return Hook(
            url=str(found.get("url", "")),
            waiting=waiting if isinstance(waiting, int) else 0,
            failure=str(found.get("last_error_message", "")),
            failed_at=datetime.fromtimestamp(failed_at, UTC)
            if isinstance(failed_at, int)
            else None,
        )

    def chat(self, chat: int) -> str:
        """The title of a chat that the bot is in; of a private one the person's name."""
        found = self._read("getChat", chat_id=chat)
        return str(found.get("title") or found.get("first_name") or chat)

    def send_message(self, chat: int, message: Message, reply_to: int | None = None) -> int:
        """The id of the message that was sent; calling again sends another."""
        body = _body(chat, message)
        if reply_to is not None:
            body["reply_parameters"] = {
                "message_id": reply_to,
                "allow_sending_without_reply": True,
            }
        result = self._call("sendMessage", **body)
        sent = result.get("message_id") if isinstance(result, dict) else None
        if not isinstance(sent, int):
            raise Fault("Telegram did not say which message it sent.", retry=False)
        return sent

    def edit_message_text(self, chat: int, number: int, message: Message) -> None:
        """Makes a message say this; one that says it or cannot be edited any more is left."""
        try:
            self._call("editMessageText", message_id=number, **_body(chat, message))
        except UserError as error:
            if not any(reason in error.message for reason in _NOTHING_TO_EDIT):
                raise

    def _read(self, method: str, **body: object) -> dict[str, object]:
        result = self._call(method, **body)
        if not isinstance(result, dict):
            raise Fault(f"Telegram answered {method} in a form that is not known here.")
        return result

    def _call(self, method: str, **body: object) -> object:
        try:
            response = requests.post(
                self._address + method, json=body, timeout=TIMEOUT, allow_redirects=False
            )
            answer = response.json()
        except requests.RequestException as error:
            raise Fault(f"Telegram did not answer {method}: {type(error).__name__}") from None
        if not isinstance(answer, dict):
            answer = {}
        if answer.get("ok") is True:
            return answer.get("result")
        raise self._refusal(method, response.status_code, answer)

    def _refusal(self, method: str, status: int, answer: Mapping[str, object]) -> Fault | UserError:
        reason = self._redacted(str(answer.get("description", f"status {status}"))[:200])
        said = f"Telegram refused {method}: {reason}"
        if status == 429 or status >= 500 or not answer:
            parameters = answer.get("parameters")
            wait = parameters.get("retry_after") if isinstance(parameters, dict) else None
            return Fault(said, retry_after=float(wait) if isinstance(wait, int) else None)
        if status in (401, 404):
            return UserError(said, remedy="Copy LESSONKEEPER_TELEGRAM_TOKEN from @BotFather.")
        return UserError(said, remedy="Is the bot in the chat that `telegram.chat` names?")

    def _without_token(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                self._redacted(each) if isinstance(each, str) else each for each in record.args
            )
        return True

    def _redacted(self, text: str) -> str:
        return text.replace(self._token, "***")


def answer_callback_query(query: str, text: str) -> dict[str, str]:
    """The call that answers a press, as the body of the answer to its own update.

    Telegram takes one such call so; there it can neither be late nor fail.
    """
    return {
        "method": "answerCallbackQuery",
        "callback_query_id": query,
        "text": text[:ANSWER_LIMIT],
    }


def answer_message(chat: int, text: str) -> dict[str, object]:
    """The call that says something in a chat, as the body of the answer to an update."""
    return {"method": "sendMessage", "chat_id": chat, "text": _cut(text)}


def _body(chat: int, message: Message) -> dict[str, object]:
    return {
        "chat_id": chat,
        "text": _cut(message.text),
        "link_preview_options": {"is_disabled": True},
        "reply_markup": {"inline_keyboard": _keyboard(message.buttons)},
    }


def _keyboard(buttons: Sequence[Button]) -> list[list[dict[str, str]]]:
    row = [{"text": each.label, "callback_data": each.data} for each in buttons]
    return [row] if row else []


def _cut(text: str) -> str:
    units = text.encode("utf-16-le", "replace")
    if len(units) <= 2 * TEXT_LIMIT:
        return text
    return units[: 2 * (TEXT_LIMIT - 1)].decode("utf-16-le", "ignore") + "…"
