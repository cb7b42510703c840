"""Issues of our own: found by marker and author, opened, brought up to date, closed."""

from __future__ import annotations

import re
from typing import Any

from bot.facts import Account, JobState, OwnIssue
from bot.forge.answers import time
from bot.forge.connection import Connection

_MARKER = re.compile(r"<!-- lessonkeeper: (?P<key>[^>]*) -->\s*\Z")


def marker(key: str) -> str:
    """The line at the end of what we write about `key`; a reader of the page does not see it."""
    return f"<!-- lessonkeeper: {key} -->"


class Issues:
    """Those of one repository; `path` is where its issues are."""

    def __init__(self, connection: Connection, path: str) -> None:
        self._connection = connection
        self._path = path

    def find(self, key: str, us: Account) -> OwnIssue | None:
        """The newest of `us` about `key`, open or closed."""
        rows = self._connection.pages(self._path, creator=us.login, state="all")
        return next(
            (
                _issue(row, key)
                for row in rows
                if row["user"] is not None
                and row["user"]["id"] == us.id
                and "pull_request" not in row  # GitHub lists those as issues too
                and (row["body"] or "").rstrip().endswith(marker(key))
            ),
            None,
        )

    def own(self, number: int, us: Account) -> OwnIssue | None:
        """The one of that number, whatever it is about; None where it is none of `us`."""
        row = self._connection.get(f"{self._path}/{number}")
        about = _MARKER.search(row["body"] or "")
        if about is None or row["user"] is None or row["user"]["id"] != us.id:
            return None
        return None if "pull_request" in row else _issue(row, about["key"])

    def state(self, number: int) -> JobState:
        """Of an issue or a pull request: GitHub answers for both."""
        row = self._connection.get(f"{self._path}/{number}")
        closed_at = row["closed_at"] if row["state"] == "closed" else None
        return JobState(number, time(closed_at) if closed_at else None)

    def open(self, title: str, body: str, key: str) -> OwnIssue:
        made = self._connection.post(self._path, {"title": title, "body": _marked(body, key)})
        return _issue(made, key)

    def edit(self, found: OwnIssue, wanted: OwnIssue) -> None:
        """What differs, in one request."""
        changes: dict[str, str] = {}
        if wanted.title != found.title:
            changes["title"] = wanted.title
        if wanted.body != found.body:
            changes["body"] = _marked(wanted.body, wanted.key)
        if wanted.open != found.open:
            changes["state"] = "open" if wanted.open else "closed"
        if changes:
            self._connection.patch(f"{self._path}/{found.number}", changes)


def _marked(body: str, key: str) -> str:
    return f"{body}\n\n{marker(key)}"


def _issue(json: dict[str, Any], key: str) -> OwnIssue:
    body = (json["body"] or "").replace("\r\n", "\n")  # an edit on GitHub's page brings CRLF
    return OwnIssue(
        number=json["number"],
        key=key,
        title=json["title"],
        body=body.rstrip().removesuffix(marker(key)).rstrip(),
        open=json["state"] == "open",
    )
