"""The sandbox lists every attempt to deliver, pages it by cursor, and delivers again on request."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jwt
import pytest
import requests

from bot.sandbox.forge import SandboxForge
from bot.sandbox.server import SandboxServer

LIST = "/app/hook/deliveries"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SandboxServer]:
    forge = SandboxForge(tmp_path, lambda: datetime(2026, 11, 2, 10, 0, tzinfo=UTC))
    with SandboxServer(forge) as running:
        yield running
    running.assert_no_surprises()


def ask(server: SandboxServer, url: str, method: str = "GET") -> requests.Response:
    now = int(time.time())
    claims = {"iat": now - 60, "exp": now + 60, "iss": str(server.forge.app_id)}
    token = jwt.encode(claims, server.forge.private_key, algorithm="RS256")
    headers = {"Authorization": f"Bearer {token}"}
    return requests.request(method, url, headers=headers, timeout=10)


def test_the_list_is_newest_first_and_paged_by_cursor(server: SandboxServer) -> None:
    shop = server.forge.create_repository("acme/shop")
    shop.commit("ada", {"a": "1"})
    lost = server.forge.lose_deliveries()
    rows: list[dict[str, Any]] = []
    url = f"{server.url}{LIST}?per_page=1"
    while url:
        answer = ask(server, url)
        rows += answer.json()
        url = answer.links.get("next", {}).get("url", "")
    assert [row["guid"] for row in rows] == [one.guid for one in reversed(lost)]
    assert {(row["status"], row["status_code"]) for row in rows} == {
        ("failed to connect to host", 0)
    }
    assert rows[0]["repository_id"] == shop.id


def test_one_attempt_has_its_payload_and_is_made_again_under_its_guid(
    server: SandboxServer,
) -> None:
    server.forge.create_repository("acme/shop")
    (lost,) = server.forge.lose_deliveries()
    (row,) = ask(server, f"{server.url}{LIST}").json()
    whole = ask(server, f"{server.url}{LIST}/{row['id']}").json()
    assert whole["request"]["payload"] == lost.payload
    assert ask(server, f"{server.url}{LIST}/{row['id']}/attempts", "POST").status_code == 202
    (again,) = server.forge.lose_deliveries()
    assert again.guid == lost.guid
    assert [row["redelivery"] for row in ask(server, f"{server.url}{LIST}").json()] == [True, False]


def test_only_the_app_itself_may_ask(server: SandboxServer) -> None:
    assert requests.get(f"{server.url}{LIST}", timeout=10).status_code == 401
