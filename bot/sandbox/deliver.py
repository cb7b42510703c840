"""Posts the sandbox's webhooks to a receiver, signed and with GitHub's headers.

Which, in what order and how often is the caller's choice.
"""

from __future__ import annotations

import hashlib
import hmac
import json

import requests

from bot.sandbox.forge import SandboxForge
from bot.sandbox.records import Delivery

SECONDS = 10  # GitHub waits no longer
HOOK_ID = 1


def signature(body: bytes, secret: str) -> str:
    """The value of X-Hub-Signature-256."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def headers(forge: SandboxForge, delivery: Delivery, body: bytes) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/sandbox",
        "X-GitHub-Event": delivery.event,
        "X-GitHub-Delivery": delivery.guid,
        "X-GitHub-Hook-ID": str(HOOK_ID),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-GitHub-Hook-Installation-Target-ID": str(forge.app_id),
        "X-Hub-Signature-256": signature(body, forge.webhook_secret),
    }


def deliver(forge: SandboxForge, delivery: Delivery, url: str) -> int:
    """Posts one delivery; the status that the receiver answered. The forge lists the attempt."""
    body = json.dumps(delivery.payload, separators=(",", ":")).encode()
    with requests.Session() as session:
        session.trust_env = False  # the receiver is on loopback, whatever proxy is set
        sent = headers(forge, delivery, body)
        code = 0
        try:
            code = session.post(url, body, headers=sent, timeout=SECONDS).status_code
        finally:
            forge.attempts.record(delivery, code)
        return code


def deliver_all(forge: SandboxForge, url: str) -> list[int]:
    """Posts whatever is queued, oldest first, until nothing is."""
    statuses = []
    while deliveries := forge.take_deliveries():
        statuses += [deliver(forge, delivery, url) for delivery in deliveries]
    return statuses
