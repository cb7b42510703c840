"""Updates of Telegram within their own request: which repository each is about, and its answer.

What belongs to a repository is stored for it; who may do what is asked when it is worked on.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot import telegram_text as words
from bot.channels.buttons import pressed
from bot.delivery import Delivery
from bot.inbox import Inbox
from bot.telegram import Bot, answer_callback_query, answer_message
from bot.work.chats import Chats
from bot.work.memory import Known, Memory
from webhooks.events import ButtonPressed, MessageSaid
from webhooks.telegram import TELEGRAM, Update

log = logging.getLogger(__name__)

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
                    refused(guid, update, "the button is not one of ours")
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
                    refused(guid, update, "no repository writes to that chat")
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


def refused(guid: str, update: Update, why: str) -> None:
    log.warning("%s of Telegram user %d in chat %d is refused: %s",
                guid, update.user, update.chat, why)  # fmt: skip
