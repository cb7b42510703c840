"""Pull requests of our own: found by their branch, opened once, brought up to date, closed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.errors import Fault
from bot.facts import OwnPullRequest, Repository
from bot.forge import answers
from bot.forge.connection import Connection
from bot.forge.errors import Invalid

READY = """
mutation Ready($id: ID!) {
  markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } }
}
"""


class Proposals:
    """Those of one repository. `path` is its address, `us` the id of the App's own account."""

    def __init__(self, connection: Connection, repository: Repository) -> None:
        self._connection = connection
        self._repository = repository
        self._path = f"/repos/{repository.full_name}/pulls"

    def of_branch(self, branch: str, author: int) -> tuple[OwnPullRequest, ...]:
        """Those of `author` (an account's id) from a branch of the repository, newest first."""
        rows = self._connection.pages(
            self._path,
            head=f"{self._repository.owner}:{branch}",
            state="all",
            sort="created",
            direction="desc",
        )
        return tuple(
            _pull(row)
            for row in rows
            if row["user"]["id"] == author
            and (row["head"]["repo"] or {}).get("id") == self._repository.id
        )

    def approved_at(self, number: int) -> datetime | None:
        """The newest approval that was not dismissed."""
        rows = self._connection.pages(f"{self._path}/{number}/reviews")
        return max(
            (answers.time(row["submitted_at"]) for row in rows if row["state"] == "APPROVED"),
            default=None,
        )

    def open(
        self, branch: str, base: str, title: str, body: str, *, draft: bool
    ) -> OwnPullRequest | None:
        """None where there is one already or nothing to propose. No draft where plans have none."""
        asked = {"head": branch, "base": base, "title": title, "body": body, "draft": draft}
        try:
            return _pull(self._connection.post(self._path, asked))
        except Invalid as refused:
            said = str(refused)
            if draft and "draft" in said.lower():
                return self.open(branch, base, title, body, draft=False)
            if "already exists" in said or "No commits between" in said:
                return None
            raise Fault(said, retry=False) from refused

    def update(self, number: int, changes: Mapping[str, str]) -> None:
        """`changes`: title, body, base, or state `closed`."""
        self._connection.patch(f"{self._path}/{number}", changes)

    def mark_ready(self, pull: OwnPullRequest) -> None:
        self._connection.graphql(READY, {"id": pull.node})


def _pull(json: dict[str, Any]) -> OwnPullRequest:
    return OwnPullRequest(
        number=json["number"],
        node=json["node_id"],
        head_sha=json["head"]["sha"],
        base=json["base"]["ref"],
        title=json["title"],
        body=json["body"] or "",
        draft=json.get("draft", False),
        open=json["state"] == "open",
        merged=json["merged_at"] is not None,
        created_at=answers.time(json["created_at"]),
        closed_at=answers.time_or_none(json["closed_at"]),
    )
