"""What a visitor may press on the pages: each press goes the way of the same command elsewhere.

GitHub is asked at that moment what the account may do. Whoever may not see a thing gets None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.channels.questions import Answer, may_decide
from bot.facts import Account
from bot.lessons.orders import Retire
from bot.web.pages import Press
from bot.web.visitor import Visitor
from bot.work.dashboard import PRESS, Dashboard
from bot.work.deciding import decide, permission
from bot.work.feature import Scene
from bot.work.freshness import Open
from bot.work.hearing import permits
from bot.work.memory import Known
from bot.work.outbox import Outbox

Act = Callable[[Scene, Account], Press]


@dataclass(frozen=True, slots=True)
class Pressing:
    """Wired once; called by many threads. Every method raises UserError and Fault."""

    shown: Dashboard
    outbox: Outbox
    open: Open

    def retire(self, visitor: Visitor, full_name: str, identity: str) -> Press | None:
        """Asks for the commit that strikes a lesson through, as `/lessons retire ID` does."""
        known = self.shown.known(visitor, full_name)
        page = self.shown.lesson(visitor, full_name, identity)
        if known is None or page is None:
            return None
        line = page.life.line
        if line is None or not line.state.shown or identity in page.store.pressed:
            return Press.ALREADY

        def keep(scene: Scene, account: Account) -> Press:
            order = Retire(identity, account.id, self.shown.now().replace(microsecond=0))
            subject = f"{PRESS}{identity}"
            self.outbox.keep(
                scene.known, scene.settings, subject, (), orders=(order,), at_once=True
            )
            return Press.TAKEN

        return self._pressed(visitor, known, keep)

    def answer(self, visitor: Visitor, full_name: str, question: str, answer: str) -> Press | None:
        """Decides a question, as its button in the check run does."""
        known, questions = self.shown.known(visitor, full_name), self.shown.questions
        record = questions.get(known.id, question) if known else None
        if known is None or record is None or answer not in record.question.answers:
            return None

        def give(scene: Scene, account: Account) -> Press:
            given, now = Answer(answer), self.shown.now()
            first = decide(questions, scene, record.question, given, account, now)
            return Press.TAKEN if first else Press.ALREADY

        return self._pressed(visitor, known, give)

    def replay(self, visitor: Visitor, guid: str) -> Press | None:
        """The same as `app.py replay`."""
        entry = self.shown.inbox.find(guid)
        repository = (entry.repository if entry else None) or 0
        if entry is None or not (visitor.operates or visitor.writes(repository)):
            return None
        if not (visitor.operates or self._writes_now(visitor, repository)):
            return Press.DENIED
        self.shown.inbox.replay(guid, self.shown.now())
        return Press.TAKEN

    def _pressed(self, visitor: Visitor, known: Known, act: Act) -> Press:
        account = visitor.account
        if account is None:
            return Press.DENIED
        with self.open(known) as place:
            settings = place.settings()
            if settings is None or not permits(settings, place.repository):
                return Press.OFF
            scene = Scene(known, place, settings)
            if not may_decide(account, permission(scene, account), settings):
                return Press.DENIED
            return act(scene, account)

    def _writes_now(self, visitor: Visitor, repository: int) -> bool:
        known = self.shown.memory.known(repository)
        if known is None or visitor.account is None:
            return False
        with self.open(known) as place:
            return place.forge.permission(visitor.account.login).writes
