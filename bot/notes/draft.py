"""What somebody wants kept, as a new note: validated, named after its title and its content. Pure.

The same text gives the same name, so to save it again finds it there.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from datetime import date

from bot.errors import UserError
from bot.lessons.front_matter import front_matter, quoted
from bot.lessons.rows import shortened
from bot.notes.note import FOLDER, Kind, Note, confirmed, read_note, slug_of

TITLE = 80  # characters of a title that is made of a text's first line
UNTITLED = "Note"  # of a text whose first line has no word
_MARK = 8  # hex digits; a name that nothing else has is what the note is found by

_PLAIN = ("kind", "evidence")  # one of a few words each
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n")
_HEADING = re.compile(r"\A\s*#[ \t]+\S")


@dataclass(frozen=True, slots=True)
class Given:
    """A text, Markdown with or without front matter, and keys that go before its own.

    Empty: not given. `failure_class` is the key `class`.
    """

    text: str
    kind: str = ""
    title: str = ""
    subject: str = ""
    job: str = ""
    failure_class: str = ""
    evidence: str = ""

    @property
    def keys(self) -> dict[str, str]:
        """Those of the front matter that were given, in its order, as YAML."""
        every = {
            "kind": self.kind,
            "job": self.job,
            "subject": self.subject,
            "class": self.failure_class,
            "evidence": self.evidence,
        }
        said = {key: " ".join(value.split()) for key, value in every.items()}
        return {
            key: value if key in _PLAIN else quoted(value) for key, value in said.items() if value
        }


def drafted(given: Given, today: date) -> Note:
    """The note, confirmed today unless it says a day. Raises UserError with line and remedy."""
    if any(0xD800 <= ord(character) < 0xE000 for character in given.text + given.title):
        raise UserError("It holds half a character.", remedy="A note is Markdown in UTF-8.")
    begun = bool(_FRONT.match(given.text))
    text = _titled(given) if begun else _whole(given)
    try:
        note = read_note(f"{FOLDER}/draft.md", text.encode())
    except UserError as error:
        line = error.line if begun else None
        raise UserError(error.message, remedy=error.remedy, line=line) from None
    mark = hashlib.sha256(text.encode()).hexdigest()[:_MARK]
    named = replace(note, slug=f"{slug_of(note.title)}-{mark}")
    return named if named.confirmed else confirmed(named, today)


def _whole(given: Given) -> str:
    """The text below empty front matter and a title; its lines end as everywhere here."""
    body = given.text.removeprefix("\ufeff").replace("\r\n", "\n").strip("\n")
    if not body.strip():
        raise UserError("There is nothing in it.", remedy="Say what shall be found later.")
    if not given.kind:
        raise UserError("It has no kind.", remedy=f"Give one of {', '.join(Kind)}.")
    keys = "".join(f"{key}: {value}\n" for key, value in given.keys.items())
    return f"---\n{keys}---\n\n{_heading(given.title, body)}{body.rstrip()}\n"


def _titled(given: Given) -> str:
    front = front_matter(given.text)
    for key, value in given.keys.items():
        front = front_matter(front.having(key, value))
    heading = _heading(given.title, front.body)
    if not front.body.strip() and not given.title.strip():
        raise UserError("There is nothing below its front matter.", remedy="Say what to find.")
    text = front.text[: len(front.text) - len(front.body)] + heading + front.body
    return text if text.endswith("\n") else f"{text}\n"


def _heading(title: str, body: str) -> str:
    """A title where the text has none."""
    if _HEADING.match(body):
        return ""
    first = " ".join(next(filter(str.strip, body.splitlines()), "").lstrip("#>-* ").split())
    said = " ".join(title.split()) or shortened(first.rstrip(".:"), TITLE).strip() or UNTITLED
    return f"# {said}\n\n"
