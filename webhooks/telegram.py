"""`POST /webhooks/telegram`: verify, store durably, answer a press. Decides nothing.

Field names are those of https://core.telegram.org/bots/api#update. A call in the body of an answer
is made by Telegram: so a press is answered within its own request.
"""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Protocol

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from bot.errors import Fault
from bot.metrics import Metrics
from webhooks.events import ButtonPressed, Ignored, Malformed, MessageSaid
from webhooks.payload import Fields, WrongShape

log = logging.getLogger(__name__)

TELEGRAM = "telegram"  # the event's name in the inbox
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # nosec B105: the name of a header
BODY_LIMIT = 1024 * 1024  # a message has 4,096 characters; what it quotes comes with it

Update = ButtonPressed | MessageSaid


class Incoming(Protocol):
    def receive(self, number: int, update: Update, body: bytes) -> Mapping[str, object] | None:
        """Keeps an update; the call that answers it, if one does. Raises Fault: not stored."""
        ...


def parse_update(payload: Mapping[str, object]) -> Update | Ignored | Malformed:
    """What an update says. Never raises, whatever the payload."""
    fields = Fields(payload)
    try:
        if (query := fields.object_or_none("callback_query")) is not None:
            return _press(query)
        if (message := fields.object_or_none("message")) is not None:
            return _said(message)
    except WrongShape as error:
        return Malformed(str(error))
    return Ignored("neither a message nor a press")


def telegram_blueprint(secret: str, incoming: Incoming, metrics: Metrics) -> Blueprint:
    """The receiver of a bot's updates. Whatever is refused for good is answered with 200: Telegram
    sends again what is not."""
    blueprint = Blueprint("telegram", __name__)

    @blueprint.post("/webhooks/telegram", provide_automatic_options=False)
    def deliver() -> tuple[Response, int]:
        request.max_content_length = BODY_LIMIT
        given = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(given.encode(), secret.encode()):
            log.warning("an update of Telegram without the webhook's secret is refused")
            return _counted("refused", 401)
        body = request.get_data(cache=False)
        try:
            payload = json.loads(body) if request.mimetype == "application/json" else None
        except (ValueError, RecursionError):
            payload = None
        if not isinstance(payload, dict):
            return _counted("refused", 400)
        update = parse_update(payload)
        number = _number(payload)
        if isinstance(update, Ignored | Malformed) or number is None:
            log.info("update %s of Telegram: %s", number, update)
            return _counted("ignored", 200)
        answer = incoming.receive(number, update, body)
        metrics.deliveries.labels(TELEGRAM, "received").inc()
        return jsonify(answer or {}), 200

    @blueprint.errorhandler(Fault)
    def not_stored(fault: Fault) -> tuple[Response, int]:
        log.error("an update of Telegram was not stored: %s", fault)
        return _counted("not stored", 503)

    @blueprint.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> tuple[Response, int]:
        return _counted("refused", error.code or 500)

    def _counted(outcome: str, status: int) -> tuple[Response, int]:
        metrics.deliveries.labels(TELEGRAM, outcome).inc()
        return jsonify({}), status

    return blueprint


def _number(payload: Mapping[str, object]) -> int | None:
    try:
        return Fields(payload).id("update_id")
    except WrongShape:
        return None


def _press(query: Fields) -> Update | Ignored:
    message = query.object_or_none("message")
    if message is None:
        return Ignored("a press on what is no message")
    return ButtonPressed(
        query=query.text("id"),
        chat=message.object("chat").integer("id"),
        message=message.id("message_id"),
        user=query.object("from").id("id"),
        data=query.text_or_none("data") or "",
    )


def _said(message: Fields) -> Update | Ignored:
    sender = message.object_or_none("from")
    text = message.text_or_none("text")
    if sender is None or text is None:
        return Ignored("no text of a person")
    return MessageSaid(
        chat=message.object("chat").integer("id"),
        message=message.id("message_id"),
        user=sender.id("id"),
        text=text,
        at=_moment(message.id("date")),
    )


def _moment(seconds: int) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        raise WrongShape("date is not a time") from None
