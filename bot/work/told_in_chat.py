"""Makes the message about each question show what holds, wherever it was decided.

Runs at the end of each write job, so that no two say one thing. What Telegram refuses for now is
said later and holds nothing else back.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot import telegram_text as words
from bot.channels.questions import (
    Question,
    Record,
)
from bot.errors import Fault, UserError
from bot.handover import ATTEMPTS, pause
from bot.telegram import Bot, Message
from bot.work.chats import Chats, Posted
from bot.work.hearing import permits
from bot.work.memory import Known, Waiting
from bot.work.questions import Questions
from bot.work.visit import Open
from bot.work.writing import Written
from bot.writes import Writes

log = logging.getLogger(__name__)


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

    def after(self, known: Known, opened: Open) -> None:
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


def _chat_of(question: Question) -> int:
    return int(question.source.split(":")[1])


def _message_of(question: Question) -> int | None:
    """The message that a note was written in, to answer it."""
    return int(question.source.split(":")[2]) if words.began_here(question) else None


def _digest(shows: Message) -> str:
    parts = [shows.text, *(f"{each.label}\t{each.data}" for each in shows.buttons)]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
