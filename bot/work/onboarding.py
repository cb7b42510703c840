"""The first hour of the App in a repository: one pull request that people merge or close.

Until it is merged nothing is written anywhere else; closed unmerged, it is never opened again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from bot import welcome
from bot.channels.onboarding import LOOKED_AT, Seen, proposed, seen
from bot.errors import UserError
from bot.facts import PastPullRequest
from bot.forge.errors import Archived, Gone, RateLimited, Suspended
from bot.git.clone import Clone
from bot.git.plan import Plan, Published
from bot.git.store import Store
from bot.lessons.document import Document
from bot.lessons.store import Edit
from bot.settings import Settings
from bot.settings.file import read as read_settings
from bot.texts import commit_message
from bot.work.arrivals import Arrivals
from bot.work.codec import Wanted
from bot.work.feature import Scene
from bot.work.memory import Known, Memory
from bot.work.past import Past, learned, reviewed
from bot.work.places import MirrorBranch, Place
from bot.work.reviewing import Reviews
from bot.work.setting_up import missing
from bot.work.writing import apply
from bot.writes import Writes
from webhooks.events import Event, Pushed

log = logging.getLogger(__name__)

BRANCH = "lessonkeeper/onboarding"
ISSUE = "onboarding"  # the key of the issue that says why there is no pull request
STARTER = 20  # bullets: what a person reads through before merging
STARTER_SINCE = timedelta(days=90)
SMALL = 5  # repositories of an installation that need no sign of life
ALIVE = timedelta(days=30)  # since the last review
PER_DAY = 5  # pull requests of an installation: more is a flood
DAY = timedelta(days=1)

Open = Callable[[Known], AbstractContextManager[Place]]


@dataclass(frozen=True, slots=True)
class _Branch:
    """Implements `bot.work.writing.Branch`: begins at the default branch."""

    default: MirrorBranch
    branch: str = BRANCH

    @property
    def clone(self) -> Clone:
        return self.default.clone

    def head(self) -> str | None:
        return self.default.tip(BRANCH) or self.default.head()

    def publish(self, plan: Plan) -> Published:
        begins = self.default.tip(BRANCH) is None
        return self.default.publish(replace(plan, replaces="") if begins else plan)


@dataclass(frozen=True, slots=True)
class _Found:
    """What was read of a repository, with the settings that it leads to."""

    seen: Seen
    settings: Settings
    merged: tuple[PastPullRequest, ...]
    wanted: tuple[tuple[PastPullRequest, Wanted], ...]


@dataclass(frozen=True, slots=True)
class Onboarding:
    """Wired once. `attend` is called in each write job, `hear` when settings may have come."""

    arrivals: Arrivals
    memory: Memory
    writes: Writes
    past: Past
    reviews: Reviews
    open: Open
    now: Callable[[], datetime]

    def attend(self, repository: int) -> None:
        """Opens the pull request where it is time. Raises the errors of the forge and git rooms."""
        known = self.memory.known(repository)
        if known is None or not known.here or not self.arrivals.waits(repository):
            return
        with self.open(known) as place:
            if _has_settings(place):
                self.arrivals.caught_up(repository)  # its reviews were heard from the first
                return
            if _may_not_be_asked(place) or not self._is_alive(known, place):
                self.arrivals.settle(repository)
                return
            if (later := self._later(known)) is not None:
                self.writes.request(repository, later)
                return
            pulls, found = self._look(place)
        wanted = self.past.read(known, found.settings, pulls, limited=_stop)
        found = replace(found, wanted=tuple(zip(pulls, wanted, strict=True)))
        try:
            with self.open(known) as place:
                self._propose(known, place, found)
        except (Archived, Gone, Suspended):
            raise
        except UserError as error:
            log.warning("repository %d: its onboarding is not let in: %s", repository, error)
            self._say_refused(known, error)
        self.arrivals.settle(repository)

    # when settings land

    def wait(self, event: Event) -> timedelta | None:
        return timedelta(0) if isinstance(event, Pushed) and event.touches_us else None

    def hear(self, event: Event, scene: Scene) -> None:
        """Reads the reviews since the App came: only now it may act on them."""
        since = self.arrivals.behind(scene.known.id)
        if since is None:
            return
        for pull in reviewed(scene.place, since=since):
            self.reviews.read(scene, pull.number)
        _take_back(scene.place)
        self.arrivals.caught_up(scene.known.id)

    def _is_alive(self, known: Known, place: Place) -> bool:
        """Where there are many repositories: whether anyone reviews in this one."""
        if not self._is_many(known):
            return True
        since = self.now() - ALIVE
        pulls = reviewed(place, since=since)
        return any(r.submitted_at >= since for pull in pulls for r in pull.reviews)

    def _is_many(self, known: Known) -> bool:
        there = [each for each in self.memory.of_installation(known.installation) if each.here]
        return len(there) > SMALL

    def _later(self, known: Known) -> datetime | None:
        if not self._is_many(known):
            return None
        return self.arrivals.begin(known.id, self.now(), PER_DAY, DAY)

    def _look(self, place: Place) -> tuple[tuple[PastPullRequest, ...], _Found]:
        """The pull requests to read, and what their list alone tells."""
        merged = tuple(islice(place.forge.past_pull_requests(merged=True), LOOKED_AT))
        recent = reviewed(place, since=self.now() - STARTER_SINCE)
        rules = place.forge.branch_rules(place.repository.default_branch)
        owner = read_settings(b"", owner_defaults=place.owner_defaults())
        who = seen(merged, place.us.login)
        every = {pull.number: pull for pull in (*merged, *recent) if pull.reviews}
        pulls = tuple(every[number] for number in sorted(every))
        return pulls, _Found(who, proposed(owner, who, rules), merged, ())

    def _propose(self, known: Known, place: Place, found: _Found) -> None:
        with place.branch() as default:
            branch = _Branch(default)
            self._set_up(place, branch, found.settings)
            starter = self._start(known, place, branch, found)
        pull = place.forge.propose(
            BRANCH,
            place.repository.default_branch,
            welcome.ONBOARDING,
            welcome.onboarding(found.seen, found.settings, _gave(place, found), starter),
            draft=False,
        )
        if pull is not None:
            log.info("repository %d: onboarding #%d is open", known.id, pull.number)
        _take_back(place)

    def _say_refused(self, known: Known, error: UserError) -> None:
        """In an issue: there is no pull request to say it on, and people look in the repository."""
        body = welcome.refused(error)
        try:
            with self.open(known) as place:
                found = place.forge.find_issue(ISSUE, place.us)
                if found is None:
                    place.forge.open_issue(welcome.REFUSED, body, key=ISSUE)
                else:
                    place.forge.edit_issue(found, replace(found, body=body, open=True))
        except UserError as why:
            log.warning("repository %d: nor can that be said there: %s", known.id, why)

    def _set_up(self, place: Place, branch: _Branch, settings: Settings) -> None:
        today = self.now().date()

        def decide(store: Store, _: Settings) -> Edit:
            made, _left = missing(branch.clone, store.commit, settings, today)
            return Edit(made.changes, counts={}, readable=True)

        def say(edit: Edit, settings: Settings) -> str:
            signer = f"{place.author.name} <{place.author.email}>"
            return welcome.set_up(sorted(edit.changes), 0, settings.commit, signer=signer)

        apply(branch, decide, say, owner_defaults=place.owner_defaults())

    def _start(self, known: Known, place: Place, branch: _Branch, found: _Found) -> int:
        """The starter store, a commit of its own; how many bullets it holds."""
        since = self.now() - STARTER_SINCE
        recent = [
            replace(wanted, evidence=tuple(e for e in wanted.evidence if e.at >= since))
            for _, wanted in found.wanted
        ]

        def decide(store: Store, settings: Settings) -> Edit:
            there = len(Document.parse(store.snapshot.lessons or b"", self.now().date()).ours)
            cap = min(settings.store.cap, max(STARTER, there))
            few = replace(settings, store=replace(settings.store, cap=cap))
            return learned(store, recent, few, self.now())

        def say(edit: Edit, settings: Settings) -> str:
            signer = f"{place.author.name} <{place.author.email}>"
            return commit_message(edit, settings.commit, direct=False, signer=signer)

        written = apply(
            branch, decide, say, repository=known.id, owner_defaults=place.owner_defaults()
        )
        return written.edit.counts.get("appended", 0)


def _take_back(place: Place) -> None:
    """What was said of an earlier refusal is over."""
    found = place.forge.find_issue(ISSUE, place.us)
    if found is not None:
        place.forge.edit_issue(found, replace(found, open=False))


def _stop(limit: RateLimited) -> None:
    raise limit  # what was read is kept: the next try goes on from there


def _has_settings(place: Place) -> bool:
    """Settings that are broken are an answer too: people are told elsewhere."""
    try:
        return place.settings() is not None
    except UserError as error:
        log.info("repository %d has settings: %s", place.repository.id, error)
        return True


def _may_not_be_asked(place: Place) -> bool:
    """A fork, archived, empty, switched off by its owner, or asked before."""
    repository = place.repository
    if repository.fork or repository.archived or place.owner_defaults().get("enabled") is False:
        return True
    with place.branch() as branch:
        if branch.head() is None:
            return True
    return bool(place.forge.own_pull_requests(BRANCH, place.us))


def _gave(place: Place, found: _Found) -> dict[str, int]:
    """How many bullets each listed reviewer would have given, and all people together ("")."""
    merged = {pull.number for pull in found.merged}
    by = [e.by for pull, wanted in found.wanted if pull.number in merged for e in wanted.evidence]
    accounts = {login: place.forge.account(login) for login in found.seen.reviewers}
    gave = {login: by.count(a.id) for login, a in accounts.items() if a is not None}
    return {**gave, "": len(by) - sum(gave.values())}
