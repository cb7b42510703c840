"""GitHub's JSON turned into the values of `bot.facts`, once: no key of it is seen anywhere else.

Shapes are those of GitHub's OpenAPI description; readers stand inside `known_form`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from bot.errors import Fault
from bot.facts import (
    Account,
    Commit,
    InlineComment,
    PullRequest,
    Repository,
    Review,
    ReviewState,
    Thread,
)
from bot.forge.protocol import PullFile

GHOST = Account(10137, "ghost")  # stands where an account was deleted, as on GitHub's pages


@contextmanager
def known_form() -> Iterator[None]:
    """Around whatever reads an answer, also as a decorator: the Fault for a form not known here."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as exc:
        raise Fault(f"GitHub answered in a form that is not known here ({exc!r}).") from exc


def time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def time_or_none(text: str | None) -> datetime | None:
    return time(text) if text else None


def account(json: dict[str, Any] | None) -> Account:
    return Account(json["id"], json["login"], json["type"]) if json else GHOST


def repository(json: dict[str, Any]) -> Repository:
    return Repository(
        id=json["id"],
        owner=json["owner"]["login"],
        name=json["name"],
        default_branch=json["default_branch"],
        clone_url=json["clone_url"],
        private=json["private"],
        archived=json["archived"],
        fork=json["fork"],
    )


def pull_request(json: dict[str, Any]) -> PullRequest:
    """`acted_at` is the merge itself: what the timeline knows of it comes later."""
    merged_at = time_or_none(json["merged_at"])
    head = json["head"]
    return PullRequest(
        number=json["number"],
        author=account(json["user"]),
        base=json["base"]["ref"],
        head=head["ref"],
        head_sha=head["sha"],
        head_repository=head["repo"]["id"] if head["repo"] else None,  # null: the fork was deleted
        draft=json.get("draft", False),
        open=json["state"] == "open",
        merged_at=merged_at,
        # Not the ghost: a merger who is not known is not to be taken for a person who decided.
        merged_by=account(json["merged_by"]) if json["merged_by"] else None,
        acted_at=merged_at,
        base_sha=json["base"]["sha"],
        closed_at=time_or_none(json["closed_at"]),
        labels=frozenset(label["name"] for label in json["labels"]),
    )


def inline_comment(json: dict[str, Any]) -> InlineComment:
    return InlineComment(
        id=json["id"],
        body=json["body"] or "",
        path=json["path"],
        line=json.get("line"),
        in_reply_to=json.get("in_reply_to_id"),
        author=account(json["user"]),
        created_at=time(json["created_at"]),
    )


def review(json: dict[str, Any], comments: tuple[InlineComment, ...]) -> Review:
    """A review as the list has it: of a dismissed one the verdict is not known here."""
    return Review(
        id=json["id"],
        author=account(json["user"]),
        state=ReviewState(json["state"].lower()),
        body=json["body"] or "",
        submitted_at=time(json["submitted_at"]),
        commit=json["commit_id"] or "",
        comments=comments,
    )


def pull_file(json: dict[str, Any]) -> PullFile:
    return PullFile(json["filename"], json["status"], json.get("previous_filename"))


def thread(node: dict[str, Any]) -> Thread:
    """A GraphQL PullRequestReviewThread."""
    comments = node["comments"]["nodes"]
    return Thread(
        comments=frozenset(int(comment["fullDatabaseId"]) for comment in comments),
        resolved=node["isResolved"],
        outdated=node["isOutdated"],
    )


def commit(node: dict[str, Any]) -> Commit:
    """A GraphQL PullRequestCommit. In a pull request a merge commit is a merge of its base."""
    inner = node["commit"]
    return Commit(
        sha=inner["oid"],
        committed_at=time(inner["committedDate"]),
        merges_base=inner["parents"]["totalCount"] > 1,
    )
