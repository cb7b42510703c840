"""What the REST endpoints of the sandbox are made of; each lies below one repository.

A handler takes the Call and the numbers of its path; who may call is settled before it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.sandbox.forge import SandboxForge
from bot.sandbox.pull_request import SandboxPullRequest
from bot.sandbox.repository import SandboxRepository

Json = dict[str, Any]


class Refusal(Exception):  # noqa: N818 - GitHub refuses
    """An answer of 4xx in GitHub's form."""

    def __init__(self, status: int, message: str, **more: object) -> None:
        super().__init__(message)
        self.status = status
        self.json = {
            "message": message,
            "documentation_url": "https://docs.github.com/rest",
            "status": str(status),
            **more,
        }


@dataclass(frozen=True, slots=True)
class Listing:
    """A list that is paged; `key` names it inside a wrapping object."""

    items: Sequence[Json]
    key: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """One authorised request. `query` holds all parameters but those of paging."""

    forge: SandboxForge
    repository: SandboxRepository
    body: Json = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)

    def pull(self, number: int) -> SandboxPullRequest:
        try:
            return self.repository.pulls[number]
        except KeyError:
            raise Refusal(404, "Not Found") from None


Answer = Json | Listing


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`permission` is the App's, read for GET, otherwise write; `query` what may be asked.

    `public`: of a public repository anyone may ask it, installed there or not.
    """

    method: str
    rule: str
    permission: str
    handler: Callable[..., Answer]
    status: int = 200
    query: frozenset[str] = frozenset()
    public: bool = False


def text_of(body: Json, name: str) -> str:
    """A text that a body has to have. Raises Refusal."""
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise invalid(f"{name} wasn't supplied")
    return value


def invalid(message: str) -> Refusal:
    return Refusal(422, f"Invalid request.\n\n{message}.")
