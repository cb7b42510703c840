"""What stands behind a button outside of GitHub: an answer to one question of one repository.

Pure. It is signed, so that what comes back is what was shown, and at most 64 bytes long.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass

from bot.channels.questions import Answer

MAC = 12  # bytes of the HMAC-SHA256: 96 bits, and a guess is one request

_FORM = re.compile(r"(\w{1,7}):([1-9][0-9]{0,18}):([0-9a-f]{12}):([\w-]{16})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Pressed:
    repository: int
    question: str
    answer: Answer


def data_of(key: bytes, repository: int, question: str, answer: Answer) -> str:
    said = f"{answer.value}:{repository}:{question}"
    return f"{said}:{_mac(key, said)}"


def pressed(key: bytes, data: str) -> Pressed | None:
    """What the data says; None where it was not signed with the key."""
    found = _FORM.fullmatch(data)
    if found is None or not hmac.compare_digest(_mac(key, data[: found.start(4) - 1]), found[4]):
        return None
    return Pressed(int(found[2]), found[3], Answer(found[1]))


def _mac(key: bytes, said: str) -> str:
    digest = hmac.digest(key, said.encode(), hashlib.sha256)[:MAC]
    return base64.urlsafe_b64encode(digest).decode()
