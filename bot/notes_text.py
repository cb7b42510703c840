"""The words about looked-up notes: in commits, on the jobs they end with, in their checklists.

Pure. Titles of notes are somebody's words: redacted, and acting on nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.errors import UserError
from bot.lessons.rows import NoteRow
from bot.notes.note import Kind, Note
from bot.settings import CommitStyle
from bot.talk import COMMIT, many, quoted
from bot.texts import FilesReport, message

PREFIX = "docs(notes)"
_DID = ("captured", "confirmed", "flagged", "rescued", "deleted")


def commit_message(
    rows: Sequence[NoteRow],
    notes: Mapping[str, Note],
    style: CommitStyle,
    *,
    direct: bool,
    signer: str | None = None,
) -> str:
    """`docs(notes): 1 flagged, 2 deleted`; the body says which and why."""
    lines = [told(row, notes.get(row.path)) for row in rows]
    return message(subject(rows), lines, (), style, direct=direct, signer=signer)


def subject(rows: Sequence[NoteRow]) -> str:
    """Of a commit, and the title of a pull request."""
    did = Counter(row.did for row in rows)
    return f"{PREFIX}: {', '.join(f'{did[each]} {each}' for each in _DID if did[each])}"


def proposal(rows: Sequence[NoteRow], notes: Mapping[str, Note]) -> str:
    """The body of the pull request that deletes notes."""
    listed = "\n".join(f"- {_ended(row, notes.get(row.path))}" for row in rows)
    return (
        f"What these notes are about is over:\n\n{listed}\n\n"
        "Merging deletes them. Closed unmerged, these are not proposed again."
    )


def captured_title(count: int) -> str:
    """Of the pull request that brings notes."""
    return f"{PREFIX}: {count} captured"


def captured_body(paths: Sequence[str]) -> str:
    listed = "\n".join(f"- `{path}`" for path in paths)
    return (
        f"Sessions wrote these notes, to be found by search:\n\n{listed}\n\n"
        "Merging keeps them; they can be edited here first. Closed unmerged, these are not"
        " proposed again."
    )


def told(row: NoteRow, note: Note | None) -> str:
    """What became of one note, and why."""
    return f"{row.did.capitalize()} {_ended(row, note)}"


def _ended(row: NoteRow, note: Note | None) -> str:
    title = f" ({quoted(note.title)})" if note else ""
    story, cause = note is not None and note.kind is Kind.LESSON, quoted(row.cause or "")
    because = {
        "flagged": f": its subject {cause} is retired" if story else f": {cause} was closed",
        "rescued": ": its job is open again",
        "deleted": f": ticked in {cause}" if story else f": {cause} was closed",
    }.get(row.did, "")
    return f"{quoted(row.path)}{title}{because}"


# --- on the issue or pull request that context notes end with ---------------------------------


def closed(notes: Sequence[Note], until: datetime) -> str:
    """The rescue notice."""
    end, them, are = ("ends", "it", "It is") if len(notes) == 1 else ("end", "them", "They are")
    return (
        f"{many(len(notes), 'note')} {end} with this:\n\n{_list(notes)}\n\n"
        f"Does anything in {them} deserve to become a lesson? Then say it here: `/lesson TEXT`."
        f" {are} deleted after {until.date()}, unless this is open again by then."
    )


def reopened(notes: Sequence[Note]) -> str:
    return f"This is open again, so these notes stay:\n\n{_list(notes)}"


def deleted(notes: Sequence[Note], commit: str) -> str:
    return (
        f"Deleted in {commit[:COMMIT]}, for what they were about is over:\n\n{_list(notes)}\n\n"
        f"`git show {commit[:COMMIT]}^:PATH` still prints each."
    )


# --- the checklist of a subject -----------------------------------------------------------------


def checklist_title(subject: str) -> str:
    return f"Which notes end with {quoted(subject)}?"


def checklist(subject: str, notes: Sequence[Note], why: str) -> str:
    """`why` is a whole sentence."""
    boxes = "\n".join(box(note) for note in notes)
    return (
        f"{why} These notes are about {_code(subject)}. Tick those that nobody needs any more: "
        "whoever may write here can, and each ticked note is deleted at once. "
        "What is not ticked stays; close this when you are done.\n\n"
        f"{boxes}"
    )


def box(note: Note) -> str:
    return f"- [ ] `{note.path}`: {quoted(note.title)}"


def directory_gone(subject: str) -> str:
    return f"The directory {_code(subject)} is no longer on the default branch."


def subject_retired(login: str, subject: str) -> str:
    return f"{quoted(f'@{login}')} says that {_code(subject)} is retired."


def listed_in(number: int, count: int) -> str:
    """The answer to `/lessons subject-retired`. The number is meant as a link."""
    return f"#{number} lists {many(count, 'note')} about it. A ticked note is deleted."


def nothing_names(subject: str) -> str:
    return (
        f"No story names {_code(subject)} as its subject, so nothing ends with it."
        " A subject is written as in the note's front matter."
    )


def may_be_retired(subject: str, count: int) -> str:
    """On a terminal, where no checklist can be opened."""
    are = "note is" if count == 1 else "notes are"
    return (
        f"{quoted(subject)} is gone, and {count} {are} about it. Comment"
        f" `/lessons subject-retired {quoted(subject)}` on any issue to choose which end."
    )


BROKE = "it was tried for as long as that helps. Ask once more."


def refused(reason: str) -> str:
    return f"The notes could not be changed: {quoted(reason)}"


def proposed_in(number: int) -> str:
    return f"Commits go through pull requests here: #{number} deletes what is ticked."


SHOWN = 50  # problems in one check run: more than anyone mends in one go


def problems_report(found: Sequence[UserError]) -> FilesReport:
    """What is wrong with notes, each problem with file, line and remedy."""
    lines = [f"- {quoted(str(each))}" for each in found[:SHOWN]]
    if len(found) > SHOWN:
        lines.append(f"- {len(found) - SHOWN} more.")
    return FilesReport(
        f"{many(len(found), 'note')} to mend",
        "A note that cannot be read is not found by search; everything else goes on.",
        "\n".join(lines),
    )


def _list(notes: Sequence[Note]) -> str:
    return "\n".join(f"- `{note.path}`: {quoted(note.title)}" for note in notes)


def _code(text: str) -> str:
    """A subject as a code span, whatever it holds."""
    return f"`{quoted(text).replace('`', '')}`"
