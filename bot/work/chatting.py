"""The Telegram feature: presses in a repository's chat, and notes written there.

A question is the same wherever it is decided. The chat, its people and what they may do are read
from the default branch and from GitHub at each press; nobody else is heard.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot import telegram_text as words
from bot.channels import commands
from bot.channels.buttons import pressed
from bot.channels.notes import Note, offered, typed
from bot.channels.questions import (
    Answer,
    Decision,
    Kind,
    kept,
    may_decide,
    of_note,
)
from bot.distill.validate import Refused
from bot.errors import Fault, UserError
from bot.facts import Account
from bot.telegram import Bot, Message
from bot.work.accounts import account_of
from bot.work.chats import Chats
from bot.work.codec import Wanted
from bot.work.deciding import decide, permission
from bot.work.distilling import Distillers, distilled_note
from bot.work.feature import Scene
from bot.work.memory import Memory
from bot.work.questions import Questions
from bot.work.updates import named, refused
from bot.writes import Writes
from webhooks.events import ButtonPressed, Event, MessageSaid, Pushed, TelegramUpdated
from webhooks.telegram import Update

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Chatting:
    """What a press or a note in the chat does."""

    bot: Bot
    memory: Memory
    questions: Questions
    chats: Chats
    writes: Writes
    distillers: Distillers
    now: Callable[[], datetime]

    def wait(self, event: Event) -> timedelta | None:
        match event:
            case TelegramUpdated() | Pushed(touches_us=True):
                return timedelta(0)
        return None

    def hear(self, event: Event, scene: Scene) -> None:
        match event:
            case Pushed():  # the settings may name another chat now
                if self.chats.serves(scene.known.id, scene.settings.telegram.chat):
                    self.writes.request(scene.known.id, self.now())
            case TelegramUpdated(origin, ButtonPressed() as press):
                self._press(origin.guid, press, scene)
            case TelegramUpdated(origin, MessageSaid() as said):
                self._note(origin.guid, said, scene)

    def _press(self, guid: str, press: ButtonPressed, scene: Scene) -> None:
        found = pressed(self.bot.secret("buttons"), press.data)
        if found is None or found.repository != scene.known.id:
            refused(guid, press, "the button is not one of ours")
            return
        by = self._person(guid, press, scene)
        if by is None:
            return
        repository, record = scene.known.id, self.questions.get(scene.known.id, found.question)
        if record is None:
            refused(guid, press, "nothing waits under that id")
            self._try(lambda: self._end(press.chat, press.message))
        elif found.answer not in record.question.answers:
            refused(guid, press, "that is no answer to it")
        else:
            decide(self.questions, scene, record.question, found.answer, by, self.now())
            # The message that was pressed is the one to edit, though a crash left two of them.
            self.chats.stands(repository, found.question, press.chat, press.message)
            self.writes.request(repository, self.now())

    def _note(self, guid: str, said: MessageSaid, scene: Scene) -> None:
        text = named(said.text, [scene.known])[1]
        command = commands.parse(text, scene.settings.note_prefixes)
        if command is None:
            return
        by = self._person(guid, said, scene)
        if by is None:
            return
        characters, source = scene.settings.store.characters, _source(said)
        match command:
            case commands.KeepNote(text):
                note = typed(text, characters)
            case commands.OfferNote(text):
                found = distilled_note(
                    self.memory, self.distillers, scene, source, text, self.now()
                )
                note = offered(text, found, characters)
            case _:
                self._say(said, words.USAGE)
                return
        if isinstance(note, Refused):
            self._say(said, words.not_kept(note.reason))
        else:
            self._ask(note, source, by, said.at, scene)

    def _ask(self, note: Note, source: str, by: Account, at: datetime, scene: Scene) -> None:
        repository = scene.known.id
        question = of_note(
            repository,
            note.kind,
            source,
            by,
            at,
            number=0,
            pull=None,
            lesson=note.lesson,
            why=note.why,
            excerpt=note.excerpt,
        )
        if note.kind is Kind.NOTE:
            decision = Decision(Answer.KEEP, by.login, at)
            wanted = Wanted(evidence=kept(question, by, at))
            self.questions.keep(repository, question, None, decision, wanted, self.now())
        else:
            self.questions.add(repository, question, self.now())

    def _person(self, guid: str, update: Update, scene: Scene) -> Account | None:
        """Who that is on GitHub, if they may decide in this repository at this moment."""
        telegram = scene.settings.telegram
        if update.chat != telegram.chat:
            refused(guid, update, "it is not the chat of that repository")
            return None  # a stranger learns nothing, not even that
        login = telegram.people.get(str(update.user))
        if login is None:
            refused(guid, update, "the user is not listed in the settings")
            self._say(update, words.not_listed(update.user))
            return None
        account = account_of(scene.place.forge, login)
        if account is None or not may_decide(account, permission(scene, account), scene.settings):
            refused(guid, update, "the account may not decide")
            self._say(update, words.DENIED)
            return None
        return account

    def _end(self, chat: int, message: int) -> None:
        self.bot.edit_message_text(chat, message, Message(words.GONE))

    def _say(self, update: Update, text: str) -> None:
        answered = Message(text)
        self._try(lambda: self.bot.send_message(update.chat, answered, reply_to=update.message))

    def _try(self, say: Callable[[], object]) -> None:
        """What is only courtesy is said once: it must not make the work run again."""
        try:
            say()
        except (Fault, UserError) as error:
            log.warning("Telegram was not told: %s", error)


def _source(said: MessageSaid) -> str:
    return f"{words.SOURCE}{said.chat}:{said.message}"
