"""What is wrong with notes, for the check run on our own files: they are left out of every answer.

Reads a commit through a clone or the forge; says nothing by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from bot.errors import UserError
from bot.forge.protocol import Forge
from bot.git.clone import Clone
from bot.git.notes import read_notes
from bot.git.store import RULES
from bot.lessons.front_matter import front_matter
from bot.notes.folder import classes_of, in_folder, read_folder, unknown_classes
from bot.notes.note import Note, own_number
from bot.notes_text import problems_report
from bot.texts import FilesReport

MOST = 50  # notes of one pull request that are read for it: one request each


def problems_at(clone: Clone, commit: str) -> tuple[UserError, ...]:
    """Of all notes of a commit: those that cannot be read, and those of an unknown class."""
    folder = read_notes(clone, commit)
    classes = classes_of(clone.read(commit, RULES).data)
    return (*folder.problems, *unknown_classes(folder.notes.values(), classes))


def proposed(forge: Forge, touched: Collection[str], head: str) -> FilesReport | None:
    """About the notes that a pull request touches, as they are at its head."""
    paths = sorted(path for path in touched if in_folder(path))[:MOST]
    contents = {path: forge.content(path, head) for path in paths}
    folder = read_folder({path: data for path, data in contents.items() if data is not None})
    found = [*folder.problems, *_without_a_job(forge, folder.notes.values())]
    if any(note.failure_class for note in folder.notes.values()):
        classes = classes_of(forge.content(RULES, head))
        found += unknown_classes(folder.notes.values(), classes)
    return problems_report(found) if found else None


def _without_a_job(forge: Forge, notes: Iterable[Note]) -> Iterator[UserError]:
    here = forge.repository().full_name
    for note in notes:
        number = own_number(note.job, here) if note.job is not None else None
        if number is not None and forge.job_state(number) is None:
            yield UserError(
                f"It names #{number}, and there is no such issue or pull request here.",
                remedy="Name one that there is: the note ends with it.",
                file=note.path,
                line=front_matter(note.text).line("job"),
            )


def standing(clone: Clone, commit: str) -> FilesReport | None:
    """About the notes on the default branch."""
    found = problems_at(clone, commit)
    return problems_report(found) if found else None
