"""Payloads become events: each field where GitHub puts it, and no shape can break the receiver."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.facts import Account
from webhooks.events import (
    CheckFinished,
    CheckPressed,
    CommentCreated,
    Event,
    Ignored,
    InstallationChanged,
    IssueChanged,
    Malformed,
    Origin,
    PullRequestChanged,
    Pushed,
    RepositoryChanged,
    RepositoryName,
    ReviewChanged,
    ReviewCommentChanged,
    ThreadChanged,
    WorkflowFinished,
)
from webhooks.github import EVENTS, parse

Json = dict[str, Any]

ALICE: Json = {"id": 5, "login": "alice", "type": "User"}
REPOSITORY: Json = {"id": 11, "full_name": "acme/shop", "default_branch": "main"}
COMMON: Json = {"repository": REPOSITORY, "installation": {"id": 100}, "sender": ALICE}
ORIGIN = Origin("d-1", RepositoryName(11, "acme/shop"), 100, Account(5, "alice", "User"))
SHA, BEFORE = "a" * 40, "b" * 40
NOON: Json = {"created_at": "2026-11-02T12:00:00Z"}
AT_NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)

PULL_REQUEST: Json = {
    "number": 7,
    "merged": True,
    "head": {"sha": SHA, "ref": "fix", "repo": None},  # a fork that is gone
}
CHECK_RUN: Json = {
    "id": 31,
    "app": {"id": 4242},
    "head_sha": SHA,
    "name": "tests",
    "conclusion": "failure",
    "external_id": "note-9",
    "pull_requests": [{"number": 7}],
}

# Event name, payload, what it says.
KNOWN: list[tuple[str, Json, Event]] = [
    (
        "pull_request_review",
        {"action": "submitted", "pull_request": PULL_REQUEST, "review": {"id": 70, "body": None}},
        ReviewChanged(ORIGIN, pull_request=7, review=70, action="submitted"),
    ),
    (
        "pull_request_review_comment",
        {
            "action": "created",
            "pull_request": PULL_REQUEST,
            "comment": {"id": 1, "pull_request_review_id": 70},
        },
        ReviewCommentChanged(ORIGIN, pull_request=7, review=70, action="created"),
    ),
    (
        "pull_request_review_comment",
        {
            "action": "deleted",
            "pull_request": PULL_REQUEST,
            "comment": {"id": 1, "pull_request_review_id": None},
        },
        ReviewCommentChanged(ORIGIN, pull_request=7, review=None, action="deleted"),
    ),
    (
        "pull_request_review_thread",
        {"action": "resolved", "pull_request": PULL_REQUEST, "thread": {"node_id": "x"}},
        ThreadChanged(ORIGIN, pull_request=7, action="resolved"),
    ),
    (
        "pull_request",
        {"action": "closed", "number": 7, "pull_request": PULL_REQUEST},
        PullRequestChanged(ORIGIN, number=7, action="closed", merged=True, head_sha=SHA),
    ),
    (
        "pull_request",
        {"action": "closed", "pull_request": PULL_REQUEST | {"merged": None}},
        PullRequestChanged(ORIGIN, number=7, action="closed", merged=False, head_sha=SHA),
    ),
    (
        "push",
        {"ref": "refs/heads/fix/a", "before": BEFORE, "after": SHA, "forced": True},
        Pushed(ORIGIN, "refs/heads/fix/a", "fix/a", BEFORE, SHA, deleted=False),
    ),
    (
        "push",
        {"ref": "refs/heads/main", "before": BEFORE, "after": "0" * 40, "deleted": True},
        Pushed(ORIGIN, "refs/heads/main", "main", BEFORE, "0" * 40, deleted=True),
    ),
    (
        "issue_comment",
        {
            "action": "created",
            "issue": {"number": 7, "pull_request": {"url": "x"}},
            "comment": {"id": 3, "body": "/lesson Run the linter.", "user": ALICE, **NOON},
        },
        CommentCreated(ORIGIN, 7, True, 3, "/lesson Run the linter.", Account(5, "alice"), AT_NOON),
    ),
    (
        "issue_comment",
        {
            "action": "created",
            "issue": {"number": 8},
            "comment": {"id": 4, "body": None, "user": ALICE, **NOON},
        },
        CommentCreated(ORIGIN, 8, False, 4, "", Account(5, "alice"), AT_NOON),
    ),
    (
        "check_run",
        {"action": "completed", "check_run": CHECK_RUN},
        CheckFinished(ORIGIN, 31, 4242, SHA, "tests", "failure", (7,)),
    ),
    (
        "check_run",
        {"action": "completed", "check_run": CHECK_RUN | {"app": None, "pull_requests": None}},
        CheckFinished(ORIGIN, 31, None, SHA, "tests", "failure", ()),
    ),
    (
        "check_run",
        {
            "action": "requested_action",
            "check_run": CHECK_RUN,
            "requested_action": {"identifier": "keep:3f9a2c1d"},
        },
        CheckPressed(ORIGIN, 31, "note-9", "keep:3f9a2c1d", SHA, 4242),
    ),
    (
        "workflow_run",
        {
            "action": "completed",
            "workflow_run": {
                "id": 41,
                "name": "CI",
                "head_sha": SHA,
                "event": "pull_request",
                "conclusion": "success",
                "pull_requests": [],
            },
        },
        WorkflowFinished(ORIGIN, 41, "CI", SHA, "pull_request", "success", ()),
    ),
    (
        "issues",
        {"action": "closed", "issue": {"number": 8, "state_reason": "not_planned"}},
        IssueChanged(ORIGIN, 8, "closed"),
    ),
    (
        "issues",
        {
            "action": "edited",
            "issue": {"number": 8, "body": "- [x] a"},
            "changes": {"body": {"from": "- [ ] a"}},
        },
        IssueChanged(ORIGIN, 8, "edited", "- [x] a", "- [ ] a"),
    ),
    (
        "issues",
        {
            "action": "edited",
            "issue": {"number": 8, "body": None},
            "changes": {"title": {"from": "Old"}},
        },
        IssueChanged(ORIGIN, 8, "edited"),
    ),
    (
        "repository",
        {"action": "renamed", "changes": {"repository": {"name": {"from": "store"}}}},
        RepositoryChanged(ORIGIN, "renamed"),
    ),
    ("repository", {"action": "transferred"}, RepositoryChanged(ORIGIN, "transferred")),
    ("repository", {"action": "archived"}, RepositoryChanged(ORIGIN, "archived")),
]

ACME: Json = {"id": 9, "login": "acme", "type": "Organization"}
INSTALLED: Json = {"installation": {"id": 100, "account": ACME}, "sender": ALICE}


def installation(action: str, *repositories: RepositoryName) -> InstallationChanged:
    acme, alice = Account(9, "acme", "Organization"), Account(5, "alice", "User")
    return InstallationChanged("d-1", 100, acme, alice, action, repositories)


INSTALLATIONS: list[tuple[str, Json, Event]] = [
    (
        "installation",
        {"action": "created", "repositories": [REPOSITORY]},
        installation("created", RepositoryName(11, "acme/shop")),
    ),
    ("installation", {"action": "suspend"}, installation("suspend")),
    (
        "installation_repositories",
        {"action": "added", "repositories_added": [REPOSITORY], "repositories_removed": []},
        installation("added", RepositoryName(11, "acme/shop")),
    ),
    (
        "installation_repositories",
        {"action": "removed", "repositories_added": [], "repositories_removed": [REPOSITORY]},
        installation("removed", RepositoryName(11, "acme/shop")),
    ),
]

EXAMPLES = [(name, COMMON | payload, event) for name, payload, event in KNOWN] + [
    (name, INSTALLED | payload, event) for name, payload, event in INSTALLATIONS
]


@pytest.mark.parametrize(("name", "payload", "event"), EXAMPLES)
def test_a_payload_becomes_its_event(name: str, payload: Json, event: Event) -> None:
    assert parse(name, payload, "d-1") == event


def test_every_event_has_an_example() -> None:
    assert {name for name, _, _ in EXAMPLES} == EVENTS


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("ping", {"zen": "Design for failure."}),
        ("merge_group", {"action": "checks_requested"}),
        ("check_suite", {"action": "completed"}),
        ("issue_comment", {"action": "edited"}),
        ("pull_request", {"action": "an action of the future"}),
        ("push", COMMON | {"ref": "refs/tags/v1"}),
        ("push", COMMON | {"ref": "refs/heads/gh-readonly-queue/main/pr-7"}),
    ],
)
def test_what_nothing_acts_on_is_ignored(name: str, payload: Json) -> None:
    assert isinstance(parse(name, payload, "d-1"), Ignored)


@pytest.mark.parametrize(
    "at", ["noon", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+14:00", 7, None]
)
def test_a_comment_has_a_time(at: object) -> None:
    comment = {"id": 4, "body": "", "user": ALICE, "created_at": at}
    payload = COMMON | {"action": "created", "issue": {"number": 8}, "comment": comment}
    assert isinstance(parse("issue_comment", payload, "d-1"), Malformed)


def test_a_sender_whom_github_does_not_name_is_nobody() -> None:
    payload = COMMON | {"ref": "refs/heads/main", "before": BEFORE, "after": SHA, "sender": None}
    event = parse("push", payload, "d-1")
    assert isinstance(event, Pushed)
    assert event.origin.sender is None


def test_a_malformed_payload_is_named_by_its_field_and_not_by_its_content() -> None:
    name, payload, _ = EXAMPLES[0]
    broken = payload | {"review": {"id": "a secret"}}
    assert parse(name, broken, "d-1") == Malformed("review.id is not an id")


@pytest.mark.parametrize("number", [0, -1, 2**63, True, 1.0, "1", None])
def test_an_id_is_a_positive_integer_that_a_database_can_hold(number: object) -> None:
    payload = COMMON | {"ref": "refs/heads/main", "before": BEFORE, "after": SHA}
    payload = payload | {"repository": REPOSITORY | {"id": number}}
    assert isinstance(parse("push", payload, "d-1"), Malformed)


def test_text_that_utf8_or_postgresql_cannot_hold_is_replaced() -> None:
    comment = {"id": 4, "body": "a\ud800b\x00c", "user": ALICE, **NOON}
    payload = COMMON | {"action": "created", "issue": {"number": 8}, "comment": comment}
    event = parse("issue_comment", payload, "d-1")
    assert isinstance(event, CommentCreated)
    assert event.body == "a\ufffdb\ufffdc"


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


def places(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every key and index of a JSON value."""
    inner = (
        list(value.items())
        if isinstance(value, dict)
        else list(enumerate(value) if isinstance(value, list) else ())
    )
    return [place for key, child in inner for place in [(*path, key), *places(child, (*path, key))]]


@given(data=st.data(), example=st.sampled_from(EXAMPLES))
def test_no_payload_raises_whatever_is_missing_or_wrong_in_it(
    data: st.DataObject, example: tuple[str, Json, Event]
) -> None:
    name, payload, _ = example
    broken: Any = copy.deepcopy(payload)
    for _ in range(data.draw(st.integers(1, 3))):
        *path, key = data.draw(st.sampled_from(places(broken) or [("action",)]))
        parent = broken
        for step in path:
            parent = parent[step]
        if data.draw(st.booleans()):
            parent.pop(key, None) if isinstance(parent, dict) else parent.pop(key)
        else:
            parent[key] = data.draw(ANYTHING)
    assert isinstance(parse(name, broken, "d-1"), Event | Ignored | Malformed)


@given(name=st.sampled_from(sorted(EVENTS)), payload=st.dictionaries(st.text(), ANYTHING))
def test_no_object_at_all_raises(name: str, payload: Json) -> None:
    assert isinstance(parse(name, payload, "d-1"), Event | Ignored | Malformed)


@pytest.mark.parametrize(
    ("pushed", "touches_us"),
    [
        ({"commits": [{"modified": ["src/a.py"]}]}, False),
        ({"commits": [{"modified": ["src/a.py"]}, {"removed": [".agent-corp/lessons.md"]}]}, True),
        ({"commits": [{"added": [".github/lessonkeeper.yml"]}]}, True),
        ({"commits": [{"modified": ["src/a.py"]}], "forced": True}, True),
        ({"commits": []}, True),
        ({"commits": [{"modified": ["src/a.py"]}] * 2048}, True),
        ({"commits": [{"added": ["src/a.py"] * 3000}]}, True),
    ],
)
def test_a_push_touches_us_unless_the_whole_list_of_its_files_says_no(
    pushed: dict[str, Any], touches_us: bool
) -> None:
    assert push(pushed).touches_us is touches_us


@pytest.mark.parametrize(
    ("pushed", "removes"),
    [
        ({"commits": [{"modified": ["src/a.py"], "added": ["src/b.py"], "removed": []}]}, False),
        ({"commits": [{"modified": ["src/a.py"]}, {"removed": ["src/b.py"]}]}, True),
        ({"commits": [{"modified": ["src/a.py"]}], "forced": True}, True),
        ({"commits": []}, True),
    ],
)
def test_a_push_removes_something_unless_the_whole_list_says_no(
    pushed: dict[str, Any], removes: bool
) -> None:
    assert push(pushed).removes is removes


def push(pushed: dict[str, Any]) -> Pushed:
    payload = {
        "ref": "refs/heads/main",
        "before": "a" * 40,
        "after": "b" * 40,
        "repository": {"id": 1, "full_name": "acme/shop"},
        **pushed,
    }
    event = parse("push", payload, "guid")
    assert isinstance(event, Pushed)
    return event
