"""`sweep`: what time and deletions end, as far as the repository itself tells.

Whether an issue was opened again since, only the server asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot import notes_text
from bot.git.notes import read_notes
from bot.git.store import GitTree, Store, read_store
from bot.lessons import event_files
from bot.lessons.rows import NoteRow
from bot.lessons.store import Edit, sweep
from bot.notes.lifespan import as_flagged, endings, flags, is_asked
from bot.notes.note import Kind, Note
from bot.notes.subjects import is_about, named
from bot.settings import Settings
from bot.texts import commit_message, told
from bot.work.note_writes import ENDING, NoteWrite
from bot.work.writing import Branch, Written, apply, settings_of


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep came to: of the lessons, then of the notes.

    `lines` tell a person what was done, and what only people can end; a plan tells itself.
    """

    lessons: Written
    notes: Written
    lines: tuple[str, ...]

    @property
    def last(self) -> Written:
        return self.notes if self.notes.commit else self.lessons

    @property
    def writes(self) -> tuple[Written, ...]:
        """Those that committed something, or would."""
        return tuple(each for each in (self.lessons, self.notes) if each.plan)

    @property
    def details(self) -> tuple[str, ...]:
        return tuple(each.detail for each in (self.lessons, self.notes) if each.detail)

    def to_json(self) -> dict[str, object]:
        ended = len(self.notes.edit.rows)
        counts = {**self.lessons.edit.counts, **({"deleted": ended} if ended else {})}
        return {"counts": counts, "commit": self.last.commit}


def sweep_all(branch: Branch, now: datetime, *, dry_run: bool = False) -> Swept:
    """Expiry, bullets whose files moved or went, and notes whose grace is over: two commits.

    Raises what `apply` raises.
    """

    def decide(store: Store, settings: Settings) -> Edit:
        return sweep(store.snapshot, settings, now.date())

    def say(edit: Edit, settings: Settings) -> str:
        return commit_message(edit, settings.commit, direct=True)

    lessons = apply(branch, decide, say, dry_run=dry_run)
    head = branch.head()
    there = read_notes(branch.clone, head, ENDING).notes
    store = read_store(branch.clone, head, 0)
    flagged = flags(event_files.read(store.snapshot.events))
    settings = settings_of(store)

    def ends(notes: Mapping[str, Note], flagged: Mapping[str, NoteRow]) -> Sequence[NoteRow]:
        found = as_flagged(notes.values(), flagged)
        return endings(notes.values(), flagged, found, now, settings.notes.grace)

    write = NoteWrite(ends)
    notes = write.write(branch, dry_run=dry_run)
    lines = [told(change) for change in lessons.edit.told] if lessons.commit else []
    if notes.commit:
        lines += [notes_text.told(row, there.get(row.path)) for row in write.ended]
    if head is not None:
        stories = [note for note in there.values() if note.kind is Kind.LESSON]
        lines += _retired(GitTree(branch.clone, head), stories, flagged)
    return Swept(lessons, notes, tuple(lines))


def _retired(
    tree: GitTree, stories: Sequence[Note], flagged: Mapping[str, NoteRow]
) -> Iterator[str]:
    """Directories that are gone while stories are about them, unless a checklist asks already."""
    for subject in tree.gone(named(note.subject) for note in stories):
        about = [note for note in stories if is_about(note, subject)]
        if any(not is_asked(note, subject, flagged) for note in about):
            yield notes_text.may_be_retired(subject, len(about))
