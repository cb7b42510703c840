"""Issues of our own: found by marker and author, opened, brought up to date, closed."""

from __future__ import annotations

from typing import Any

from bot.facts import Account, OwnIssue
from bot.forge.connection import Connection


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
