"""Decisions of people, wherever they are given: who may, once only, and the write they ask for."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.channels.questions import Answer, Decision, Question, kept, may_decide, settled
from bot.facts import Account, Permission
from bot.talk import PULL
from bot.work.codec import Wanted
from bot.work.feature import Scene
from bot.work.notices import CHECK_RUN, Notices
from bot.work.questions import Questions
from webhooks.events import CheckPressed, Event, PullRequestChanged

log = logging.getLogger(__name__)


def permission(scene: Scene, account: Account) -> Permission:
    """What GitHub says of an account at this moment."""
    return scene.place.forge.permission(account.login)


def decide(
    questions: Questions,
    scene: Scene,
    question: Question,
    answer: Answer,
    by: Account,
    now: datetime,
    reply: int | None = None,
) -> bool:
    """Decides for an account that may; false where it was decided before."""
    wanted = Wanted()
    if answer is Answer.KEEP:
        wanted = Wanted(evidence=kept(question, by, now))
    elif answer is not Answer.DISCARD:
        wanted = Wanted(orders=settled(question, answer, by, now))
    decision = Decision(answer, by.login, now)
    first = questions.decide(scene.known.id, question, reply, decision, wanted, now)
    if first:
        log.info(
            "repository %d #%d: question %s: %s, by account %d",
            scene.known.id, question.number, question.id, answer, by.id,
        )  # fmt: skip
    return first


@dataclass(frozen=True, slots=True)
class Presses:
    """The buttons of our check run. `app` is our App's id: another App's buttons are nothing."""

    questions: Questions
    notices: Notices
    app: int
    now: Callable[[], datetime]

    def wait(self, event: Event) -> timedelta | None:
        match event:
            case CheckPressed():
                return timedelta(0)
            case PullRequestChanged(action="synchronize") if self.notices.has(
                event.origin.repository.id, event.number, CHECK_RUN
            ):  # people look at the new head; other pushes are nothing
                return timedelta(0)
        return None

    def hear(self, event: Event, scene: Scene) -> None:
        match event:
            case CheckPressed():
                self._press(event, scene)
            case PullRequestChanged():
                self.notices.redraw(scene.known.id, event.number, self.now())

    def _press(self, event: CheckPressed, scene: Scene) -> None:
        if event.app != self.app:
            self._refused(event, scene, "it is another App's check run")
            return
        answer, _, identity = event.identifier.partition(":")
        record = self.questions.get(scene.known.id, identity)
        sender = event.origin.sender
        if record is None:
            self._refused(event, scene, "nothing waits under that id")
        elif event.external_id != f"{PULL}{record.question.number}":
            self._refused(event, scene, "the check run is of another pull request")
        elif answer not in record.question.answers:
            self._refused(event, scene, "that is no answer to it")
        elif sender is None or not may_decide(sender, permission(scene, sender), scene.settings):
            self._refused(event, scene, "the sender may not decide")
        else:
            given = Answer(answer)
            decide(self.questions, scene, record.question, given, sender, self.now())
            return
        self._show(event, scene)

    def _refused(self, event: CheckPressed, scene: Scene, why: str) -> None:
        sender = event.origin.sender
        log.warning(
            "repository %d: a press on check run %d by account %s is refused: %s",
            scene.known.id, event.check_run, sender.id if sender else "unknown", why,
        )  # fmt: skip

    def _show(self, event: CheckPressed, scene: Scene) -> None:
        """Whoever pressed may have looked at an old state: the check run says what holds."""
        number = event.external_id.removeprefix(PULL)
        if number.isascii() and number.isdigit() and len(number) < 10:
            self.notices.redraw(scene.known.id, int(number), self.now())
