"""What the pages show to a visitor; whoever may not read a repository gets None, as for none."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.errors import Fault, UserError
from bot.git.origins import origins
from bot.inbox import Inbox, Status
from bot.lessons.event_files import FOLDER
from bot.lessons.history import History
from bot.lessons.rows import mark
from bot.reports.carried import weigh
from bot.search.gaps import Gap
from bot.web.figures import Figures, figures
from bot.web.fleet import Fleet, fleet, summary
from bot.web.life import Life, life
from bot.web.pages import (
    Alarm,
    CarriedPage,
    DeliveriesPage,
    FindPage,
    LessonPage,
    StorePage,
)
from bot.web.visitor import Visitor
from bot.work.freshness import Freshness, Open, Seen
from bot.work.measured import carried
from bot.work.memory import Known, Memory
from bot.work.pitfalls import Files, clean
from bot.work.places import Place
from bot.work.questions import Questions
from bot.work.searching import Searching
from bot.work.summaries import Summaries
from bot.work.unlisted import Unlisted
from bot.writes import Writes

log = logging.getLogger(__name__)

PRESS = "press:"  # of what waits, then the id of a lesson: pressed twice it waits once
DELIVERIES = 50  # of each status on the page
HITS = 10  # of a search
NOBODY = 0  # no repository has this id: what is asked on the pages is for the operator to see


@dataclass(frozen=True, slots=True)
class Dashboard:
    """Wired once; called by many threads. `alarms` gives those of some repositories, None for all
    and the server's own."""

    memory: Memory
    inbox: Inbox
    writes: Writes
    questions: Questions
    freshness: Freshness
    summaries: Summaries
    open: Open
    now: Callable[[], datetime]
    searching: Searching
    unlisted: Unlisted
    alarms: Callable[[Collection[int] | None], Sequence[Alarm]] = lambda _: ()

    def look(self, known: Known) -> tuple[Files, Figures, str]:
        """A store now: its files, its figures, which are kept, and what to tell of their age.

        Raises Gone, Fault.
        """
        seen, notice = self.freshness.seen(known)
        return seen.files, self._kept(known, seen), notice

    def look_again(self, known: Known, place: Place) -> None:
        """After a write: what was seen a moment ago is old, and the job has the place open."""
        self._kept(known, self.freshness.look_again(known, place))

    def _kept(self, known: Known, seen: Seen) -> Figures:
        found = figures(seen.files, known.id, self.now().date(), clean)
        fresh = summary(found)
        if self.summaries.get(known.id) != fresh:
            self.summaries.keep(known.id, fresh)
        return found

    def fleet(self, visitor: Visitor) -> Fleet:
        visible = self._visible(visitor)
        kept = self.summaries.of([each.id for each in visible])
        alarms = self.alarms_of(visitor)
        counted = Counter(alarm.repository for alarm in alarms)
        rows = [(each.full_name, kept.get(each.id), counted[each.id]) for each in visible]
        of_server = len(alarms) - sum(count for _, _, count in rows)
        return fleet(rows, self.now().date(), of_server)

    def store(self, visitor: Visitor, full_name: str) -> StorePage | None:
        """Raises Fault where GitHub does not answer and nothing young enough was seen."""
        known = self.known(visitor, full_name)
        if known is None:
            return None
        try:
            files, found, notice = self.look(known)
        except UserError:
            return None  # the App may not read there any more
        waiting = self.memory.waiting(known.id)
        subjects = [each.subject for each in waiting if each.subject.startswith(PRESS)]
        records = self.questions.of_repository(known.id)
        return StorePage(
            known.id,
            known.full_name,
            found,
            notice,
            tuple(each for each in records if each.decision is None),
            frozenset(subject.removeprefix(PRESS) for subject in subjects),
            self.writes.reasons().get(known.id) if subjects else None,
            visitor.account is not None and visitor.writes(known.id),
            self.unlisted.of(known.id, files.settings),
        )

    def lesson(self, visitor: Visitor, full_name: str, identity: str) -> LessonPage | None:
        known, page = self.known(visitor, full_name), self.store(visitor, full_name)
        if known is None or page is None:
            return None
        seen, _ = self.freshness.seen(known)
        history = History.read(seen.files.events, known.id)
        found = life(identity, page.figures, history, clean)
        if found is None:
            return None
        return LessonPage(page, found, self._commits(known, seen.files.commit, found))

    def _commits(self, known: Known, tip: str | None, found: Life) -> Mapping[str, str]:
        """Where the events of a life came to the branch; none of it where git does not answer."""
        marks = {mark(moment.row): moment.row for moment in found.moments}
        if tip is None:
            return {}
        try:
            with self.open(known) as place, place.branch() as branch:
                there = origins(branch.clone, tip, FOLDER, marks)
        except (Fault, UserError) as error:
            log.warning("repository %d: the commits of a life are not told: %s", known.id, error)
            return {}
        return {marks[each]: commit for each, commit in there.items()}

    def carried(self, visitor: Visitor, full_name: str) -> CarriedPage | None:
        known, page = self.known(visitor, full_name), self.store(visitor, full_name)
        if known is None or page is None:
            return None
        seen, _ = self.freshness.seen(known)
        settings, commit = seen.files.settings, seen.files.commit
        files: Mapping[str, bytes] = {}
        if commit is not None:
            with self.open(known) as place, place.branch() as branch:
                files = carried(branch.clone, commit, settings)
        return CarriedPage(page, weigh(files, settings.carried), settings.carried)

    def find(self, visitor: Visitor, query: str) -> FindPage:
        """What any store that the visitor reads knows of it. Raises UserError, Fault."""
        names = {each.id: each.full_name for each in self._visible(visitor)}
        answer = None
        if query.strip() and names:
            answer = self.searching.find(query, names, NOBODY, HITS)
        gaps = self.searching.gaps.among(None if visitor.operates else names)
        return FindPage(answer, names, tuple(_seen(gap, names.values()) for gap in gaps))

    def deliveries(self, visitor: Visitor) -> DeliveriesPage:
        """Of the repositories that the visitor may write to."""
        mine = self._writable(visitor)
        return DeliveriesPage(
            self.inbox.counts(mine),
            {status: tuple(self.inbox.newest(DELIVERIES, status, mine)) for status in Status},
            {each.id: each.full_name for each in self._visible(visitor)},
        )

    def alarms_of(self, visitor: Visitor) -> tuple[Alarm, ...]:
        """Those of the repositories that the visitor reads, the server's own for its operator."""
        mine = None if visitor.operates else [each.id for each in self._visible(visitor)]
        return (*self._stuck(visitor), *self.alarms(mine))

    def _stuck(self, visitor: Visitor) -> Iterator[Alarm]:
        """Writes that do not land and deliveries that wait for a person."""
        names = {each.id: each.full_name for each in self._visible(visitor)}
        for repository, reason in sorted(self.writes.reasons().items()):
            if repository in names:
                text = f"{names[repository]}: the last write did not land: {reason}"
                yield Alarm(repository, text, "It is tried again once this is mended.", "")
        writable = self._writable(visitor)
        counts = self.inbox.counts(writable)
        for status, what in ((Status.FAILED, "failed"), (Status.PARKED, "wait for a person")):
            if counts[status]:
                text = f"Deliveries that {what}: {counts[status]}."
                yield Alarm(0, text, "The page of deliveries says why, and replays them.", "")

    def _visible(self, visitor: Visitor) -> list[Known]:
        return [each for each in self.memory.here() if visitor.reads(each.id)]

    def _writable(self, visitor: Visitor) -> list[int] | None:
        if visitor.operates:
            return None
        return [each.id for each in self._visible(visitor) if visitor.writes(each.id)]

    def known(self, visitor: Visitor, full_name: str) -> Known | None:
        wanted = full_name.casefold()
        visible = self._visible(visitor)
        return next((each for each in visible if each.full_name.casefold() == wanted), None)


def _seen(gap: Gap, names: Collection[str]) -> Gap:
    """Without the pages of repositories that the visitor may not read."""
    nearest = (page for page in gap.nearest if page.partition(":")[0] in names)
    return replace(gap, nearest=tuple(nearest))
