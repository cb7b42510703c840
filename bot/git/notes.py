"""The looked-up notes as they stand in a commit.

Translates between git and the domain; a file that is no note is told of and loses no other.
"""

from __future__ import annotations

from collections.abc import Collection

from bot.errors import UserError
from bot.git.clone import Clone, File, Kind
from bot.git.trust import distrust
from bot.notes import note
from bot.notes.folder import Folder, in_folder, read_folder


def read_notes(
    clone: Clone,
    commit: str | None,
    kinds: Collection[note.Kind] = tuple(note.Kind),
    word: str = "",
) -> Folder:
    """Those of these kinds that hold a word; problems are of files that could have been one."""
    if commit is None:
        return Folder({}, ())
    found = clone.read_many(commit, [], folders=(note.FOLDER,))
    texts, problems = {}, []
    for path, file in found.items():
        if not in_folder(path) or (file.data and not _may_be(file.data, kinds, word)):
            continue
        reason = distrust(file)
        if reason is None:
            texts[path] = file.data
        else:
            problems.append(_problem(file, reason))
    read = read_folder(texts)
    kept = {path: each for path, each in read.notes.items() if each.kind in kinds}
    return Folder(kept, (*read.problems, *problems))


def _may_be(data: bytes, kinds: Collection[note.Kind], word: str) -> bool:
    """Whether it is worth a look: to read ten thousand front matters takes seconds."""
    named = len(kinds) == len(note.Kind) or any(kind.encode() in data for kind in kinds)
    return named and word.encode() in data


def _problem(file: File, reason: str) -> UserError:
    remedy = "A note is one Markdown file in UTF-8 of at most 1 MB."
    if file.kind is Kind.DIRECTORY:
        remedy = f"Notes stand directly in {note.FOLDER}."
    return UserError(f"It {reason}.", remedy=remedy, file=file.path)
