"""Which part of a repository an event is about: one ordered list, read from top to bottom.

An event only says that something happened; what follows is decided from how things are then. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.facts import Account
from webhooks.events import (
    Event,
    InstallationChanged,
    PullRequestChanged,
    Pushed,
    RepositoryChanged,
    ReviewChanged,
    ReviewCommentChanged,
    ThreadChanged,
)


@dataclass(frozen=True, slots=True)
class PullRequestSubject:
    """What this pull request teaches has to be looked at anew."""

    number: int


@dataclass(frozen=True, slots=True)
class TreeSubject:
    """What stands on a branch is to be looked at anew, if it is the default one (None: it is)."""

    branch: str | None = None


@dataclass(frozen=True, slots=True)
class InstallationSubject:
    """Where the App is installed has changed."""


Subject = PullRequestSubject | TreeSubject | InstallationSubject
Route = Callable[[Event], tuple[Subject, ...]]


def _review(event: Event) -> tuple[Subject, ...]:
    match event:
        case ReviewChanged() | ReviewCommentChanged() | ThreadChanged():
            return (PullRequestSubject(event.pull_request),)
    return ()


def _merge(event: Event) -> tuple[Subject, ...]:
    match event:
        case PullRequestChanged(action="closed", merged=True):
            return PullRequestSubject(event.number), TreeSubject()
        case PullRequestChanged(action="closed" | "labeled" | "reopened"):
            return (PullRequestSubject(event.number),)
    return ()


def _push(event: Event) -> tuple[Subject, ...]:
    # A merge queue tries commits on branches of its own; nothing there is on the default branch.
    match event:
        case Pushed(deleted=False, branch=branch) if not branch.startswith("gh-readonly-queue/"):
            return (TreeSubject(branch),)
    return ()


def _installation(event: Event) -> tuple[Subject, ...]:
    match event:
        case InstallationChanged() | RepositoryChanged():
            return (InstallationSubject(),)
    return ()


ROUTES: tuple[Route, ...] = (_review, _merge, _push, _installation)


def subjects(event: Event, us: Account | None = None) -> tuple[Subject, ...]:
    """What an event is about; nothing for what we did ourselves."""
    sender = getattr(getattr(event, "origin", None), "sender", None)
    if us is not None and sender is not None and sender.id == us.id:
        return ()
    found: dict[Subject, None] = {}
    for route in ROUTES:
        found.update(dict.fromkeys(route(event)))
    return tuple(found)
