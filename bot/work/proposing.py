"""The write job where commits may not go to the default branch: one rolling pull request.

Everything is decided from what stands on GitHub now. What waits is kept until the default branch
has it or people declined it, so that the branch can be made anew at any time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot import proposal_text
from bot.channels.rolling import hold, is_pressed, is_ready, is_wanted, may_open
from bot.errors import Fault
from bot.facts import OwnPullRequest
from bot.forge.errors import Forbidden
from bot.git.policy import Way
from bot.git.store import Store, read_store
from bot.lessons.edit import Change
from bot.lessons.history import History
from bot.lessons.proposal import proposed
from bot.lessons.rows import PromotedRow
from bot.lessons.store import LESSONS, Edit
from bot.settings import Settings
from bot.texts import commit_message
from bot.work.codec import Wanted
from bot.work.memory import Known, Memory, Waiting
from bot.work.places import Place
from bot.work.rolling import ROLLING, RollingBranch, declined_since
from bot.work.wants import Wants
from bot.work.writing import Refused, Written, apply, settings_of
from bot.writes import Writes

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a job came to. `fresh`: the wants that are to be told; `written` None: held back.

    `pull` is the number of the pull request that is open now, None where there is none.
    """

    written: Written | None
    fresh: tuple[Waiting, ...]
    pull: int | None = None


def is_way(place: Place, settings: Settings, pulls: Sequence[OwnPullRequest]) -> bool:
    """Whether commits go to a pull request: by setting or by the rules of the branch.

    An open proposal of ours is finished first. Raises the errors of the forge room.
    """
    if settings.mode != "auto":
        return is_wanted(settings, ())
    if any(each.open for each in pulls):
        return True
    return is_wanted(settings, place.forge.branch_rules(place.repository.default_branch))


def is_way_round(refused: Refused, settings: Settings) -> bool:
    """Whether a pull request brings in what was refused, where the settings leave it to us."""
    ways = refused.refusal.ways
    return settings.mode == "auto" and Way.PULL_REQUEST in ways and Way.NONE not in ways


@dataclass(frozen=True, slots=True)
class Proposing:
    """Wired once; `propose` is called for a write job in pull-request mode."""

    memory: Memory
    writes: Writes
    now: Callable[[], datetime]

    def propose(
        self,
        known: Known,
        place: Place,
        pulls: Sequence[OwnPullRequest],
        *,
        signed: bool = False,
        past: Sequence[Wanted] = (),
    ) -> Proposed:
        """Brings the rolling pull request up to date, opening it where there is none.

        `pulls` are those of ours, newest first; `signed`: a push was refused for want of a
        signature. `past`: what old reviews teach is brought in alone, and what waits then waits on
        for the server, which tells of it. Raises Refused where not even that branch may be pushed.
        """
        with place.branch() as default:
            default.signed = signed or None
            branch = RollingBranch(default, pulls, known.id)
            start = branch.head()
            stands = read_store(default.clone, branch.base, known.id)
            stands.demand_trust()
            settings = settings_of(stands, place.owner_defaults())
            rows = declined_since(default, branch.base, pulls, known.id)
            waiting = () if past else self.memory.waiting(known.id)
            wants = Wants(waiting, self.now(), rows, past=past)
            store = branch.read(default.clone, start, known.id, None)
            fresh = wants.that_change(store, settings)
            written = None
            # What conflicts can be merged by nobody, so there is nothing to hold still for.
            if branch.rebuilt or not self._is_held(
                known, place, branch.pull, settings, fresh, past
            ):
                written = self._write(known, place, branch, wants)
                left = wants.that_change(stands, settings)
                over = tuple(each for each in wants.waiting if each not in left)
                idle = _without_effect(wants.waiting, fresh, over, store, pulls)
                # Told once and forgotten: what adds nothing now would be told again for ever.
                self.memory.written(known.id, tuple(dict.fromkeys((*over, *idle))))
                fresh += idle
            pull = self._show(known, place, branch, stands, settings)
        return Proposed(written, fresh, pull.number if pull is not None else None)

    def _is_held(
        self,
        known: Known,
        place: Place,
        pull: OwnPullRequest | None,
        settings: Settings,
        fresh: Sequence[Waiting],
        past: Sequence[Wanted],
    ) -> bool:
        evidence = [e for each in fresh for e in each.wanted.evidence]
        orders = [o for each in fresh for o in each.wanted.orders]
        held = hold(
            settings,
            self.now(),
            pressed=bool(past) or is_pressed(evidence, orders),
            written_at=known.committed_at,
            approved_at=place.forge.approved_at(pull.number) if pull else None,
        )
        if held is None:
            return False
        if fresh or known.housekeeping_at is not None:
            self.writes.request(known.id, held.until)
        if held.approved and fresh and pull is not None:
            _say_held(place, pull, held.until)
        return True

    def _write(self, known: Known, place: Place, branch: RollingBranch, wants: Wants) -> Written:
        pulls = branch.pulls
        tidy = known.housekeeping_at is not None
        tidy = tidy and (branch.pull is not None or may_open(pulls, housekeeping_alone=True))

        def decide(store: Store, settings: Settings) -> Edit:
            everything = replace(wants, salvaged=branch.salvaged)
            edit = everything.edit(store, settings, housekeeping=tidy or branch.rebuilt)
            lessons = edit.changes.get(LESSONS, store.snapshot.lessons)
            if not branch.foreign or lessons is None:
                return edit
            edited = branch.with_edits(lessons)
            return replace(edit, changes={**edit.changes, LESSONS: edited}, readable=True)

        def say(edit: Edit, settings: Settings) -> str:
            signer = f"{place.author.name} <{place.author.email}>"
            return commit_message(edit, settings.commit, direct=False, signer=signer)

        written = apply(
            branch,
            decide,
            say,
            repository=known.id,
            evidence_alone=branch.rebuilt or bool(wants.past),
            owner_defaults=place.owner_defaults(),
            read=branch.read,
        )
        if known.housekeeping_at is not None:
            self.memory.housekeeping_done(known.id)
        if written.commit is not None:
            self.memory.committed(known.id, self.now())
            self._tell_rebuilt(place, branch)
        elif branch.rebuilt and branch.pull is not None and not written.edit.changes:
            # The default branch has all of it by another way.
            place.forge.update_pull_request(branch.pull.number, state="closed")
            branch.pulls = [p for p in branch.pulls if p != branch.pull]
        return written

    def _tell_rebuilt(self, place: Place, branch: RollingBranch) -> None:
        if branch.pull is not None and branch.foreign:
            commits = [each.commit for each in branch.foreign]
            body = proposal_text.rebuilt(branch.default.branch, commits, branch.lost)
            place.forge.comment(branch.pull.number, body, key=f"rebuilt:{commits[-1]}")

    def _show(
        self,
        known: Known,
        place: Place,
        branch: RollingBranch,
        stands: Store,
        settings: Settings,
    ) -> OwnPullRequest | None:
        """The pull request, brought up to what stands on its branch now; None where none is."""
        tip = branch.default.tip(ROLLING)
        if tip is None or branch.clone.is_ancestor(tip, branch.base):
            return None
        if branch.pull is None and (branch.is_over(tip) or branch.rebuilt):
            return None
        store = read_store(branch.clone, tip, known.id)
        changes = _changes(stands, store, self.now())
        title = proposal_text.title(changes, settings.commit.prefix)
        body = proposal_text.body(changes)
        base = branch.default.branch
        pull = branch.pull or place.forge.propose(ROLLING, base, title, body, draft=True)
        if pull is None:  # opened in the same moment, by a job that crashed or another machine
            raise Fault("the pull request could not be opened; it is looked for again")
        wanted = {"title": title, "body": body, "base": base}
        there = {"title": pull.title, "body": pull.body.replace("\r\n", "\n"), "base": pull.base}
        changed = {key: value for key, value in wanted.items() if there[key] != value}
        if changed:
            place.forge.update_pull_request(pull.number, **changed)
        if pull.draft:
            if is_ready(pull, len(changes), settings, self.now()):
                place.forge.mark_ready(pull)
            else:
                self.writes.request(known.id, pull.created_at + settings.rolling.ready_after)
        return pull


def _without_effect(
    waiting: Sequence[Waiting],
    fresh: Sequence[Waiting],
    over: Sequence[Waiting],
    store: Store,
    pulls: Sequence[OwnPullRequest],
) -> tuple[Waiting, ...]:
    """Those that never changed anything, which people are told too; what was proposed or merged was
    told then."""
    there = History.read(store.snapshot.events, store.snapshot.repository).sources
    merged_at = max((p.closed_at for p in pulls if p.merged and p.closed_at), default=None)

    def is_one(each: Waiting) -> bool:
        sources = {e.source for e in each.wanted.evidence}
        if sources:
            return not sources & there
        return each in over and (merged_at is None or merged_at < each.since)

    return tuple(each for each in waiting if each not in fresh and is_one(each))


def _changes(stands: Store, store: Store, now: datetime) -> tuple[Change, ...]:
    status = History.read(store.snapshot.events).status
    promoted = [bullet for bullet, row in status.items() if isinstance(row, PromotedRow)]
    before, after = stands.snapshot.lessons, store.snapshot.lessons
    return proposed(before, after, now.date(), promoted)


def _say_held(place: Place, pull: OwnPullRequest, until: datetime) -> None:
    shown = proposal_text.held(pull.number, until)
    try:
        place.forge.upsert_check_run(pull.head_sha, shown)
    except Forbidden:
        place.forge.comment(pull.number, f"{shown.title}. {shown.summary}", key="held")
