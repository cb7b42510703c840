"""What the bot says in Telegram: offers with their buttons, and what came of them. Pure.

Everything printed is redacted and acts on nothing, as on GitHub.
"""

from __future__ import annotations

from bot.channels.buttons import data_of
from bot.channels.questions import Answer, Kind, Question, Record
from bot.talk import decided, quoted
from bot.telegram import Button, Message

OFFERED = (Kind.OFFERED, Kind.PROPOSED)  # what is held or contradicts itself is read on GitHub
SOURCE = "telegram:"  # then the chat and the message, of notes that began there

RECEIVED = "Received. The message will say what came of it."
NOT_OURS = "That button is not one of mine."
GONE = "This does not wait any more: it was withdrawn, or is older than 14 days."
USAGE = "Here I know /lesson TEXT and /revise TEXT, with owner/name before the text if need be."
WHICH = "Which repository is it about? Write its owner/name before the text: /lesson owner/name …"
DENIED = "That takes write access to the repository, and a person: accounts of agents only offer."

_LABELS = {Answer.KEEP: "Keep as lesson", Answer.DISCARD: "Discard"}


def began_here(question: Question) -> bool:
    return question.source.startswith(SOURCE)


def message(key: bytes, repository: int, full_name: str, record: Record) -> Message | None:
    """What the chat shows of a question at present; None where it is nothing for the chat."""
    question, decision = record.question, record.decision
    if decision is not None:
        if question.kind is Kind.NOTE and not (decision.commit or decision.outcome):
            return None  # its writer sees it there: there is nothing to say before it is kept
        return Message(f"{_place(full_name, question)}\n\n{decided(record)}")
    if question.kind not in OFFERED and not began_here(question):
        return None
    by = f" from {quoted(f'@{question.by.login}')}" if question.by is not None else ""
    parts = [f"{_place(full_name, question)}: {question.kind}{by}"]
    if question.kind is Kind.QUARANTINED:
        parts.append(f"{quoted(question.why)} It says: “{quoted(question.excerpt)}”")
    elif question.excerpt:
        parts.append(f"Its reason: “{quoted(question.excerpt)}”")
    if question.lesson is not None:
        parts.append(quoted(question.lesson.sentence))
    buttons = tuple(
        Button(_LABELS[each], data_of(key, repository, question.id, each))
        for each in question.answers
        if each in _LABELS
    )
    return Message("\n\n".join(parts), buttons)


def not_listed(user: int) -> str:
    return f"Telegram user {user} is not listed under `telegram: people` in the settings."


def not_kept(reason: str) -> str:
    return f"I did not keep it. {quoted(reason)} Say it in one plain sentence of its own."


def _place(full_name: str, question: Question) -> str:
    return f"{full_name} #{question.number}" if question.number else full_name
