"""What of a commit is looked up, as pages of the index: notes, documents, rules, lessons.

Joins the git room and the search room: level-triggered, so that a push, a rebuild and a start after
downtime are one thing. Decides nothing; who may read is asked elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath

from bot.errors import UserError
from bot.git.clone import Clone, Kind
from bot.git.store import RULES, read_store
from bot.git.trust import distrust
from bot.lessons.document import Document as LessonsFile
from bot.lessons.history import History
from bot.lessons.retirement import expired
from bot.lessons.standing import parse as parse_standing
from bot.lessons.store import LESSONS, Snapshot
from bot.notes.folder import in_folder, pages
from bot.notes.note import printable, read_note
from bot.search.model import Document, Index
from bot.search.model import Kind as PageKind
from bot.settings import Settings

FORM = "2"  # of the pages made here; another one makes every page anew
READ_AT_ONCE = 500  # files

_HEADING = re.compile(r"^#{1,2}[ \t]+(\S.*)$", re.MULTILINE)
_FRONT = re.compile(r"\A---\r?\n.*?^---\r?\n", re.DOTALL | re.MULTILINE)

Told = Callable[[int, int], None]  # how many pages are read, of how many


@dataclass(frozen=True, slots=True)
class Brought:
    """What bringing the index up to a commit came to, in pages."""

    changed: int
    gone: int


def bring_up(
    index: Index,
    repository: int,
    clone: Clone,
    commit: str,
    settings: Settings,
    today: date,
    told: Told = lambda _done, _of: None,
) -> Brought:
    """Makes the index hold what `commit` holds, at the cost of what differs."""
    there = index.blobs(repository)
    files = _files(clone.blob_ids(commit), settings)
    lessons = _lessons(read_store(clone, commit, repository).snapshot, settings, today)
    stale = [path for path, blob in files.items() if there.get(printable(path)) != blob]
    kept = {*map(printable, files), *(page.path for page in lessons)}
    new = [page for page in lessons if there.get(page.path) != page.blob]
    for start in range(0, len(stale), READ_AT_ONCE):
        new += _read(clone, commit, stale[start : start + READ_AT_ONCE], files)
        told(min(start + READ_AT_ONCE, len(stale)), len(stale))
    unread = {*map(printable, stale)} - {page.path for page in new}
    gone = there.keys() - (kept - unread)
    index.put(repository, commit, clone.committer_date(commit), new, gone)
    return Brought(len(new), len(gone))


def pages_at(clone: Clone, commit: str, settings: Settings) -> int:
    """How many files of the commit are to be found."""
    return len(_files(clone.blob_ids(commit), settings))


def forget_prepared(index: Index, repository: int) -> None:
    """Drops what captures prepared that did not end; of what landed, the branch tells.

    To be called under the lock that captures hold.
    """
    for commit in index.prepared(repository):
        index.settle(repository, commit, landed=False)


def page_of(path: str, data: bytes, blob: str) -> Document:
    """One file as a page. A note that cannot be read as one is a document: still found."""
    text = data.decode("utf-8", "replace")
    if in_folder(path):
        try:
            note = read_note(path, data)
        except UserError:
            pass
        else:
            ends = [
                f"{name}: {value}."
                for name, value in (
                    ("Subject", note.subject),
                    ("Class", note.failure_class),
                    ("Job", note.job),
                )
                if value
            ]
            body = "\n\n".join(filter(None, [note.body, " ".join(ends)]))
            return _document(path, blob, PageKind(note.kind.value), note.title, body)
    kind = PageKind.RULE if path == RULES else PageKind.DOCUMENT
    body = _FRONT.sub("", text)
    heading = _HEADING.search(body)
    name = PurePosixPath(path).stem.replace("-", " ").replace("_", " ")
    return _document(path, blob, kind, _title(heading[1]) if heading else name, body)


def _title(heading: str) -> str:
    """Without the `#` that may close it, which a space comes before."""
    whole = heading.rstrip()
    bare = whole.rstrip("#")
    return bare.rstrip() if bare[-1:].isspace() else whole


def blob_of(file: str) -> str:
    """What stands for the content of a page made of the git blob `file`."""
    return f"{FORM}:{file}"


def _files(blobs: Mapping[str, str], settings: Settings) -> dict[str, str]:
    """Path to blob of every file that is a page; they need not be readable."""
    found = pages(blobs, settings.notes.index)
    rules = {RULES: blobs[RULES]} if RULES in blobs else {}
    return {
        path: blob_of(blob) for path, blob in {**found.documents, **found.notes, **rules}.items()
    }


def _read(
    clone: Clone, commit: str, paths: Sequence[str], blobs: Mapping[str, str]
) -> Iterator[Document]:
    """The pages among these files: a link, a pointer, what is no text is none."""
    for path, file in clone.read_many(commit, paths).items():
        if file.kind is Kind.REGULAR and distrust(file) is None:
            yield page_of(path, file.data, blobs[path])


def _lessons(snapshot: Snapshot, settings: Settings, today: date) -> list[Document]:
    """Every bullet and standing lesson, what left the file included."""
    history = History.read(snapshot.events)
    found: dict[str, Document] = {}
    for path, data in snapshot.standing.items():
        lesson = parse_standing(path, data)
        if lesson is not None:
            title, text = lesson.sentence, ""
            found[lesson.id] = _page(path, PageKind.STANDING, title, text, retired=False)
    for bullet in LessonsFile.parse(snapshot.lessons or b"", today).bullets:
        identity = bullet.id or hashlib.sha256(bullet.text.encode()).hexdigest()[:8]
        over = bullet.trailer is not None and expired(
            bullet.trailer.on, settings.store.expire, today
        )
        retired = not bullet.active or bool(over)
        page = _page(f"{LESSONS}#{identity}", PageKind.BULLET, bullet.text, "", retired=retired)
        found.setdefault(identity, page)
    for identity, signals in history.by_bullet.items():
        if identity not in found:  # evicted, demoted or revoked
            words = signals[0].row.sentence
            found[identity] = _page(
                f"{LESSONS}#{identity}", PageKind.BULLET, words, "", retired=True
            )
    return list(found.values())


def _page(path: str, kind: PageKind, title: str, text: str, *, retired: bool) -> Document:
    content = json.dumps([FORM, kind.value, title, text, retired])
    blob = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    return _document(path, blob, kind, title, text, retired=retired)


def _document(
    path: str, blob: str, kind: PageKind, title: str, text: str, *, retired: bool = False
) -> Document:
    return Document(printable(path), blob, kind, printable(title), printable(text), retired)
