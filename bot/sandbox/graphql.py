"""The slice of GitHub's GraphQL schema that the sandbox answers; whatever is outside of it fails.

Names, types and nullability are those of GitHub's public schema.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphql import build_schema, graphql_sync

from bot.facts import Account
from bot.sandbox import graphql_commit, mutations, payloads
from bot.sandbox.graphql_commit import Info, Json, branch, commit, connection
from bot.sandbox.mutations import Find, not_found
from bot.sandbox.pull_request import SandboxPullRequest
from bot.sandbox.repository import SandboxRepository

SCHEMA = build_schema(
    """
    scalar BigInt
    scalar DateTime
    scalar GitObjectID
    type Query { repository(owner: String!, name: String!): Repository }
    type Repository {
      pullRequest(number: Int!): PullRequest
      pullRequests(
        first: Int, after: String, states: [PullRequestState!], orderBy: IssueOrder
      ): PullRequestConnection!
      object(oid: GitObjectID): GitObject
      defaultBranchRef: Ref
    }
    type PageInfo { hasNextPage: Boolean! endCursor: String }
    interface Actor { login: String! }
    type User implements Actor { login: String! }
    type Bot implements Actor { login: String! }
    enum PullRequestState { OPEN CLOSED MERGED }
    type PullRequest {
      number: Int!
      updatedAt: DateTime!
      merged: Boolean!
      isCrossRepository: Boolean!
      author: Actor
      isDraft: Boolean!
      reviewThreads(first: Int, after: String): PullRequestReviewThreadConnection!
      reviews(first: Int, last: Int, after: String): PullRequestReviewConnection
      commits(first: Int, last: Int, after: String): PullRequestCommitConnection!
      timelineItems(
        first: Int, after: String, itemTypes: [PullRequestTimelineItemsItemType!]
      ): PullRequestTimelineItemsConnection!
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
    type PullRequestReview {
      fullDatabaseId: BigInt
      lastEditedAt: DateTime
      submittedAt: DateTime
      author: Actor
    }
    type PullRequestCommitConnection { pageInfo: PageInfo! nodes: [PullRequestCommit] }
    type PullRequestCommit { commit: Commit! }
    type PullRequestConnection { pageInfo: PageInfo! nodes: [PullRequest] }
    enum IssueOrderField { COMMENTS CREATED_AT UPDATED_AT }
    enum OrderDirection { ASC DESC }
    input IssueOrder { direction: OrderDirection! field: IssueOrderField! }
    enum PullRequestTimelineItemsItemType { HEAD_REF_FORCE_PUSHED_EVENT }
    type PullRequestTimelineItemsConnection {
      pageInfo: PageInfo!
      nodes: [PullRequestTimelineItems]
    }
    union PullRequestTimelineItems = HeadRefForcePushedEvent
    type HeadRefForcePushedEvent { beforeCommit: Commit }
    """
    + graphql_commit.SCHEMA
    + mutations.SCHEMA
)


def answer(
    query: str,
    variables: Json,
    *,
    find: Find,
    page_limit: int,
) -> Json:
    """GitHub's answer to a query; `page_limit` makes pages smaller than asked for.

    `find` gives the repository of a name or of a pull request's node id, where it may be seen.
    """

    def repository(_: Info, owner: str, name: str) -> Json:
        found = find(f"{owner}/{name}")
        if found is None:
            raise not_found(f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        return _repository(found, page_limit)

    acts = mutations.root(find, lambda pull: _pull_request(pull, page_limit))
    root = {"repository": repository, **acts}
    result = graphql_sync(SCHEMA, query, root, variable_values=variables)
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
            raise not_found(f"Could not resolve to a PullRequest with the number of {number}.")
        return _pull_request(pull, limit)

    def pull_requests(info: Info, states: list[str] | None = None, **paging: Any) -> Json:
        paging.pop("orderBy", None)  # the one order that is asked for: the latest updated first
        latest = sorted(found.pulls.values(), key=lambda p: (p.updated_at, p.number), reverse=True)
        shown = [_pull_request(p, limit) for p in latest if states is None or p.state in states]
        return connection(shown, limit)(info, **paging)

    def git_object(_: Info, oid: str) -> Json | None:
        known = found.bare.sha(oid)
        return commit(found, known) if known else None

    return {
        "pullRequest": pull_request,
        "pullRequests": pull_requests,
        "object": git_object,
        "defaultBranchRef": lambda _: branch(found, found.default_branch),
    }


def _pull_request(pull: SandboxPullRequest, limit: int) -> Json:
    threads = [
        {
            "isResolved": thread.resolved,
            "isOutdated": thread.outdated,
            # Not cut by `limit`: a test's small pages are about the outer lists.
            "comments": connection([{"fullDatabaseId": str(c)} for c in thread.comments]),
        }
        for thread in pull.threads
    ]
    reviews = [
        {
            "fullDatabaseId": str(review.id),
            "lastEditedAt": payloads.time_or_none(review.edited_at),
            "submittedAt": payloads.time(review.submitted_at),
            "author": _actor(review.user),
        }
        for review in pull.reviews.values()
    ]
    commits = [{"commit": commit(pull.repository, sha)} for sha in pull.commits]
    replaced = [
        {"__typename": "HeadRefForcePushedEvent", "beforeCommit": commit(pull.repository, sha)}
        for sha in pull.replaced
    ]
    return {
        "number": pull.number,
        "isDraft": pull.draft,
        "updatedAt": payloads.time(pull.updated_at),
        "merged": pull.merged_at is not None,
        "isCrossRepository": pull.fork is not None,
        "author": _actor(pull.user),
        "reviewThreads": connection(threads, limit),
        "reviews": _first_or_last(reviews, limit),
        "commits": _first_or_last(commits, limit),
        "timelineItems": connection(replaced, limit),
    }


def _actor(account: Account) -> Json:
    """An App's login has no `[bot]` in GraphQL."""
    return {"__typename": account.kind, "login": account.login.removesuffix("[bot]")}


def _first_or_last(items: list[Json], limit: int) -> Callable[..., Json]:
    def page(info: Info, last: int | None = None, **paging: Any) -> Json:
        if last is None:
            return connection(items, limit)(info, **paging)
        return connection(items[-last:])(info, first=last)

    return page
