"""A strict stand-in of Telegram's Bot API on loopback: it keeps chats, messages and the webhook.

What Telegram would refuse is refused with its own words, and what no caller should send at all
fails the test.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

TOKEN = "4242:telegram-token-of-the-tests"
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"
KEYS = {
    "sendMessage": (
        {"chat_id", "text"},
        {"link_preview_options", "reply_markup", "reply_parameters"},
    ),
    "editMessageText": (
        {"chat_id", "message_id", "text"},
        {"link_preview_options", "reply_markup"},
    ),
    "setWebhook": ({"url", "secret_token"}, {"allowed_updates", "max_connections"}),
    "getMe": (set(), set()),
    "getWebhookInfo": (set(), set()),
    "getChat": ({"chat_id"}, set()),
}


@dataclass(slots=True)
class Sent:
    """A message of the bot as people see it now; `texts` are all that it ever said."""

    chat: int
    number: int
    texts: list[str]
    buttons: dict[str, str]
    reply_to: int | None = None

    @property
    def text(self) -> str:
        return self.texts[-1]


@dataclass(slots=True)
class Telegram:
    """`chats` are those the bot is in. `refuse_next` are statuses that calls fail with."""

    url: str
    chats: set[int] = field(default_factory=set)
    messages: dict[int, Sent] = field(default_factory=dict)
    webhook: dict[str, Any] = field(default_factory=dict)
    failed: dict[str, Any] = field(default_factory=dict)  # what it says of deliveries that failed
    refuse_next: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: count(500))
    _updates: Iterator[int] = field(default_factory=lambda: count(70_001))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    # what Telegram would deliver

    def press(self, sent: Sent, label: str, user: int) -> dict[str, Any]:
        """The update of somebody's press on a button that stands there."""
        return self.callback(sent.chat, sent.number, sent.buttons[label], user)

    def callback(self, chat: int, number: int, data: str, user: int) -> dict[str, Any]:
        message = {"message_id": number, "date": 1_793_000_000, "chat": _chat(chat), "text": "…"}
        query = {
            "id": f"{user}000000",
            "from": _user(user),
            "message": message,
            "chat_instance": "-99",
            "data": data,
        }
        return {"update_id": next(self._updates), "callback_query": query}

    def say(self, chat: int, text: str, user: int, date: int) -> dict[str, Any]:
        message = {
            "message_id": next(self._numbers),
            "from": _user(user),
            "chat": _chat(chat),
            "date": date,
            "text": text,
        }
        return {"update_id": next(self._updates), "message": message}

    def in_chat(self, chat: int) -> list[Sent]:
        return [each for each in self.messages.values() if each.chat == chat]

    # what the bot calls

    def answer(self, path: str, content_type: str, body: bytes) -> tuple[int, dict[str, Any]]:
        with self._lock:
            found = re.fullmatch(r"/bot([^/]+)/(\w+)", path)
            if found is None or found[1] != TOKEN:
                return 401, _error(401, "Unauthorized")
            method = found[2]
            self.calls.append(method)
            if self.refuse_next:
                status, more = self.refuse_next.pop(0)
                return status, _error(status, "Refused by the test") | more
            if method not in KEYS:
                self.wrong.append(f"unknown method {method}")
                return 404, _error(404, "Not Found")
            if content_type != "application/json":
                self.wrong.append(f"content type {content_type}")
            given = json.loads(body)
            needed, more_keys = KEYS[method]
            if not needed <= set(given) <= needed | more_keys:
                self.wrong.append(f"{method} with {sorted(given)}")
            match method:
                case "setWebhook":
                    return self._set_webhook(given)
                case "sendMessage":
                    return self._send(given)
                case "getMe":
                    me = {"id": 4242, "is_bot": True, "first_name": "Lessons"}
                    return 200, {"ok": True, "result": {**me, "username": "lessons_bot"}}
                case "getWebhookInfo":
                    return 200, {"ok": True, "result": self._webhook_info()}
                case "getChat":
                    return self._chat(given["chat_id"])
            return self._edit(given)

    def _set_webhook(self, given: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if not given["url"].startswith("https://"):
            return 400, _error(400, "Bad Request: bad webhook: an HTTPS URL must be provided")
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", given["secret_token"]):
            return 400, _error(400, "Bad Request: secret token contains unallowed characters")
        self.webhook = given
        return 200, {"ok": True, "result": True}

    def _webhook_info(self) -> dict[str, Any]:
        """Telegram never tells the secret."""
        url = self.webhook.get("url", "")
        known = {"url": url, "has_custom_certificate": False, "pending_update_count": 0}
        return known | self.failed

    def _chat(self, number: int) -> tuple[int, dict[str, Any]]:
        if number not in self.chats:
            return 400, _error(400, "Bad Request: chat not found")
        return 200, {"ok": True, "result": {**_chat(number), "title": f"Chat {number}"}}

    def _send(self, given: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if problem := self._problem(given):
            return 400, _error(400, problem)
        number = next(self._numbers)
        reply = given.get("reply_parameters", {}).get("message_id")
        sent = Sent(given["chat_id"], number, [given["text"]], _buttons(given), reply)
        self.messages[number] = sent
        return 200, {"ok": True, "result": self._shown(sent)}

    def _edit(self, given: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if problem := self._problem(given):
            return 400, _error(400, problem)
        sent = self.messages.get(given["message_id"])
        if sent is None or sent.chat != given["chat_id"]:
            return 400, _error(400, "Bad Request: message to edit not found")
        if (sent.text, sent.buttons) == (given["text"], _buttons(given)):
            return 400, _error(
                400,
                "Bad Request: message is not modified: specified new message content and reply"
                " markup are exactly the same",
            )
        sent.texts.append(given["text"])
        sent.buttons = _buttons(given)
        return 200, {"ok": True, "result": self._shown(sent)}

    def _problem(self, given: dict[str, Any]) -> str | None:
        if given["chat_id"] not in self.chats:
            return "Bad Request: chat not found"
        if not given["text"].strip():
            return "Bad Request: message text is empty"
        if len(given["text"].encode("utf-16-le")) > 2 * 4096:
            return "Bad Request: message is too long"
        if given.get("link_preview_options") != {"is_disabled": True}:
            self.wrong.append("a link in somebody's text would be opened")
        for data in _buttons(given).values():
            if not 1 <= len(data.encode()) <= 64:
                return "Bad Request: BUTTON_DATA_INVALID"
        return None

    def _shown(self, sent: Sent) -> dict[str, Any]:
        return {"message_id": sent.number, "chat": _chat(sent.chat), "text": sent.text}


def _chat(number: int) -> dict[str, Any]:
    return {"id": number, "type": "group" if number < 0 else "private"}


def _user(number: int) -> dict[str, Any]:
    return {"id": number, "is_bot": False, "first_name": "Somebody"}


def _buttons(given: dict[str, Any]) -> dict[str, str]:
    rows = given.get("reply_markup", {}).get("inline_keyboard", [])
    return {button["text"]: button["callback_data"] for row in rows for button in row}


def _error(status: int, description: str) -> dict[str, Any]:
    return {"ok": False, "error_code": status, "description": description}


@contextmanager
def telegram() -> Iterator[Telegram]:
    """The stand-in on loopback; at its end nothing was wrong and every failure came."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            status, reply = fake.answer(self.path, self.headers.get("content-type", ""), body)
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    fake = Telegram(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
    assert fake.wrong == []
    assert fake.refuse_next == []
