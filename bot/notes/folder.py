"""What of a tree is looked up: the notes, and the documents that are searched where they are.

Pure: paths, blob ids and bytes in. Says what is wrong with a note and loses none of the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from pathspec import GitIgnoreSpec

from bot.errors import UserError
from bot.lessons.document import Document
from bot.lessons.front_matter import front_matter
from bot.notes.note import FOLDER, Note, read_note

_BELOW = f"{FOLDER}/"
_OURS = ".agent-corp/"  # bullets, standing lessons and rules are no documents
_CLASS = re.compile(r"\*\*(.+?)\*\*")


@dataclass(frozen=True, slots=True)
class Pages:
    """The files to look up at one commit, path to blob id."""

    notes: Mapping[str, str]
    documents: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Folder:
    """The notes of a tree by path; of each file that is none, what is wrong with it, with line and
    remedy.
    """

    notes: Mapping[str, Note]
    problems: tuple[UserError, ...]


def pages(blobs: Mapping[str, str], index: Sequence[str]) -> Pages:
    """What of a tree is looked up; `index` is the setting `notes.index`, globs from the root.

    `blobs` holds the blob id of every file of the tree by path.
    """
    documents = GitIgnoreSpec.from_lines(f"/{glob.removeprefix('/')}" for glob in index)
    return Pages(
        {path: blob for path, blob in blobs.items() if in_folder(path)},
        {
            path: blob
            for path, blob in blobs.items()
            if not path.startswith(_OURS) and documents.match_file(path)
        },
    )


def in_folder(path: str) -> bool:
    """Whether a file claims to be a note by where it stands; it may be none."""
    return path.startswith(_BELOW) and path.endswith(".md")


def read_folder(files: Mapping[str, bytes]) -> Folder:
    """The notes among `files`, path to bytes."""
    notes: dict[str, Note] = {}
    problems: list[UserError] = []
    for path in sorted(filter(in_folder, files)):
        try:
            notes[path] = read_note(path, files[path])
        except UserError as error:
            problems.append(error)
    return Folder(notes, tuple(problems))


def classes_of(rules: bytes | None) -> frozenset[str]:
    """The failure classes that rules.md names, `- **class**: sentence`."""
    bullets = Document.parse(rules or b"", date.max).bullets
    named = (_CLASS.match(each.text) for each in bullets if not each.struck)
    return frozenset(found[1] for found in named if found)


def unknown_classes(notes: Iterable[Note], classes: Collection[str]) -> tuple[UserError, ...]:
    """The notes whose class is none of `classes`; they are found all the same."""
    return tuple(
        UserError(
            f"The class `{each.failure_class}` is not in .agent-corp/rules.md.",
            remedy=f"Add `- **{each.failure_class}**: …` there, or name one that is.",
            file=each.path,
            line=front_matter(each.text).line("class") if each.text else None,
        )
        for each in notes
        if each.failure_class and each.failure_class not in classes
    )
