"""Whether GitHub sent these bytes: HMAC-SHA256 over the raw body, never over parsed JSON.

It knows secrets and bytes, nothing of HTTP or of what the body says.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence

from bot.errors import UserError

_SIGNATURE = re.compile(r"sha256=([0-9a-f]{64})")


class Secrets:
    """The webhook secrets, newest first: two while the secret is being changed.

    Raises UserError without a secret: a receiver that cannot verify does not start.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = [secret.strip().encode() for secret in secrets if secret.strip()]
        if not self._secrets:
            raise UserError(
                "No webhook secret is set, so no delivery could be verified.",
                remedy="Set LESSONKEEPER_WEBHOOK_SECRETS to the secret of the App's webhook.",
            )

    def texts(self) -> list[str]:
        """As they were given, for the receiver's own process."""
        return [secret.decode() for secret in self._secrets]

    def matching(self, body: bytes, signature: str) -> int | None:
        """Which secret signed `body` (0 is the newest), or None.

        `signature` is the value of X-Hub-Signature-256. Every secret is compared, each in constant
        time, so that the answer takes equally long whichever matches.
        """
        found = _SIGNATURE.fullmatch(signature)
        if found is None:
            return None
        matches = [
            hmac.compare_digest(hmac.new(secret, body, hashlib.sha256).hexdigest(), found[1])
            for secret in self._secrets
        ]
        return matches.index(True) if True in matches else None


def sign(body: bytes, secret: str) -> str:
    """The header value with which `body` is sent: for replays and for tests."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
