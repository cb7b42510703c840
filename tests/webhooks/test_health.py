"""Health for anyone, figures for this machine or the operator's token, no trace for nobody."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Blueprint

from bot.metrics import Metrics
from webhooks.health import health_blueprint
from webhooks.signature import Secrets
from webhooks.site import site


class Nowhere:
    """A receiver that is never called here."""

    def receive(self, delivery: object, event: object) -> None:
        raise AssertionError


def answer(
    path: str,
    request: dict[str, Any] | None = None,
    *,
    alive: bool = True,
    token: str | None = None,
) -> tuple[int, str]:
    broken = Blueprint("broken", __name__)

    @broken.get("/broken")
    def break_() -> str:
        raise ValueError("acme/shop: a secret")

    metrics = Metrics()
    health = health_blueprint(metrics, lambda: alive, token)
    web = site(
        Nowhere(), Secrets(["s"]), metrics, None, lambda: datetime.now(UTC), (health, broken)
    )
    found = web.test_client().get(path, **(request or {}))
    return found.status_code, found.text


def test_health_is_that_of_the_database() -> None:
    assert answer("/healthz") == (200, '{"status":"ok"}\n')
    assert answer("/healthz", alive=False)[0] == 503


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({}, 200),
        ({"environ_base": {"REMOTE_ADDR": "203.0.113.7"}}, 404),
        ({"headers": {"X-Forwarded-For": "203.0.113.7"}}, 404),  # a proxy on this machine
        ({"headers": {"Host": "bot.example.com"}}, 404),
        ({"headers": {"Authorization": "Bearer right", "Host": "bot.example.com"}}, 200),
        ({"headers": {"Authorization": "Bearer wrong", "Host": "bot.example.com"}}, 404),
    ],
)
def test_figures_are_for_this_machine_and_for_the_token(
    request_: dict[str, Any], status: int
) -> None:
    assert answer("/metrics", request_, token="right")[0] == status


def test_without_a_token_no_bearer_opens_the_figures() -> None:
    headers = {"Authorization": "Bearer ", "Host": "bot.example.com"}
    assert answer("/metrics", {"headers": headers})[0] == 404


def test_what_broke_is_not_told() -> None:
    assert answer("/broken") == (
        500,
        '{"error":"Something broke. It is in the server\'s log."}\n',
    )
