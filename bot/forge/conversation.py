"""The parts of a pull request that only GraphQL tells: threads, edits of reviews, every commit.

REST has no threads, no time of a review's edit, and stops at 250 commits.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.facts import Commit, Repository, Thread
from bot.forge import answers
from bot.forge.connection import Connection
from bot.forge.errors import Gone

# fullDatabaseId: ids of comments no longer fit GraphQL's 32-bit databaseId.
QUERY = """
query Conversation(
  $owner: String!, $name: String!, $number: Int!
  $threads: String, $reviews: String, $commits: String
) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $threads) {
        pageInfo { hasNextPage endCursor }
        nodes { isResolved isOutdated comments(first: 100) { nodes { fullDatabaseId } } }
      }
      reviews(first: 100, after: $reviews) {
        pageInfo { hasNextPage endCursor }
        nodes { fullDatabaseId lastEditedAt }
      }
      commits(first: 100, after: $commits) {
        pageInfo { hasNextPage endCursor }
        nodes { commit { oid committedDate parents(first: 2) { totalCount } } }
      }
    }
  }
}
"""
CONNECTIONS = {"threads": "reviewThreads", "reviews": "reviews", "commits": "commits"}


@dataclass(frozen=True, slots=True)
class Conversation:
    """`edited_at`: review id to the time of its last edit, for those that were edited."""

    threads: tuple[Thread, ...]
    edited_at: dict[int, datetime]
    commits: tuple[Commit, ...]


def conversation(connection: Connection, repository: Repository, number: int) -> Conversation:
    """All pages. Of a thread with more than a hundred comments the first hundred are known."""
    cursors: dict[str, str | None] = dict.fromkeys(CONNECTIONS)
    nodes: dict[str, list[dict[str, object]]] = {name: [] for name in CONNECTIONS}
    more = True
    while more:
        more = False
        variables = {
            "owner": repository.owner,
            "name": repository.name,
            "number": number,
            **cursors,
        }
        found = connection.graphql(QUERY, variables)["repository"]
        if found is None or found["pullRequest"] is None:
            raise Gone(f"GitHub does not find pull request #{number}.")
        for name, field in CONNECTIONS.items():
            page = found["pullRequest"][field]
            nodes[name] += page["nodes"]
            # A list that has ended stays at its last cursor and gives nothing more.
            cursors[name] = page["pageInfo"]["endCursor"] or cursors[name]
            more = more or page["pageInfo"]["hasNextPage"]
    return Conversation(
        threads=tuple(answers.thread(node) for node in nodes["threads"]),
        edited_at={
            int(str(node["fullDatabaseId"])): answers.time(str(node["lastEditedAt"]))
            for node in nodes["reviews"]
            if node["lastEditedAt"]
        },
        commits=tuple(answers.commit(node) for node in nodes["commits"]),
    )
