"""A looked-up note: one Markdown file whose front matter says what it describes and so how it ends.

People edit the files at will: what we do not know is kept, what we cannot read is told. Pure.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TypeVar

from bot.errors import UserError
from bot.lessons.front_matter import FrontMatter, front_matter, quoted

FOLDER = ".agent-corp/notes"
LARGEST = 1024 * 1024  # bytes; as for every file of ours, a larger one is never read

_NAME = re.compile(rf"{re.escape(FOLDER)}/(?P<slug>[^/\\`\x00-\x1f\x7f\ud800-\udfff]{{1,120}})\.md")
_TITLE = re.compile(r"\A\s*#[ \t]+(?P<title>\S[^\r\n]*)(?:\r?\n|\Z)")
_JOB = re.compile(r"(?:(?P<repository>[\w.-]{1,39}/[\w.-]{1,100}))?#?(?P<number>[1-9][0-9]{0,9})")
_JOB_PAGE = re.compile(r"https?://[^/\s]+/([\w.-]+/[\w.-]+)/(?:issues|pull)/([1-9][0-9]{0,9})/?")
_SLUG_WORDS = 8
_Choice = TypeVar("_Choice", bound=enum.StrEnum)


class Kind(enum.StrEnum):
    """What a note is, and so when it ends: never, with its job, with its subject."""

    REFERENCE = "reference"
    CONTEXT = "context"
    LESSON = "lesson"


class Strength(enum.StrEnum):
    """How well the note is borne out: seen to happen or measured, or only heard or inferred."""

    STRONG = "strong"
    WEAK = "weak"


@dataclass(frozen=True, slots=True, order=True)
class Job:
    """The issue or pull request that a context note belongs to; `repository` is empty for this one,
    else its full name.
    """

    repository: str
    number: int

    def __str__(self) -> str:
        return f"{self.repository}#{self.number}"


@dataclass(frozen=True, slots=True)
class Note:
    """One note. `subject` is a directory or a name, `confirmed` a day in UTC (None: never).

    `body` is the text below the title. `text` is the file as it was read, empty for a new note.
    """

    slug: str
    kind: Kind
    title: str
    subject: str = ""
    job: Job | None = None
    failure_class: str = ""
    evidence: Strength = Strength.WEAK
    confirmed: date | None = None
    body: str = field(default="", repr=False)
    text: str = field(default="", repr=False, compare=False)

    @property
    def path(self) -> str:
        return f"{FOLDER}/{self.slug}.md"


def read_note(path: str, data: bytes) -> Note:
    """The note in a file. Raises UserError with file, line and remedy for one that is none."""
    name, shown = _NAME.fullmatch(path), printable(path)
    if shown != path:
        raise UserError("Its name is not UTF-8.", remedy="Rename the file.", file=shown)
    if name is None:
        remedy = f"A note is a file {FOLDER}/NAME.md, with no folder between."
        raise UserError("This is no place for a note.", remedy=remedy, file=path)
    try:
        front = front_matter(read_text(data))
        return _note(name["slug"], front)
    except UserError as error:
        raise UserError(error.message, remedy=error.remedy, file=path, line=error.line) from None


def print_note(note: Note) -> bytes:
    """The file's bytes: as it was read, or a new one's, which Prettier leaves as it is."""
    return (note.text or _new_text(note)).encode()


def confirmed(note: Note, on: date) -> Note:
    """The note re-dated, for it was used and found true; a date never goes back."""
    if note.confirmed is not None and note.confirmed >= on:
        return note
    front = front_matter(note.text or _new_text(note))
    return replace(note, confirmed=on, text=front.having("confirmed", on.isoformat()))


def is_note(path: str) -> bool:
    """Whether a path is that of a note, whatever the file holds."""
    return _NAME.fullmatch(path) is not None


def printable(text: str) -> str:
    """The name of a file need not be UTF-8: it is shown by its bytes, so that two stay two."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def slug_of(title: str) -> str:
    """A file's name after a title: a few plain words of it; `note` where it has none."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)[:_SLUG_WORDS]
    return "-".join(words)[:60].strip("-") or "note"


def job_of(text: str) -> Job | None:
    """The job that `12`, `#12`, `owner/repo#12` or the address of its page names."""
    text = text.strip()
    if page := _JOB_PAGE.fullmatch(text):
        return Job(page[1], int(page[2]))
    found = _JOB.fullmatch(text)
    if found is None or (found["repository"] and "#" not in text):
        return None
    return Job(found["repository"] or "", int(found["number"]))


def _new_text(note: Note) -> str:
    keys = {
        "kind": note.kind.value,
        "job": quoted(str(note.job)) if note.job else "",
        "subject": quoted(note.subject) if note.subject else "",
        "class": quoted(note.failure_class) if note.failure_class else "",
        "evidence": note.evidence.value,
        "confirmed": note.confirmed.isoformat() if note.confirmed else "",
    }
    lines = ["---", *(f"{key}: {value}" for key, value in keys.items() if value), "---", ""]
    lines.append(f"# {' '.join(note.title.split())}")
    body = "\n".join(line.rstrip() for line in note.body.splitlines()).strip("\n")
    return "\n".join([*lines, "", body] if body else lines) + "\n"


def own_number(job: Job, full_name: str) -> int | None:
    """The number of a job of the repository that the note stands in; None for another's."""
    ours = job.repository.casefold() in ("", full_name.casefold())
    return job.number if ours else None


def read_text(data: bytes) -> str:
    """A file as text. Raises UserError with its line for what is too large or is no UTF-8."""
    if len(data) > LARGEST:
        message = f"It has {len(data)} bytes, more than 1 MB."
        raise UserError(message, remedy="Keep what is worth finding, in several notes.", line=1)
    place = data.find(b"\0")
    if place >= 0:
        line = data.count(b"\n", 0, place) + 1
        raise UserError("It is binary.", remedy="A note is Markdown in UTF-8.", line=line)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError("It is not UTF-8.", remedy="Save it as UTF-8.", line=line) from None


def _note(slug: str, front: FrontMatter) -> Note:
    kind = _choice(front, "kind", Kind)
    if kind is None:
        remedy = f"Add `kind: …`: {_any_of(Kind)}."
        raise UserError("It has no `kind`.", remedy=remedy, line=front.line("kind"))
    title = _TITLE.match(front.body)
    return Note(
        slug=slug,
        kind=kind,
        title=title["title"].rstrip(" \t") if title else slug.replace("-", " "),
        subject=_subject(front, kind),
        job=_job(front, kind),
        failure_class=_line(front, "class"),
        evidence=_choice(front, "evidence", Strength) or Strength.WEAK,
        confirmed=_date(front, "confirmed"),
        body=(front.body[title.end() :] if title else front.body).strip("\r\n"),
        text=front.text,
    )


def _subject(front: FrontMatter, kind: Kind) -> str:
    subject = _line(front, "subject")
    if kind is Kind.LESSON and not subject:
        remedy = "Add `subject: …`, the directory or the name of what it is about."
        raise UserError("A lesson names its subject.", remedy=remedy, line=front.line("subject"))
    return subject


def _job(front: FrontMatter, kind: Kind) -> Job | None:
    # `job: #12` without quotes is a comment to YAML, and plain to everybody else.
    typed = _line(front, "job") or front.typed("job")
    job = job_of(typed)
    if job is None and (typed or kind is Kind.CONTEXT):
        message = f"`job` is `{typed[:60]}`." if typed else "A context note names its job."
        remedy = 'Write `job: "#12"`, the issue or pull request that it ends with.'
        raise UserError(message, remedy=remedy, line=front.line("job"))
    return job


def _choice(front: FrontMatter, key: str, choices: type[_Choice]) -> _Choice | None:
    typed = _line(front, key)
    try:
        return choices(typed) if typed else None
    except ValueError:
        remedy = f"It must be {_any_of(choices)}."
        if typed == "rule":
            remedy = "A rule stands in .agent-corp/rules.md; a note is one of the other kinds."
        message = f"`{key}` is `{typed[:60]}`."
        raise UserError(message, remedy=remedy, line=front.line(key)) from None


def _any_of(choices: type[enum.StrEnum]) -> str:
    *most, last = choices
    return f"{', '.join(most)} or {last}"


def _date(front: FrontMatter, key: str) -> date | None:
    value = front.values.get(key)
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    typed = _line(front, key)
    try:
        return date.fromisoformat(typed) if typed else None
    except ValueError:
        message = f"`{key}` is `{typed[:60]}`."
        remedy = "It must be a day, like 2026-11-05."
        raise UserError(message, remedy=remedy, line=front.line(key)) from None


def _line(front: FrontMatter, key: str) -> str:
    """The text of a key, on one line; empty where there is none."""
    value = front.values.get(key)
    if isinstance(value, dict | list):
        remedy = "It must be one line of text."
        raise UserError(f"`{key}` holds several values.", remedy=remedy, line=front.line(key))
    return "" if value is None else " ".join(str(value).split())
