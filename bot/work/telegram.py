"""The Telegram feature: offers in a repository's chat, presses on them, and notes written there.

A question is the same wherever it is decided. The chat, its people and what they may do are read
from the default branch and from GitHub at each press; nobody else is heard.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot import telegram_text as words
from bot.channels import commands
from bot.channels.buttons import pressed
from bot.channels.notes import Note, offered, typed
from bot.channels.questions import (
    Answer,
    Decision,
    Kind,
    Question,
    Record,
    kept,
    may_decide,
    of_note,
)
from bot.distill.validate import Refused
from bot.errors import Fault, UserError
from bot.facts import Account
from bot.handover import ATTEMPTS, pause
from bot.inbox import Delivery, Inbox
from bot.telegram import Bot, Message, answer_callback_query, answer_message
from bot.work.chats import Chats, Posted
from bot.work.codec import Wanted
from bot.work.deciding import decide, permission
from bot.work.distilling import Distillers, distilled_note
from bot.work.feature import Scene
from bot.work.hearing import permits
from bot.work.memory import Known, Memory, Waiting
from bot.work.places import Place
from bot.work.questions import Questions
from bot.work.writing import Written
from bot.writes import Writes
from webhooks.events import ButtonPressed, Event, MessageSaid, Pushed, TelegramUpdated
from webhooks.telegram import TELEGRAM, Update

log = logging.getLogger(__name__)

Open = Callable[[Known], AbstractContextManager[Place]]

# `/lesson@the_bot owner/name TEXT`: Telegram appends the bot's name in a group.
_COMMAND = re.compile(r"(?P<command>/\w+)(?:@\w+)?(?:[ \t]+(?P<rest>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Receiving:
    """Takes updates within their own request: what belongs to a repository is stored for it."""

    bot: Bot
    memory: Memory
    inbox: Inbox
    chats: Chats
    now: Callable[[], datetime]

    def receive(self, number: int, update: Update, body: bytes) -> Mapping[str, object] | None:
        """Answers a press; the same update once more is answered alike and stored once."""
        guid = f"{TELEGRAM}:{number}"
        match update:
            case ButtonPressed():
                found = pressed(self.bot.secret("buttons"), update.data)
                known = self.memory.known(found.repository) if found is not None else None
                if known is None:
                    _refused(guid, update, "the button is not one of ours")
                    return answer_callback_query(update.query, words.NOT_OURS)
                self._store(guid, known, body)
                return answer_callback_query(update.query, words.RECEIVED)
            case MessageSaid() if update.text.startswith("/"):
                mine = self.chats.repositories(update.chat)
                known = named(update.text, self.memory.here())[0]
                if known is None and len(mine) == 1:
                    known = self.memory.known(mine[0])
                if known is not None:
                    self._store(guid, known, body)
                elif mine:
                    return answer_message(update.chat, words.WHICH)
                else:
                    _refused(guid, update, "no repository writes to that chat")
        return None

    def _store(self, guid: str, known: Known, body: bytes) -> None:
        now = self.now()
        self.inbox.store(
            Delivery(
                guid,
                TELEGRAM,
                body,
                now,
                now,
                repository=known.id,
                installation=known.installation,
            )
        )


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
            _refused(guid, press, "the button is not one of ours")
            return
        by = self._person(guid, press, scene)
        if by is None:
            return
        repository, record = scene.known.id, self.questions.get(scene.known.id, found.question)
        if record is None:
            _refused(guid, press, "nothing waits under that id")
            self._try(lambda: self._end(press.chat, press.message))
        elif found.answer not in record.question.answers:
            _refused(guid, press, "that is no answer to it")
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
            _refused(guid, update, "it is not the chat of that repository")
            return None  # a stranger learns nothing, not even that
        login = telegram.people.get(str(update.user))
        if login is None:
            _refused(guid, update, "the user is not listed in the settings")
            self._say(update, words.not_listed(update.user))
            return None
        account = scene.place.forge.account(login)
        if account is None or not may_decide(account, permission(scene, account), scene.settings):
            _refused(guid, update, "the account may not decide")
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


@dataclass(frozen=True, slots=True)
class ToldInChat:
    """Listens to `bot.work.committing`: each question's message is made to show what holds."""

    bot: Bot
    questions: Questions
    chats: Chats
    writes: Writes
    open: Open
    now: Callable[[], datetime]

    def landed(self, known: Known, written: Written, waiting: Sequence[Waiting]) -> None:
        """Nothing: the questions say what they came to."""

    def refused(self, known: Known, waiting: Sequence[Waiting], reason: str) -> None:
        """Nothing, as above."""

    def after(self, known: Known) -> None:
        try:
            self._show_all(known)
        except Fault as fault:
            log.warning("repository %d: its chat was not told: %s", known.id, fault)
        except UserError as error:
            log.info("repository %d: its chat cannot be told: %s", known.id, error)

    def _show_all(self, known: Known) -> None:
        posted = self.chats.of(known.id)
        pauses = [each.again_at for each in posted.values() if each.again_at is not None]
        if pauses and max(pauses) > self.now():
            self.writes.request(known.id, max(pauses))  # this job took the request for that time
            return
        records = self.questions.of_repository(known.id)
        due: list[tuple[Record, Message]] = []
        for record in records:
            shows = self._wanted(known, record, posted.get(record.question.id))
            if shows is not None:
                due.append((record, shows))
        strangers = [r for r, _ in due if r.question.id not in posted]
        chat = self._chat(known) if any(not words.began_here(r.question) for r in strangers) else 0
        for record, shows in due:
            question = record.question
            before = posted.get(question.id) or self._first(question, chat)
            if not self._show(known, before, shows, _message_of(question)):
                return
        for gone in posted.keys() - {record.question.id for record in records}:
            self._end(known, posted[gone])

    def _wanted(self, known: Known, record: Record, before: Posted | None) -> Message | None:
        """What its message has to be made to show; None: nothing, or it shows it already."""
        shows = words.message(self.bot.secret("buttons"), known.id, known.full_name, record)
        if shows is None or (before is not None and before.shows == _digest(shows)):
            return None
        sent = before is not None and before.message is not None
        if before is not None and before.chat == 0:
            return None
        if record.decision is not None and not sent and not words.began_here(record.question):
            return None  # it was decided elsewhere before the chat heard of it
        return shows

    def _chat(self, known: Known) -> int:
        with self.open(known) as place:
            settings = place.settings()
            if settings is None or not permits(settings, place.repository):
                return 0
        self.chats.serves(known.id, settings.telegram.chat)
        return settings.telegram.chat

    def _first(self, question: Question, chat: int) -> Posted:
        began = words.began_here(question)
        return Posted(question.id, _chat_of(question) if began else chat, None, "")

    def _show(self, known: Known, before: Posted, shows: Message, reply_to: int | None) -> bool:
        """Whether to go on: after a fault the rest waits for the next try."""
        if before.chat == 0:
            self.chats.keep(known.id, before, self.now())
            return True
        now_shown = replace(before, shows=_digest(shows), attempt=0, again_at=None)
        try:
            if before.message is None:
                sent = self.bot.send_message(before.chat, shows, reply_to)
                now_shown = replace(now_shown, message=sent)
            else:
                self.bot.edit_message_text(before.chat, before.message, shows)
        except UserError as error:  # a person has to mend it; the check run says the same
            log.warning("repository %d: %s", known.id, error)
        except Fault as fault:
            self._later(known, before, fault)
            return False
        self.chats.keep(known.id, now_shown, self.now())
        return True

    def _later(self, known: Known, before: Posted, fault: Fault) -> None:
        attempt, now = before.attempt + 1, self.now()
        log.warning("repository %d: its chat is told later: %s", known.id, fault)
        again_at = None
        if fault.retry and attempt < ATTEMPTS:
            again_at = now + pause(attempt, fault.retry_after, 0)
            self.writes.request(known.id, again_at)
        self.chats.keep(known.id, replace(before, attempt=attempt, again_at=again_at), now)

    def _end(self, known: Known, posted: Posted) -> None:
        if posted.message is not None:
            self.bot.edit_message_text(posted.chat, posted.message, Message(words.GONE))
        self.chats.forget(known.id, posted.question)


def named(text: str, known: Sequence[Known]) -> tuple[Known | None, str]:
    """The repository that a command names first, and the command without that and the bot's name.

    A path in front looks the same: only a repository of these is taken for one.
    """
    found = _COMMAND.fullmatch(text)
    if found is None:
        return None, text
    rest = found["rest"] or ""
    first, _, after = rest.partition(" ")
    for each in known:
        if each.full_name.casefold() == first.casefold():
            return each, f"{found['command']} {after}"
    return None, f"{found['command']} {rest}"


def _refused(guid: str, update: Update, why: str) -> None:
    log.warning("%s of Telegram user %d in chat %d is refused: %s",
                guid, update.user, update.chat, why)  # fmt: skip


def _source(said: MessageSaid) -> str:
    return f"{words.SOURCE}{said.chat}:{said.message}"


def _chat_of(question: Question) -> int:
    return int(question.source.split(":")[1])


def _message_of(question: Question) -> int | None:
    """The message that a note was written in, to answer it."""
    return int(question.source.split(":")[2]) if words.began_here(question) else None


def _digest(shows: Message) -> str:
    parts = [shows.text, *(f"{each.label}\t{each.data}" for each in shows.buttons)]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
