"""A review as a file (one JSON object, a list of them, or JSON Lines) becomes facts.

Knows the format of the command line alone: no forge, no store.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.errors import CallError
from bot.facts import (
    Account,
    InlineComment,
    Permission,
    PullRequest,
    PullRequestFacts,
    Repository,
    Review,
    ReviewState,
)

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]

# What stands for write access where GitHub cannot be asked (SPEC 13).
_WRITES = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
_NOBODY = Account(-1, "")


@dataclass(frozen=True, slots=True)
class Given:
    """One review of a file: the pull request it names (0: none) and the review itself."""

    pull_request: int
    review: Review
    writes: bool

    def facts(self, branch: str) -> PullRequestFacts:
        """All that is known of its pull request: that it is open, and who may write."""
        permission = Permission.WRITE if self.writes else Permission.NONE
        return PullRequestFacts(
            repository=Repository(0, "", "", branch, ""),
            pull=PullRequest(
                self.pull_request, _NOBODY, branch, "", self.review.commit, head_repository=0
            ),
            reviews=(self.review,),
            permissions={self.review.author.login.lower(): permission},
        )


def read(data: bytes, name: str, now: datetime) -> tuple[Given, ...]:
    """The reviews of a file. Raises CallError naming the line of what cannot be read."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CallError("it is not UTF-8 text.", file=name) from error
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return tuple(
            _given(_object(line, name, number), name, number, now)
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip()
        )
    found = whole if isinstance(whole, list) else [whole]
    return tuple(_given(each, name, None, now) for each in found)


def _object(line: str, name: str, number: int) -> Json:
    try:
        return json.loads(line)  # type: ignore[no-any-return]
    except (ValueError, RecursionError) as error:
        raise CallError(
            f"it is neither JSON nor JSON Lines: {error}.",
            remedy="Give one JSON object, or one per line.",
            file=name,
            line=number,
        ) from error


class _Fields:
    """Typed reading of one object; a key of the wrong type is named."""

    def __init__(self, body: Mapping[str, Json], name: str, line: int | None) -> None:
        self._body, self._name, self._line = body, name, line

    def text(self, key: str, default: str = "") -> str:
        value = self._body.get(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self.wrong(key, "a string")
        return value

    def number(self, key: str) -> int | None:
        value = self._body.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
            raise self.wrong(key, "a positive whole number")
        return value

    def time(self, key: str, default: datetime) -> datetime:
        value = self.text(key)
        if not value:
            return default
        try:
            found = datetime.fromisoformat(value)
        except ValueError as error:
            raise self.wrong(key, "a time such as 2026-11-02T10:00:00Z") from error
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)

    def wrong(self, key: str, wanted: str) -> CallError:
        return CallError(f"`{key}` has to be {wanted}.", file=self._name, line=self._line)


def _given(body: Json, name: str, line: int | None, now: datetime) -> Given:
    if not isinstance(body, dict):
        raise CallError("a review has to be a JSON object.", file=name, line=line)
    fields = _Fields(body, name, line)
    comments = body.get("comments") or []
    if not isinstance(comments, list):
        raise fields.wrong("comments", "a list")
    inline: list[InlineComment] = []
    for number, each in enumerate(comments, 1):
        if not isinstance(each, dict):
            raise fields.wrong("comments", "a list of objects")
        one = _Fields(each, name, line)
        path = one.text("path") or None
        inline.append(
            InlineComment(
                id=number,
                body=one.text("body"),
                path=path,
                line=one.number("line"),
            )
        )
    login = fields.text("author")
    kind = "Bot" if login.endswith("[bot]") else "User"
    at = fields.time("submitted_at", now)
    pull_request = fields.number("pull_request") or 0
    review = Review(
        id=_id(body.get("id"), pull_request, login, fields, inline),
        author=Account(0, login, kind),
        state=_state(fields),
        body=fields.text("body"),
        submitted_at=at,
        commit=fields.text("head_sha"),
        comments=tuple(inline),
    )
    # Whoever runs the command vouches for a review that names no association.
    writes = fields.text("author_association", "MEMBER").upper() in _WRITES
    return Given(pull_request, review, writes)


def _state(fields: _Fields) -> ReviewState:
    """A state that is absent, or said to be unknown, is a comment: it asks for nothing."""
    state = fields.text("state").lower()
    if state in ("", "unknown"):
        return ReviewState.COMMENTED
    if state not in set(ReviewState):
        raise fields.wrong("state", "one of " + ", ".join(ReviewState))
    return ReviewState(state)


def _id(
    given: Json, pull_request: int, login: str, fields: _Fields, inline: Sequence[InlineComment]
) -> int:
    """A number that the same review always gets, and another one practically never.

    Without an id of its own a changed text is another review, not an edit of the first.
    """
    if isinstance(given, int) and 0 < given < 2**53:
        return given
    said = [f"{each.path}:{each.line}:{each.body}" for each in inline]
    own = [fields.text("submitted_at"), fields.text("body"), *said]
    named = json.dumps([given] if given else [pull_request, login, *own])
    return int(hashlib.sha256(named.encode()).hexdigest()[:12], 16)
