"""What a conversation comment tells the bot to do. Pure text: who wrote it is not asked here.

A command opens a line of the comment's own prose: not in a quote, a list, code or an HTML comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt

from bot.channels.questions import Answer


@dataclass(frozen=True, slots=True)
class KeepNote:
    """`/lesson TEXT`: the rest of its paragraph, on one line."""

    text: str


@dataclass(frozen=True, slots=True)
class OfferNote:
    """`/revise TEXT`: all that follows in the comment, as typed."""

    text: str


@dataclass(frozen=True, slots=True)
class ListLessons:
    """`/lessons`"""


@dataclass(frozen=True, slots=True)
class ExplainReviews:
    """`/lessons why`"""


@dataclass(frozen=True, slots=True)
class RetireBullet:
    """`/lessons retire ID`"""

    bullet: str


@dataclass(frozen=True, slots=True)
class UndoPullRequest:
    """`/lessons undo #PR`"""

    number: int


@dataclass(frozen=True, slots=True)
class UndoAccount:
    """`/lessons undo @author`"""

    login: str


@dataclass(frozen=True, slots=True)
class Decide:
    """`/lessons keep ID` (of a conflict: `keep ID a`, `b` or `same`), `/lessons discard ID`."""

    question: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class SubjectRetired:
    """`/lessons subject-retired NAME`"""

    subject: str


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """It begins like one of ours and goes on like none."""


Command = (
    KeepNote
    | OfferNote
    | ListLessons
    | ExplainReviews
    | RetireBullet
    | UndoPullRequest
    | UndoAccount
    | Decide
    | SubjectRetired
    | NotUnderstood
)

_MARKDOWN = MarkdownIt("commonmark").disable("inline")  # anybody may comment: blocks are cheap
_BULLET = r"`?(?P<bullet>[0-9a-f]{8})`?"
_QUESTION = r"`?(?P<question>[0-9a-f]{12})`?"
_FORMS = tuple(
    re.compile(form + r"[.!]?", re.IGNORECASE)
    for form in (
        r"",
        r"(?:list)",
        r"(?P<why>why)\??",
        rf"retire\s+{_BULLET}",
        r"undo\s+#?(?P<number>[1-9][0-9]{0,9})",
        r"undo\s+@(?P<login>[a-z0-9][a-z0-9_-]{0,99}(?:\[bot\])?)",
        rf"keep\s+{_QUESTION}(?:\s+(?P<side>a|b|same))?",
        rf"(?P<discard>discard)\s+{_QUESTION}",
        r"subject-retired\s+(?P<subject>\S.{0,199}?)",
    )
)


def parse(body: str, note_prefixes: Sequence[str] = ()) -> Command | None:
    """The first command of a comment; None where there is none. Letter case means nothing."""
    body = body.replace("\r\n", "\n").replace("\r", "\n")
    source = body.split("\n")
    for first, paragraph in _paragraphs(body):
        for number, line in enumerate(paragraph):
            rest = _after(line, "/lessons")
            if rest is not None:
                return _lessons(rest)
            rest = _after(line, "/lesson")
            if rest is not None:
                return KeepNote(" ".join(" ".join([rest, *paragraph[number + 1 :]]).split()))
            for prefix in note_prefixes:
                rest = _after(line, prefix)
                if rest is not None:
                    return OfferNote("\n".join([rest, *source[first + number + 1 :]]).strip())
    return None


def _paragraphs(body: str) -> list[tuple[int, list[str]]]:
    """The comment's own paragraphs: the line each begins on, and its lines without indents."""
    tokens = _MARKDOWN.parse(body)
    return [
        (opening.map[0], [line.strip() for line in inline.content.split("\n")])
        for opening, inline in pairwise(tokens)
        if opening.type == "paragraph_open" and opening.level == 0 and opening.map is not None
    ]


def _after(line: str, word: str) -> str | None:
    """What follows `word` on a line that begins with it; a colon may stand between."""
    if not line.casefold().startswith(word.casefold()):
        return None
    rest = line[len(word) :]
    if rest and not (rest[0].isspace() or rest[0] == ":"):
        return None
    return rest.removeprefix(":").strip()


def _lessons(rest: str) -> Command:
    found = next((match for form in _FORMS if (match := form.fullmatch(rest))), None)
    if found is None:
        return NotUnderstood()
    match {name: text for name, text in found.groupdict().items() if text}:
        case {"why": _}:
            return ExplainReviews()
        case {"bullet": bullet}:
            return RetireBullet(bullet.lower())
        case {"number": number}:
            return UndoPullRequest(int(number))
        case {"login": login}:
            return UndoAccount(login)
        case {"subject": subject}:
            return SubjectRetired(subject)
        case {"discard": _, "question": question}:
            return Decide(question.lower(), Answer.DISCARD)
        case {"question": question, "side": side}:
            return Decide(question.lower(), Answer(side.lower()))
        case {"question": question}:
            return Decide(question.lower(), Answer.KEEP)
    return ListLessons()
