"""Pull requests of the past, a page at a time: who opened them, who reviewed them, and when.

Enough to tell which are worth reading; what was said in them is read one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bot.facts import PastPullRequest, PastReview, Repository
from bot.forge import answers
from bot.forge.connection import Connection
from bot.forge.errors import Gone

# 50 and 50: GitHub gives up on pages that take it more than 10 s.
QUERY = """
query Past($owner: String!, $name: String!, $states: [PullRequestState!], $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequests(
      first: 50, after: $after, states: $states, orderBy: {field: UPDATED_AT, direction: DESC}
    ) {
      pageInfo { hasNextPage endCursor }
      nodes {
        number
        updatedAt
        merged
        isCrossRepository
        author { ...account }
        reviews(last: 50) { nodes { submittedAt author { ...account } } }
      }
    }
  }
}
fragment account on Actor { __typename login }
"""


def past_pull_requests(
    connection: Connection, repository: Repository, *, merged: bool
) -> Iterator[PastPullRequest]:
    """The latest updated first, asked for as they are taken. `merged`: no others."""
    asked = {"owner": repository.owner, "name": repository.name}
    states = ["MERGED"] if merged else None
    after: str | None = None
    while True:
        found = connection.graphql(QUERY, {**asked, "states": states, "after": after})["repository"]
        if found is None:
            raise Gone("GitHub does not find the repository.")
        page = found["pullRequests"]
        for node in page["nodes"]:
            yield _past(node)
        if not page["pageInfo"]["hasNextPage"]:
            return
        after = page["pageInfo"]["endCursor"]


def _past(node: dict[str, Any]) -> PastPullRequest:
    author, is_bot = _login(node["author"])
    return PastPullRequest(
        number=node["number"],
        author=author,
        is_bot=is_bot,
        updated_at=answers.time(node["updatedAt"]),
        merged=node["merged"],
        from_here=not node["isCrossRepository"],
        reviews=tuple(
            PastReview(*_login(review["author"]), answers.time(review["submittedAt"]))
            for review in node["reviews"]["nodes"]
            if review["submittedAt"]  # null: not submitted yet
        ),
    )


def _login(node: dict[str, Any] | None) -> tuple[str, bool]:
    """As REST gives it, where an App's ends in `[bot]`; and whether it is an App's."""
    if node is None:
        return answers.GHOST.login, False
    is_bot = node["__typename"] == "Bot"
    return f"{node['login']}{'[bot]' if is_bot else ''}", is_bot
