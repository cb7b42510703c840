"""The commit that ends notes: on the default branch, or proposed where nobody may push there.

Knows the forge and git through a place; what ends is decided by `bot.notes.lifespan` on each tip.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot.git.clone import Clone
from bot.git.notes import read_notes
from bot.git.store import Store
from bot.lessons import rows
from bot.lessons.rows import NoteRow
from bot.lessons.store import Edit
from bot.notes.lifespan import DELETED, Findings, endings, flags
from bot.notes.note import Kind, Note
from bot.notes_text import commit_message
from bot.settings import Settings
from bot.work.writing import Branch, Written, apply

ENDING = (Kind.CONTEXT, Kind.LESSON)


@dataclass(slots=True)
class NoteWrite:
    """One write of what ends; afterwards what it was decided on, and its commit if there is one."""

    findings: Findings
    now: datetime
    direct: bool = True
    signer: str | None = None
    notes: Mapping[str, Note] = field(default_factory=dict)
    ended: tuple[NoteRow, ...] = ()
    commit: str = ""

    def write(
        self,
        branch: Branch,
        *,
        repository: int = 0,
        owner_defaults: Mapping[str, object] | None = None,
    ) -> Written:
        """Raises what `bot.work.writing.apply` raises."""
        clone = branch.clone
        written = apply(
            branch,
            lambda store, settings: self._edit(clone, store, settings),
            self._say,
            repository=repository,
            owner_defaults=owner_defaults,
        )
        self.commit = written.commit or ""
        return written

    @property
    def left(self) -> tuple[Note, ...]:
        """The notes that are there after it."""
        gone = {row.path for row in self.ended if row.did == DELETED}
        return tuple(note for path, note in self.notes.items() if path not in gone)

    def deleted(self, cause: str) -> tuple[Note, ...]:
        """Those that it deleted for this cause."""
        rows_ = (row for row in self.ended if (row.did, row.cause) == (DELETED, cause))
        return tuple(self.notes[row.path] for row in rows_)

    def _edit(self, clone: Clone, store: Store, settings: Settings) -> Edit:
        self.notes = read_notes(clone, store.commit, ENDING).notes
        events = store.snapshot.events
        self.ended = endings(
            self.notes.values(),
            flags(rows.read(events)),
            self.findings,
            self.now,
            settings.notes.grace,
        )
        deleted = dict.fromkeys(row.path for row in self.ended if row.did == DELETED)
        changes = {**deleted, **rows.add(events, self.ended)}
        return Edit(changes, counts={}, rows=self.ended, readable=True)

    def _say(self, _: Edit, settings: Settings) -> str:
        return commit_message(
            self.ended, self.notes, settings.commit, direct=self.direct, signer=self.signer
        )
