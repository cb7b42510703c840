"""The receiver of Telegram's updates: who is let in, what is kept, what is answered."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from bot.errors import Fault
from bot.metrics import Metrics
from webhooks.events import ButtonPressed, Ignored, Malformed, MessageSaid
from webhooks.telegram import BODY_LIMIT, SECRET_HEADER, Update, parse_update, telegram_blueprint

SECRET = "s3cret-of-the-webhook"
PRESS: dict[str, Any] = {
    "id": "4382bfdwdsb323b2d9",
    "from": {"id": 42, "is_bot": False, "first_name": "Ada"},
    "message": {"message_id": 501, "date": 0, "chat": {"id": -100123, "type": "supergroup"}},
    "data": "keep:1:0123456789ab:AAAAAAAAAAAAAAAA",
}
SAID: dict[str, Any] = {
    "message_id": 502,
    "from": {"id": 42, "is_bot": False, "first_name": "Ada"},
    "chat": {"id": 42, "type": "private"},
    "date": 1_793_000_000,
    "text": "/lesson Never deploy on a Friday.",
}


@dataclass
class Kept:
    updates: list[tuple[int, Update]] = field(default_factory=list)
    answer: Mapping[str, object] | None = None
    full: bool = False

    def receive(self, number: int, update: Update, body: bytes) -> Mapping[str, object] | None:
        if self.full:
            raise Fault("disk full")
        self.updates.append((number, update))
        return self.answer


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def client(kept: Kept) -> FlaskClient:
    web = Flask("telegram")
    web.register_blueprint(telegram_blueprint(SECRET, kept, Metrics()))
    return web.test_client()


def post(client: FlaskClient, payload: object, secret: str | None = SECRET) -> TestResponse:
    headers = {} if secret is None else {SECRET_HEADER: secret}
    return client.post("/webhooks/telegram", json=payload, headers=headers)


def test_a_press_is_kept_and_answered_with_the_call_that_telegram_makes(
    client: FlaskClient, kept: Kept
) -> None:
    kept.answer = {"method": "answerCallbackQuery", "callback_query_id": PRESS["id"]}
    answer = post(client, {"update_id": 7, "callback_query": PRESS})
    assert (answer.status_code, answer.json) == (200, kept.answer)
    pressed = ButtonPressed(PRESS["id"], -100123, 501, 42, PRESS["data"])
    assert kept.updates == [(7, pressed)]


def test_a_message_is_kept_and_needs_no_answer(client: FlaskClient, kept: Kept) -> None:
    answer = post(client, {"update_id": 8, "message": SAID})
    assert (answer.status_code, answer.json) == (200, {})
    at = datetime.fromtimestamp(1_793_000_000, UTC)
    assert kept.updates == [(8, MessageSaid(42, 502, 42, SAID["text"], at))]


@pytest.mark.parametrize("secret", [None, "", "s3cret", SECRET + "x", "ÿ"])
def test_without_the_secret_nothing_is_read(
    client: FlaskClient, kept: Kept, caplog: pytest.LogCaptureFixture, secret: str | None
) -> None:
    with caplog.at_level(logging.WARNING):
        answer = post(client, {"update_id": 7, "callback_query": PRESS}, secret)
    assert answer.status_code == 401
    assert "is refused" in caplog.text
    assert SECRET not in caplog.text
    assert kept.updates == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"7", b"[" * 100_000])
def test_what_is_no_json_object_is_refused(client: FlaskClient, kept: Kept, body: bytes) -> None:
    answer = client.post(
        "/webhooks/telegram",
        data=body,
        content_type="application/json",
        headers={SECRET_HEADER: SECRET},
    )
    assert answer.status_code == 400
    assert kept.updates == []


def test_a_form_and_a_body_without_end_are_refused(client: FlaskClient, kept: Kept) -> None:
    headers = {SECRET_HEADER: SECRET}
    form = client.post("/webhooks/telegram", data={"update_id": 7}, headers=headers)
    long = client.post(
        "/webhooks/telegram",
        data=b" " * (BODY_LIMIT + 1),
        content_type="application/json",
        headers=headers,
    )
    assert (form.status_code, long.status_code) == (400, 413)
    assert client.get("/webhooks/telegram").status_code == 405
    assert kept.updates == []


def test_what_is_not_on_disk_is_sent_again(client: FlaskClient, kept: Kept) -> None:
    kept.full = True
    assert post(client, {"update_id": 7, "callback_query": PRESS}).status_code == 503


@pytest.mark.parametrize(
    "payload",
    [
        {"update_id": 7, "poll": {}},
        {"update_id": 7, "message": {"message_id": 1}},
        {"update_id": 7, "message": SAID | {"text": None}},
        {"update_id": 7, "message": SAID | {"date": 10**15}},
        {"update_id": 7, "callback_query": PRESS | {"message": None}},
        {"update_id": "7", "callback_query": PRESS},
        {"callback_query": PRESS},
    ],
)
def test_what_is_nothing_for_us_is_taken_and_forgotten(
    client: FlaskClient, kept: Kept, payload: object
) -> None:
    assert post(client, payload).status_code == 200
    assert kept.updates == []


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ("id", "from", "chat", "message", "message_id", "date", "text", "data")
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(("update_id", "message", "callback_query")), _json))
def test_any_payload_is_an_update_or_refused_in_words(payload: dict[str, object]) -> None:
    known = ButtonPressed | MessageSaid | Ignored | Malformed
    assert isinstance(parse_update(payload), known)
