"""The commit that ends notes: on the default branch, or proposed where nobody may push there.

Knows the forge and git through a place; what ends is decided by `bot.notes.lifespan` on each tip.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.git.clone import Clone
from bot.git.notes import read_notes
from bot.git.store import Store
from bot.lessons import event_files
from bot.lessons.belonging import recorded
from bot.lessons.rows import NoteRow
from bot.lessons.store import Edit
from bot.notes.lifespan import DELETED, flags
from bot.notes.note import Kind, Note
from bot.notes_text import commit_message
from bot.settings import Settings
from bot.work.writing import Branch, Written, apply

ENDING = (Kind.CONTEXT, Kind.LESSON)


Decide = Callable[[Mapping[str, Note], Mapping[str, NoteRow]], Sequence[NoteRow]]


@dataclass(slots=True)
class NoteWrite:
    """One write of what ends; afterwards what it was decided on, and its commit if there is one.

    `decide` gives the rows of what becomes of the notes on a tip, given them and their flags;
    `flagged` are the flags afterwards.
    """

    decide: Decide
    signer: str | None = None
    direct: bool = True
    notes: Mapping[str, Note] = field(default_factory=dict)
    flagged: Mapping[str, NoteRow] = field(default_factory=dict)
    ended: Sequence[NoteRow] = ()
    commit: str = ""

    def write(
        self,
        branch: Branch,
        *,
        repository: int = 0,
        owner_defaults: Mapping[str, object] | None = None,
        dry_run: bool = False,
    ) -> Written:
        """Raises what `bot.work.writing.apply` raises."""
        clone = branch.clone
        written = apply(
            branch,
            lambda store, _: self.edit(clone, store),
            self._say,
            repository=repository,
            owner_defaults=owner_defaults,
            dry_run=dry_run,
        )
        self.commit = written.commit or ""
        return written

    def edit(self, clone: Clone, store: Store) -> Edit:
        """What ends in the commit of the store."""
        self.notes = read_notes(clone, store.commit, ENDING).notes
        events = store.snapshot.events
        self.ended = tuple(self.decide(self.notes, flags(event_files.read(events))))
        deleted = dict.fromkeys(row.path for row in self.ended if row.did == DELETED)
        added = recorded(store.snapshot, self.ended) if self.ended else {}
        self.flagged = flags(event_files.read({**events, **added}))
        changes = {**deleted, **added}
        return Edit(changes, counts={}, rows=self.ended, readable=True)

    @property
    def left(self) -> tuple[Note, ...]:
        """The notes that are there after it."""
        gone = {row.path for row in self.ended if row.did == DELETED}
        return tuple(note for path, note in self.notes.items() if path not in gone)

    def deleted(self, cause: str | None = None) -> tuple[Note, ...]:
        """Those that it deleted, for this cause or for any."""
        gone = (row for row in self.ended if row.did == DELETED and cause in (None, row.cause))
        return tuple(self.notes[row.path] for row in gone)

    def _say(self, _: Edit, settings: Settings) -> str:
        return commit_message(
            self.ended, self.notes, settings.commit, direct=self.direct, signer=self.signer
        )
