"""Tells people what their decisions came to, where they look: the check run, or a comment.

Runs at the end of each write job. Saying a thing again is harmless: a check run and a comment are
updated in place. What GitHub refuses for now is said later and never holds a write back.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.channels.questions import KEPT, Question, of_conflict
from bot.errors import Fault, UserError
from bot.forge.errors import Forbidden
from bot.handover import ATTEMPTS, pause
from bot.lessons.store import Evidence, Landed
from bot.talk import check_run, decided, in_a_comment, order_done, order_refused
from bot.work.memory import Known, Waiting
from bot.work.notices import CHECK_RUN, Notice, Notices
from bot.work.places import Place
from bot.work.questions import Questions, subject
from bot.work.sections import Sections
from bot.work.visit import Open
from bot.work.writing import Written
from bot.writes import Writes

log = logging.getLogger(__name__)

ORDER = "order:"  # then the conversation's number and the comment's id


def order_subject(number: int, comment: int) -> str:
    return f"{ORDER}{number}:{comment}"


def reply_key(comment: int) -> str:
    """Our comment that answers this one."""
    return f"reply:{comment}"


@dataclass(frozen=True, slots=True)
class Telling:
    """Listens to `bot.work.committing`."""

    questions: Questions
    notices: Notices
    sections: Sections
    writes: Writes
    now: Callable[[], datetime]

    def landed(self, known: Known, written: Written, waiting: Sequence[Waiting]) -> None:
        for each in waiting:
            if each.subject.startswith(ORDER):
                body = order_done(each.wanted.orders[0], written.edit, written.commit)
                self._answer_order(known, each, body)
        for question in self._decided(known, waiting):
            found = _landed(written.edit.landed, question)
            wrote = question.lesson is None or (found is not None and found.did != "nothing")
            commit = written.commit if wrote else None
            self.questions.came_to(
                known.id,
                question,
                self.now(),
                commit=commit,
                bullet=found.bullet if found else None,
                outcome="" if commit else _outcome(found),
            )
            self._answer(known, question)
        self._ask_conflicts(known, written)

    def refused(self, known: Known, waiting: Sequence[Waiting], reason: str) -> None:
        for each in waiting:
            if each.subject.startswith(ORDER):
                self._answer_order(known, each, order_refused(reason))
        for question in self._decided(known, waiting):
            came = f"not written yet: {reason}"
            self.questions.came_to(known.id, question, self.now(), outcome=came)
            self._answer(known, question)

    def after(self, known: Known, opened: Open) -> None:
        due = self.notices.due(known.id)
        if not due:
            return
        try:
            with opened(known) as place:
                for notice in due:
                    self._say(known, place, notice)
                    # GitHub lets a comment be made once a second: the next job, which is due, says
                    # the rest, after what waits to be written.
                    if self.writes.is_due(known.id, self.now()):
                        break
        except (Fault, UserError) as error:  # it could not be opened, or it was lost meanwhile
            log.warning("repository %d: nothing could be said: %s", known.id, error)
            self._later(known, due[0], error)

    def _decided(self, known: Known, waiting: Sequence[Waiting]) -> list[Question]:
        """The questions whose decisions are among what waited."""
        prefix = subject("")
        ids = [w.subject.removeprefix(prefix) for w in waiting if w.subject.startswith(prefix)]
        records = (self.questions.get(known.id, each) for each in ids)
        return [record.question for record in records if record is not None]

    def _answer(self, known: Known, question: Question) -> None:
        record = self.questions.get(known.id, question.id)
        if record is not None and record.reply is not None:
            key = reply_key(record.reply)
            self.notices.say(known.id, question.number, key, decided(record), self.now())

    def _answer_order(self, known: Known, waiting: Waiting, body: str) -> None:
        number, _, comment = waiting.subject.removeprefix(ORDER).partition(":")
        self.notices.say(known.id, int(number), reply_key(int(comment)), body, self.now())

    def _ask_conflicts(self, known: Known, written: Written) -> None:
        """Open contradictions are asked about in the pull request that brought them."""
        now = self.now()
        asked: defaultdict[int, list[Question]] = defaultdict(list)
        for conflict in written.edit.conflicts:
            if conflict.pr and conflict.at > now - KEPT:
                asked[conflict.pr].append(of_conflict(known.id, conflict))
        for number in {*asked, *self.questions.numbers(known.id, "conflict:")}:
            self.questions.ask(known.id, number, "conflict:", tuple(asked[number]), now)

    def _say(self, known: Known, place: Place, notice: Notice) -> None:
        try:
            if notice.key == CHECK_RUN:
                self._draw(known, place, notice)
            elif notice.body is not None:
                place.forge.comment(notice.number, notice.body, key=notice.key)
        except Fault as fault:
            log.warning("repository %d #%d: not said yet: %s", known.id, notice.number, fault)
            self._later(known, notice, fault)
        except UserError as error:
            log.info("repository %d #%d: cannot be said: %s", known.id, notice.number, error)
            self.notices.said(known.id, notice)
        else:
            self.notices.said(known.id, notice)

    def _draw(self, known: Known, place: Place, notice: Notice) -> None:
        records = self.questions.of(known.id, notice.number)
        if not all(record.question.pull for record in records):  # an issue's conversation
            shown = check_run(notice.number, records)
            place.forge.comment(notice.number, in_a_comment(shown), key=CHECK_RUN)
            return
        head = place.forge.pull_request(notice.number).head_sha
        sections = self.sections.of(known.id, notice.number, head)
        if not records and not sections and not notice.said:
            return
        shown = check_run(notice.number, records, sections)
        try:
            place.forge.upsert_check_run(head, shown)
        except Forbidden as error:
            log.info("repository %d: no check runs: %s", known.id, error)
            if records or any(each.warns for each in sections):
                place.forge.comment(notice.number, in_a_comment(shown), key=CHECK_RUN)
        self.sections.said(known.id, notice.number, head)

    def _later(self, known: Known, notice: Notice, error: Fault | UserError) -> None:
        if isinstance(error, Fault) and error.retry and notice.attempt < ATTEMPTS:
            wait = pause(notice.attempt + 1, error.retry_after, 0)
            self.notices.failed(known.id, notice, self.now() + wait)
        elif isinstance(error, Fault):
            self.notices.said(known.id, notice)


def _landed(landed: Sequence[Landed], question: Question) -> Landed | None:
    def same(evidence: Evidence) -> bool:
        lesson = question.lesson
        return lesson is not None and (evidence.source, evidence.lesson.sentence) == (
            question.source,
            lesson.sentence,
        )

    return next((each for each in landed if same(each.evidence)), None)


def _outcome(found: Landed | None) -> str:
    """What to say where this write brought no commit; the reasons are `bot.lessons.store`'s."""
    if found is None or found.reason in ("", "applied before"):
        return "in an earlier commit"  # a crash kept it from being told then
    return f"nothing was written: {found.reason}"
