"""Typed reading of GitHub's JSON: each accessor gives the type it says or raises WrongShape.

The only room where JSON is not yet typed; nothing of it leaves through here but plain values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from bot.facts import Account
from webhooks.events import RepositoryName

_LARGEST_ID = 2**63 - 1  # of the database's integers, and of GitHub's
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # JSON may hold them; UTF-8 and PostgreSQL cannot


class WrongShape(Exception):  # noqa: N818  # caught by webhooks.github.parse, never seen outside
    """A field is missing or of another type; the message names it."""


class Fields:
    """One JSON object; `path` says where it stood, for the message."""

    def __init__(self, value: Mapping[str, object], path: str = "") -> None:
        self._value = value
        self._path = path

    def object(self, key: str) -> Fields:
        value = self._value.get(key)
        if not isinstance(value, dict):
            raise self._wrong(key, "an object")
        return Fields(value, f"{self._path}{key}.")

    def object_or_none(self, key: str) -> Fields | None:
        return None if self._value.get(key) is None else self.object(key)

    def objects(self, key: str) -> list[Fields]:
        """A list of objects; absent or null is empty."""
        value = self._value.get(key) or []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._wrong(key, "a list of objects")
        return [Fields(item, f"{self._path}{key}[{i}].") for i, item in enumerate(value)]

    def texts(self, key: str) -> list[str]:
        """A list of texts; absent or null is empty."""
        value = self._value.get(key) or []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._wrong(key, "a list of texts")
        return value

    def text(self, key: str) -> str:
        value = self._value.get(key)
        if not isinstance(value, str):
            raise self._wrong(key, "text")
        return _UNSTORABLE.sub("\ufffd", value)

    def text_or_none(self, key: str) -> str | None:
        return None if self._value.get(key) is None else self.text(key)

    def time(self, key: str) -> datetime:
        """GitHub's time; one without a zone is UTC."""
        try:
            at = datetime.fromisoformat(self.text(key))
            return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        except (ValueError, OverflowError):
            raise self._wrong(key, "a time") from None

    def integer(self, key: str) -> int:
        """Any whole number that the database can hold: a chat's may be negative."""
        value = self._value.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _LARGEST_ID:
            raise self._wrong(key, "a whole number")
        return value

    def id(self, key: str) -> int:
        value = self._value.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= _LARGEST_ID:
            raise self._wrong(key, "an id")
        return value

    def id_or_none(self, key: str) -> int | None:
        return None if self._value.get(key) is None else self.id(key)

    def flag(self, key: str) -> bool:
        """True or false; absent or null is false."""
        value = self._value.get(key)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return bool(value)

    def account(self, key: str) -> Account:
        account = self.object(key)
        return Account(
            account.id("id"), account.text("login"), account.text_or_none("type") or "User"
        )

    def account_or_none(self, key: str) -> Account | None:
        return None if self._value.get(key) is None else self.account(key)

    def repository(self) -> RepositoryName:
        """This object as a repository."""
        return RepositoryName(self.id("id"), self.text("full_name"))

    def _wrong(self, key: str, wanted: str) -> WrongShape:
        return WrongShape(f"{self._path}{key} is not {wanted}")
