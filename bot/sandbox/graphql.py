"""The slice of GitHub's GraphQL schema that the sandbox answers; whatever is outside of it fails.

Names, types and nullability are those of GitHub's public schema.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphql import GraphQLError, GraphQLResolveInfo, build_schema, graphql_sync

from bot.sandbox import payloads
from bot.sandbox.pull_request import SandboxPullRequest
from bot.sandbox.repository import SandboxRepository

Json = dict[str, Any]
Info = GraphQLResolveInfo[Any]
PAGE_LIMIT = 100

SCHEMA = build_schema(
    """
    scalar BigInt
    scalar DateTime
    scalar GitObjectID
    type Query { repository(owner: String!, name: String!): Repository }
    type Repository { pullRequest(number: Int!): PullRequest }
    type PageInfo { hasNextPage: Boolean! endCursor: String }
    type PullRequest {
      reviewThreads(first: Int, after: String): PullRequestReviewThreadConnection!
      reviews(first: Int, after: String): PullRequestReviewConnection
      commits(first: Int, after: String): PullRequestCommitConnection!
    }
    type PullRequestReviewThreadConnection { pageInfo: PageInfo! nodes: [PullRequestReviewThread] }
    type PullRequestReviewThread {
      isResolved: Boolean!
      isOutdated: Boolean!
      comments(first: Int, after: String): PullRequestReviewCommentConnection!
    }
    type PullRequestReviewCommentConnection {
      pageInfo: PageInfo!
      nodes: [PullRequestReviewComment]
    }
    type PullRequestReviewComment { fullDatabaseId: BigInt }
    type PullRequestReviewConnection { pageInfo: PageInfo! nodes: [PullRequestReview] }
    type PullRequestReview { fullDatabaseId: BigInt lastEditedAt: DateTime }
    type PullRequestCommitConnection { pageInfo: PageInfo! nodes: [PullRequestCommit] }
    type PullRequestCommit { commit: Commit! }
    type Commit {
      oid: GitObjectID!
      committedDate: DateTime!
      parents(first: Int, after: String): CommitConnection!
    }
    type CommitConnection { totalCount: Int! }
    """
)


def answer(
    query: str,
    variables: Json,
    *,
    find: Callable[[str], SandboxRepository | None],
    page_limit: int,
) -> Json:
    """GitHub's answer to a query; `page_limit` makes pages smaller than asked for."""

    def repository(_: Info, owner: str, name: str) -> Json:
        found = find(f"{owner}/{name}")
        if found is None:
            raise _not_found(f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        return _repository(found, page_limit)

    result = graphql_sync(SCHEMA, query, {"repository": repository}, variable_values=variables)
    json: Json = {"data": result.data}
    if result.errors:
        json["errors"] = [
            {"message": e.message, "path": e.path, **(e.extensions or {})} for e in result.errors
        ]
    return json


def _repository(found: SandboxRepository, limit: int) -> Json:
    def pull_request(_: Info, number: int) -> Json:
        pull = found.pulls.get(number)
        if pull is None:
            raise _not_found(f"Could not resolve to a PullRequest with the number of {number}.")
        return _pull_request(pull, limit)

    return {"pullRequest": pull_request}


def _pull_request(pull: SandboxPullRequest, limit: int) -> Json:
    threads = [
        {
            "isResolved": thread.resolved,
            "isOutdated": thread.outdated,
            # Not cut by `limit`: a test's small pages are about the outer lists.
            "comments": _connection([{"fullDatabaseId": str(c)} for c in thread.comments]),
        }
        for thread in pull.threads
    ]
    reviews = [
        {
            "fullDatabaseId": str(review.id),
            "lastEditedAt": payloads.time_or_none(review.edited_at),
        }
        for review in pull.reviews.values()
    ]
    commits = [
        {
            "commit": {
                "oid": commit.sha,
                "committedDate": payloads.time(commit.committed_at),
                "parents": {"totalCount": len(commit.parents)},
            }
        }
        for sha in pull.commits
        for commit in pull.repository.bare.commits("-1", sha)
    ]
    return {
        "reviewThreads": _connection(threads, limit),
        "reviews": _connection(reviews, limit),
        "commits": _connection(commits, limit),
    }


def _connection(items: Sequence[Json], limit: int = PAGE_LIMIT) -> Callable[..., Json]:
    def page(_: Info, first: int | None = None, after: str | None = None) -> Json:
        if first is None:
            raise GraphQLError("You must provide a `first` or `last` value to properly paginate.")
        if not 1 <= first <= PAGE_LIMIT:
            raise GraphQLError(f"Requesting {first} records exceeds the `first` limit of 100.")
        start = int(after) if after else 0
        end = min(start + min(first, limit), len(items))
        cursor = str(end) if end > start else None
        info = {"hasNextPage": end < len(items), "endCursor": cursor}
        return {"pageInfo": info, "nodes": items[start:end]}

    return page


def _not_found(message: str) -> GraphQLError:
    return GraphQLError(message, extensions={"type": "NOT_FOUND"})
