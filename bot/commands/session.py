"""One session of an agent, as a process of its own: saves a note, or asks. For the canary.

Reads one JSON object on standard input, prints one; what went wrong is `{"error": …}`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bot.commands.agent import Local, Remote, Source
from bot.commands.opening import target
from bot.errors import Fault, UserError
from bot.lessons.block import Json
from bot.notes.draft import Given


def source(repository: str, url: str | None, token_file: str | None) -> Source:
    """Raises CallError for an address that a token must not be sent to."""
    if url is not None:
        return Remote(url, repository, Path(token_file or ""))
    return Local(repository, target, lambda: datetime.now(UTC))


def answer(to: Source, asked: Mapping[str, str]) -> Mapping[str, Json]:
    """`{"save": text, "title": …}` or `{"ask": query}`."""
    try:
        if "save" in asked:
            return to.capture(Given(asked["save"], kind="reference", title=asked["title"]))
        return to.search(asked["ask"], 5).document
    except (UserError, Fault) as error:
        return {"error": str(error)}


def main(arguments: Sequence[str]) -> None:
    repository, url, token_file = (*arguments, None, None)[:3]
    asked = json.load(sys.stdin)
    json.dump(answer(source(str(repository), url, token_file), asked), sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
