"""The comments feature: what people tell the bot in a conversation, and its answers.

Only a new comment acts; an edited one never does. Each act is keyed by the comment's id.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot import talk
from bot.channels import commands
from bot.channels.notes import Note, offered, typed
from bot.channels.questions import Answer, Decision, Kind, Question, kept, may_decide, of_note
from bot.channels.trust import is_agent
from bot.distill.validate import Refused
from bot.errors import UserError
from bot.forge.protocol import Reaction
from bot.lessons.orders import Order, Retire, Undo
from bot.work.codec import Wanted
from bot.work.deciding import decide, permission
from bot.work.distilling import Distillers, distilled_note
from bot.work.explaining import Explaining
from bot.work.feature import Scene
from bot.work.memory import Memory
from bot.work.note_wants import NoteWants, RetireSubject
from bot.work.notices import Notices
from bot.work.outbox import Outbox
from bot.work.questions import Questions
from bot.work.telling import order_subject, reply_key
from webhooks.events import CommentCreated, Event

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Comments:
    """Every comment is looked at: the words that one may begin with are a setting."""

    memory: Memory
    outbox: Outbox
    questions: Questions
    notices: Notices
    distillers: Distillers
    explaining: Explaining
    note_wants: NoteWants
    now: Callable[[], datetime]

    def wait(self, event: Event) -> timedelta | None:
        return timedelta(0) if isinstance(event, CommentCreated) else None

    def hear(self, event: Event, scene: Scene) -> None:
        if not isinstance(event, CommentCreated):
            return
        command = commands.parse(event.body, scene.settings.note_prefixes)
        agent = is_agent(event.author, scene.settings)
        if command is None or (event.author.kind != "User" and not agent):
            return
        may = may_decide(event.author, permission(scene, event.author), scene.settings)
        _Heard(self, event, scene, may=may, agent=agent).obey(command)


@dataclass(frozen=True, slots=True)
class _Heard:
    """One command. `may`: its author decides; `agent`: its author only offers."""

    by: Comments
    event: CommentCreated
    scene: Scene
    may: bool
    agent: bool

    def obey(self, command: commands.Command) -> None:
        match command:
            case commands.ListLessons():
                self._reply(self.by.explaining.lessons(self.scene), "lessons")
            case commands.ExplainReviews():
                self._explain()
            case commands.KeepNote(text) if self.may or self.agent:
                self._keep(text)
            case commands.OfferNote(text) if self.may or self.agent:
                self._offer(text)
            case _ if not self.may:
                self._deny()
            case commands.RetireBullet(bullet):
                self._order(Retire(bullet, self.event.author.id, self.event.at))
            case commands.UndoPullRequest(number):
                self._order(Undo(self.event.at, pr=number))
            case commands.UndoAccount(login):
                self._undo_account(login)
            case commands.Decide(question, answer):
                self._decide(question, answer)
            case commands.SubjectRetired(subject):
                self._retire(subject)
            case commands.NotUnderstood():
                self._reply(talk.USAGE)

    # notes

    def _keep(self, text: str) -> None:
        note = typed(text, self.scene.settings.store.characters, agent=self.agent)
        if isinstance(note, Refused) or note.kind is not Kind.NOTE:
            self._ask(note)
            return
        question, at, author = self._question(note), self.event.at, self.event.author
        self.by.questions.keep(
            self.scene.known.id,
            question,
            self.event.comment,
            Decision(Answer.KEEP, author.login, at),
            Wanted(evidence=kept(question, author, at)),
            self.by.now(),
        )
        self._react(Reaction.THUMBS_UP)

    def _offer(self, text: str) -> None:
        by, scene = self.by, self.scene
        found = distilled_note(by.memory, by.distillers, scene, self._source, text, by.now())
        self._ask(offered(text, found, scene.settings.store.characters, agent=self.agent))

    @property
    def _source(self) -> str:
        return f"comment:{self.event.comment}"

    def _question(self, note: Note) -> Question:
        event = self.event
        forge = self.scene.place.forge
        return of_note(
            self.scene.known.id,
            note.kind,
            self._source,
            event.author,
            event.at,
            number=event.number,
            pull=forge.pull_request(event.number) if event.is_pull_request else None,
            lesson=note.lesson,
            why=note.why,
            excerpt=note.excerpt,
        )

    def _ask(self, note: Note | Refused) -> None:
        if isinstance(note, Refused):
            self._refuse(note.reason)
            return
        self.by.questions.add(self.scene.known.id, self._question(note), self.by.now())
        self._react(Reaction.EYES)

    # orders and decisions

    def _order(self, order: Order) -> None:
        known, event = self.scene.known, self.event
        if self.by.notices.has(known.id, event.number, reply_key(event.comment)):
            return  # it was obeyed and answered
        subject = order_subject(event.number, event.comment)
        self.by.outbox.keep(known, self.scene.settings, subject, (), orders=(order,), at_once=True)
        self._react(Reaction.THUMBS_UP)

    def _retire(self, subject: str) -> None:
        known, event = self.scene.known, self.event
        if self.by.notices.has(known.id, event.number, reply_key(event.comment)):
            return  # it was answered
        want = RetireSubject(subject, event.author.login, event.number, event.comment)
        self.by.note_wants.add(known.id, want, self.by.now())
        self._react(Reaction.THUMBS_UP)

    def _undo_account(self, login: str) -> None:
        account = self.scene.place.forge.account(login)
        if account is None:
            self._reply(talk.nobody(login))
        else:
            self._order(Undo(self.event.at, account=account.id))

    def _decide(self, identity: str, answer: Answer) -> None:
        known, author = self.scene.known, self.event.author
        record = self.by.questions.get(known.id, identity)
        if record is None:
            self._reply(talk.unknown_question(identity))
        elif answer not in record.question.answers:
            self._reply(talk.not_an_answer(record.question))
        else:
            reply, now = self.event.comment, self.by.now()
            decide(self.by.questions, self.scene, record.question, answer, author, now, reply)
            decided = self.by.questions.get(known.id, identity) or record
            self._reply(talk.decided(decided))
            self._react(Reaction.THUMBS_UP)

    # answers

    def _explain(self) -> None:
        if self.event.is_pull_request:
            self._reply(self.by.explaining.reviews(self.scene, self.event.number), "why")
        else:
            self._reply(talk.NOT_A_PULL_REQUEST, "why")

    def _refuse(self, reason: str) -> None:
        self._react(Reaction.CONFUSED)
        self._reply(talk.note_refused(reason))

    def _deny(self) -> None:
        log.warning(
            "repository %d #%d: comment %d by account %d is refused: no write access",
            self.scene.known.id, self.event.number, self.event.comment, self.event.author.id,
        )  # fmt: skip
        self._react(Reaction.CONFUSED)
        self._reply(talk.DENIED, "denied")

    def _reply(self, body: str, shared: str | None = None) -> None:
        """An answer of its own; to those who do not write here, one that all of them share."""
        key = shared if shared and not self.may else reply_key(self.event.comment)
        self.by.notices.say(self.scene.known.id, self.event.number, key, body, self.by.now())

    def _react(self, reaction: Reaction) -> None:
        try:
            self.scene.place.forge.react(self.event.comment, reaction)
        except UserError as error:  # a deleted comment, a missing permission: the rest goes on
            log.info("comment %d: no reaction: %s", self.event.comment, error)
