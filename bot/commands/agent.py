"""What stands behind the agent's tools: a repository at hand, or a server that knows more.

Knows how to ask; knows no protocol of agents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlsplit

import requests

from bot.capture_text import demanded, to_json
from bot.environment import is_loopback
from bot.errors import CallError, Fault, UserError
from bot.git.local import Target
from bot.lessons.block import Json
from bot.notes.draft import Given
from bot.readers import Asked
from bot.work import pitfalls

_Parameters = dict[str, str | int | list[str] | None]  # None is not sent

TIMEOUT = 30.0  # seconds; the server may fetch the repository first


@dataclass(frozen=True, slots=True)
class Told:
    """A block or an answer in both of its forms."""

    text: str
    document: Mapping[str, Json]


class Source(Protocol):
    """Methods raise UserError for what the agent or its person can mend, Fault for what broke."""

    def pitfalls(self, asked: Asked, pull: int | None) -> Told: ...

    def search(self, query: str, limit: int) -> Told: ...

    def capture(self, given: Given) -> Mapping[str, Json]: ...

    def confirm(self, path: str) -> Mapping[str, Json]: ...

    def propose(self, sentence: str, why: str, pull: int | None) -> Mapping[str, str]: ...

    def report(self, lesson: str, note: str, *, heeded: bool) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True)
class Local:
    """A repository by path or address: its block, and nobody to take anything back."""

    where: str
    target: Callable[[str], AbstractContextManager[Target]]
    now: Callable[[], datetime]

    def pitfalls(self, asked: Asked, pull: int | None) -> Told:
        with self.target(self.where) as target:
            files = pitfalls.files_of(target.clone, target.head())
        block = pitfalls.block(files, self.now().date(), asked)
        return Told(block.to_markdown(), block.to_json())

    def search(self, query: str, limit: int) -> Told:
        from bot.commands.searching import search  # its libraries load when they are needed

        found = search(query, [self.where], self.target, self.now, limit=limit)
        return Told(found.to_markdown(), found.to_json())

    def capture(self, given: Given) -> Mapping[str, Json]:
        from bot.commands.capturing import capture

        return to_json(demanded(capture(given, self.where, self.target, self.now, agent=True)))

    def confirm(self, path: str) -> Mapping[str, Json]:
        from bot.commands.capturing import confirm

        return to_json(demanded(confirm(path, self.where, self.target, self.now)))

    def propose(self, sentence: str, why: str, pull: int | None) -> Mapping[str, str]:
        raise _needs_a_server("A proposal waits on a server until a person presses Keep")

    def report(self, lesson: str, note: str, *, heeded: bool) -> Mapping[str, str]:
        raise _needs_a_server("Outcomes are stored on a server")


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository that a server keeps. The token is read anew each time: it may be replaced.

    Raises CallError for an address that a token must not be sent to.
    """

    server: str
    repository: str
    token_file: Path

    def __post_init__(self) -> None:
        parts = urlsplit(self.server)
        safe = parts.scheme == "https" or (
            parts.scheme == "http" and is_loopback(parts.hostname or "")
        )
        if not (safe and parts.hostname) or parts.query or parts.fragment or "@" in parts.netloc:
            raise CallError("--url is no address for a token.", remedy="Write it as https://HOST.")
        if self.repository.count("/") != 1 or not all(self.repository.split("/")):
            raise CallError("with --url, --repo is OWNER/NAME.")

    def pitfalls(self, asked: Asked, pull: int | None) -> Told:
        given: _Parameters = {
            "items": asked.items,
            "chars": asked.characters,
            "paths": list(asked.paths) or None,
            "session": 1 if asked.session else None,
            "pull_request": pull,
        }
        return self._both(f"repos/{quote(self.repository)}/block", given)

    def search(self, query: str, limit: int) -> Told:
        return self._both("search", {"q": query, "limit": limit})

    def capture(self, given: Given) -> Mapping[str, Json]:
        body = {
            "repository": self.repository,
            "text": given.text,
            "kind": given.kind,
            "title": given.title,
            "subject": given.subject,
            "job": given.job,
            "class": given.failure_class,
            "evidence": given.evidence,
        }
        return _object(self._ask("POST", "notes", body=body))

    def confirm(self, path: str) -> Mapping[str, Json]:
        body = {"repository": self.repository, "path": path}
        return _object(self._ask("POST", "confirm", body=body))

    def propose(self, sentence: str, why: str, pull: int | None) -> Mapping[str, str]:
        body = {"sentence": sentence, "why": why, "pull_request": pull}
        return _texts(self._ask("POST", f"repos/{quote(self.repository)}/proposals", body=body))

    def report(self, lesson: str, note: str, *, heeded: bool) -> Mapping[str, str]:
        body = {"lesson": lesson, "heeded": heeded, "note": note}
        return _texts(self._ask("POST", f"repos/{quote(self.repository)}/outcomes", body=body))

    def _both(self, what: str, given: _Parameters) -> Told:
        text = self._ask("GET", what, {**given, "format": "md"}).text
        return Told(text, _object(self._ask("GET", what, {**given, "format": "json"})))

    def _ask(
        self,
        method: str,
        what: str,
        params: _Parameters | None = None,
        body: Mapping[str, object] | None = None,
    ) -> requests.Response:
        address = f"{self.server.rstrip('/')}/{what}"
        try:
            response = requests.request(
                method,
                address,
                params=params,
                json=body,
                headers={"Authorization": f"Bearer {self._token()}"},
                timeout=TIMEOUT,
                allow_redirects=False,
            )
        except requests.RequestException as error:
            raise Fault(f"the server does not answer: {type(error).__name__}") from error
        if response.ok and response.status_code < 300:
            return response
        raise _refusal(response)

    def _token(self) -> str:
        try:
            text = self.token_file.read_text(encoding="ascii", errors="replace").strip()
        except OSError as error:
            raise UserError(
                f"The token cannot be read: {error.strerror}.",
                file=str(self.token_file),
                remedy="Put the token there that the operator made.",
            ) from error
        if not text or not text.isprintable() or " " in text:
            raise UserError("This is no token.", file=str(self.token_file))
        return text


def _needs_a_server(why: str) -> UserError:
    return UserError(
        f"{why}, and this is a repository alone.",
        remedy="Go on with the task. A person can connect the server: mcp --url SERVER.",
    )


def _refusal(response: requests.Response) -> UserError | Fault:
    if response.status_code == 404:
        return UserError(
            "The server has nothing for this token.",
            remedy="A person checks --repo, and asks the operator for a token that is still good.",
        )
    if response.status_code in (400, 422):
        said = _object(response)
        return UserError(
            pitfalls.clean(str(said.get("error", "The server refuses it."))),
            remedy=pitfalls.clean(str(said.get("remedy", ""))),
        )
    answered = f"the server answered {response.status_code}"
    if response.status_code != 503:
        return Fault(answered)
    with suppress(Fault):  # a proxy in between answers in its own words
        answered = pitfalls.clean(str(_object(response).get("said", answered))).rstrip(".")
    return Fault(answered)


def _object(response: requests.Response) -> dict[str, Json]:
    try:
        body = response.json()
    except ValueError as error:
        raise Fault("the server did not answer with JSON") from error
    if not isinstance(body, dict):
        raise Fault("the server did not answer with a JSON object")
    return body


def _texts(response: requests.Response) -> Mapping[str, str]:
    return {name: str(value) for name, value in _object(response).items()}
