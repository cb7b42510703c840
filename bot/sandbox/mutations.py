"""The two things that are done by GraphQL alone: a commit that GitHub signs, the end of a draft."""

from __future__ import annotations

import base64
from collections.abc import Callable

from graphql import GraphQLError

from bot.sandbox import graphql_commit
from bot.sandbox.graphql_commit import Info, Json
from bot.sandbox.pull_request import Files, SandboxPullRequest
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.rules import violations

SCHEMA = """
    scalar Base64String
    type Mutation {
      createCommitOnBranch(input: CreateCommitOnBranchInput!): CreateCommitOnBranchPayload
      markPullRequestReadyForReview(
        input: MarkPullRequestReadyForReviewInput!
      ): MarkPullRequestReadyForReviewPayload
    }
    input CreateCommitOnBranchInput {
      branch: CommittableBranch!
      clientMutationId: String
      expectedHeadOid: GitObjectID!
      fileChanges: FileChanges
      message: CommitMessage!
    }
    input CommittableBranch { branchName: String id: ID repositoryNameWithOwner: String }
    input CommitMessage { body: String headline: String! }
    input FileChanges { additions: [FileAddition!] = [] deletions: [FileDeletion!] = [] }
    input FileAddition { contents: Base64String! path: String! }
    input FileDeletion { path: String! }
    type CreateCommitOnBranchPayload { clientMutationId: String commit: Commit }
    input MarkPullRequestReadyForReviewInput { clientMutationId: String pullRequestId: ID! }
    type MarkPullRequestReadyForReviewPayload {
      clientMutationId: String
      pullRequest: PullRequest
    }
"""

Find = Callable[[str], SandboxRepository | None]


def root(find: Find, shown: Callable[[SandboxPullRequest], Json]) -> Json:
    """The mutations by name; `shown` is a pull request as queries answer it."""

    def create_commit(_: Info, input: Json) -> Json:  # noqa: A002 - GitHub's name
        branch, expected = input["branch"], input["expectedHeadOid"]
        repository = find(branch["repositoryNameWithOwner"])
        if repository is None:
            raise not_found("Could not resolve to a Repository.")
        if repository.archived:
            raise _refusal("FORBIDDEN", "Repository was archived so is read-only.")
        name = branch["branchName"]
        tip = repository.bare.sha(f"refs/heads/{name}")
        if tip is None:
            raise not_found(f"No ref named '{name}' was found.")
        refuse = violations(repository.rules, name)
        if refuse:
            said = "\n".join(["Repository rule violations found", "", *refuse])
            raise _refusal("UNPROCESSABLE", said)
        files = _files(input.get("fileChanges") or {}, repository, tip)
        message = "\n\n".join(filter(None, [input["message"]["headline"], _body(input)]))
        login = repository.forge.app_account.login
        sha = repository.commit_as_github(login, name, expected, files, message)
        if sha is None:
            said = f'Expected branch to point to "{expected}" but it did not.  Pull and try again.'
            raise _refusal("STALE_DATA", said)
        return {"commit": graphql_commit.commit(repository, sha)}

    def mark_ready(_: Info, input: Json) -> Json:  # noqa: A002 - GitHub's name
        repository = find(input["pullRequestId"])
        if repository is None:
            raise not_found("Could not resolve to a node with the global id.")
        pulls = repository.pulls.values()
        pull = next(p for p in pulls if f"PR_{p.id}" == input["pullRequestId"])
        if not pull.draft:
            raise _refusal("UNPROCESSABLE", "Pull request is not a draft.")
        pull.ready_for_review(repository.forge.app_account.login)
        return {"pullRequest": shown(pull)}

    return {"createCommitOnBranch": create_commit, "markPullRequestReadyForReview": mark_ready}


def _body(given: Json) -> str:
    return str(given["message"].get("body") or "")


def _files(changes: Json, repository: SandboxRepository, tip: str) -> Files:
    there = repository.bare.paths(tip)
    files: dict[str, str | bytes | None] = {
        each["path"]: base64.b64decode(each["contents"], validate=True)
        for each in changes.get("additions") or []
    }
    for each in changes.get("deletions") or []:
        if each["path"] not in there:
            raise _refusal(
                "UNPROCESSABLE", "A path was requested for deletion which does not exist."
            )
        files[each["path"]] = None
    return files


def not_found(message: str) -> GraphQLError:
    return _refusal("NOT_FOUND", message)


def _refusal(kind: str, message: str) -> GraphQLError:
    return GraphQLError(message, extensions={"type": kind})
