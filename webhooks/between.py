"""What the server and its receiver say to each other, one JSON object a line."""

from __future__ import annotations

from typing import TypedDict


class Config(TypedDict):
    """First of all, to the receiver. `listening` and `handing` are sockets that it inherits."""

    data: str
    secrets: list[str]
    app_id: int | None
    listening: int
    handing: int


class Command(TypedDict, total=False):
    """To the receiver: letters up to `taken` are in the inbox; finish and end."""

    taken: int
    stop: bool


class Report(TypedDict, total=False):
    """From it: there are letters up to this number; (event, outcome, how many) since the last."""

    letters: int
    counts: list[tuple[str, str, int]]
