"""The write path for a server and a command line alike: read, decide, commit, and once more if the
branch moved meanwhile. What is decided comes in as a pure function of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.errors import Fault, UserError
from bot.forge.errors import Gone
from bot.git import policy
from bot.git.clone import Clone
from bot.git.plan import Outcome, Plan, Published
from bot.git.policy import Refusal, Way
from bot.git.store import PITFALLS, SETTINGS, Store, read_store
from bot.lessons.pitfalls import committed
from bot.lessons.standing import is_standing
from bot.lessons.store import LESSONS, Edit
from bot.settings import Settings
from bot.settings.file import read as read_settings
from bot.work.pitfalls import clean

ATTEMPTS = 5  # of a branch that moves each time; then the work waits its turn again


class Branch(Protocol):
    """The branch that commits go on."""

    @property
    def clone(self) -> Clone: ...

    @property
    def branch(self) -> str: ...

    def head(self) -> str | None: ...

    def publish(self, plan: Plan) -> Published: ...


@dataclass(frozen=True, slots=True)
class Written:
    """What a write came to, under which settings. No `commit`: there was nothing to write.

    `detail` and `left` are those of what was published.
    """

    edit: Edit
    settings: Settings
    commit: str | None = None
    plan: Plan | None = None
    detail: str = ""
    left: tuple[str, ...] = ()


Decide = Callable[[Store, Settings], Edit]
Say = Callable[[Edit, Settings], str]
Read = Callable[[Clone, str | None, int, datetime | None], Store]


def settings_of(store: Store, owner_defaults: Mapping[str, object] | None = None) -> Settings:
    """The settings in force, whether or not there is a file. Raises UserError when it is broken."""
    return read_settings(store.settings or b"", file=SETTINGS, owner_defaults=owner_defaults)


def apply(
    branch: Branch,
    decide: Decide,
    say: Say,
    *,
    repository: int = 0,
    created_at: datetime | None = None,
    dry_run: bool = False,
    evidence_alone: bool = True,
    owner_defaults: Mapping[str, object] | None = None,
    read: Read = read_store,
) -> Written:
    """Decides on the branch's tip and publishes, anew on each tip that somebody else made.

    `evidence_alone`: also commit rows that change nothing people read. `read` gives the store at a
    commit. Raises UserError for a store that cannot be trusted or is switched off, Refused for a
    policy, Fault for everything to be retried.
    """
    for _ in range(ATTEMPTS):
        head = branch.head()
        store = read(branch.clone, head, repository, created_at)
        store.demand_trust()
        settings = settings_of(store, owner_defaults)
        _demand_enabled(settings)
        edit = decide(store, settings)
        if not edit.changes or not (edit.readable or edit.counts or evidence_alone):
            return Written(edit, settings)
        plan = Plan(branch.branch, head, _with_block(store, edit, settings), say(edit, settings))
        if dry_run:
            return Written(edit, settings, plan=plan)
        published = branch.publish(plan)
        match published.outcome:
            case Outcome.LANDED:
                return Written(
                    edit, settings, published.commit, plan, published.detail, published.left
                )
            case Outcome.BEHIND:
                continue
            case _:
                raise refusal(published)
    raise Fault(f"{branch.branch} moved {ATTEMPTS} times while it was being written")


def _demand_enabled(settings: Settings) -> None:
    if not settings.enabled:
        raise UserError(
            "it says `enabled: false`, so nothing is written here.",
            file=SETTINGS,
            remedy="Take that line out, or set it to true, and commit the file.",
        )


class Refused(UserError):  # noqa: N818 - what the repository answered
    """A policy of the repository does not let the commit in; `refusal` is what it said."""

    def __init__(self, refusal: Refusal, detail: str) -> None:
        said = " ".join(rule.rstrip(".") + "." for rule in refusal.rules) or detail
        super().__init__(f"GitHub refuses the commit: {said}", remedy=_remedy(refusal))
        self.refusal = refusal
        self.said = said


def refusal(published: Published) -> UserError | Fault:
    """Why a plan did not land, in one of the two families."""
    match published.outcome:
        case Outcome.REFUSED:
            return Refused(policy.refusal(published.detail), published.detail)
        case Outcome.GONE:
            return Gone(f"the repository takes no commits: {published.detail}")
        case Outcome.CREDENTIALS:
            return Fault(f"the remote does not accept the token: {published.detail}")
        case _:
            return Fault(f"it is not known whether the push landed: {published.detail}")


def _remedy(refusal: Refusal) -> str:
    """Which bypass to grant, and where."""
    if not refusal.rules:
        return "Grant the App write access to the contents of the repository."
    if refusal.classic:
        grant = (
            "Let the App bypass the protection of the branch (Settings, Branches, Edit: allow"
            " specified actors to bypass required pull requests, or to push)"
        )
    else:
        where = f" ({refusal.page})" if refusal.page else ""
        grant = (
            "Add the App to the bypass list of the ruleset (Settings, Rules, Rulesets, the ruleset,"
            f" Bypass list){where}"
        )
    instead = Way.PULL_REQUEST in refusal.ways and Way.NONE not in refusal.ways
    return f"{grant}{', or set `mode: pull_request`' if instead else ''}."


def _with_block(store: Store, edit: Edit, settings: Settings) -> dict[str, bytes | None]:
    """The edit with `known-pitfalls.md` brought up to it."""
    changes = dict(edit.changes)
    lessons = changes.get(LESSONS, store.snapshot.lessons)
    events = {
        **store.snapshot.events,
        **{path: data for path, data in edit.changes.items() if data and path.endswith(".jsonl")},
    }
    standing: dict[str, bytes | None] = {
        **store.snapshot.standing,
        **{path: data for path, data in edit.changes.items() if is_standing(path)},
    }
    there = {path: data for path, data in standing.items() if data is not None}
    block = committed(lessons, events, store.rules, settings, there, clean)
    if block != store.pitfalls:
        changes[PITFALLS] = block
    return changes
