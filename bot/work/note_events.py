"""The notes feature: what happens to the jobs, the subjects and the checklists of looked-up notes.

An event only says that there is something to look at; the write job reads how things are. Only who
ticked a box is known from the event alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.channels.questions import may_decide
from bot.forge.issues import marker
from bot.git.notes import read_notes
from bot.notes.note import Kind, Note, own_number
from bot.notes.subjects import KEY, newly_ticked
from bot.work.deciding import permission
from bot.work.feature import Scene
from bot.work.note_wants import DeleteNote, LookAtJob, LookAtSubjects, NoteWants
from webhooks.events import Event, IssueChanged, PullRequestChanged, Pushed

log = logging.getLogger(__name__)

OVER = frozenset({"closed", "reopened"})
_MARK = marker(KEY).partition(KEY)[0] + KEY


@dataclass(frozen=True, slots=True)
class NoteEvents:
    """Asks for nothing where no note is concerned, which is most of the time."""

    wants: NoteWants
    now: Callable[[], datetime]

    def wait(self, event: Event) -> timedelta | None:
        match event:
            case IssueChanged(action=action) | PullRequestChanged(action=action) if action in OVER:
                return timedelta(0)
            case IssueChanged(action="edited", body=body, body_before=str()) if _MARK in body:
                return timedelta(0)
            case Pushed(deleted=False, removes=True):
                return timedelta(0)
        return None

    def hear(self, event: Event, scene: Scene) -> None:
        match event:
            case Pushed(branch=branch) if branch == scene.place.repository.default_branch:
                if _notes(scene, Kind.LESSON):
                    self.wants.add(scene.known.id, LookAtSubjects(), self.now())
            case IssueChanged(action="edited"):
                self._ticked(event, scene)
            case IssueChanged(number=number) | PullRequestChanged(number=number):
                here = scene.place.repository.full_name
                notes = _notes(scene, Kind.CONTEXT, str(number))
                if any(note.job and own_number(note.job, here) == number for note in notes):
                    self.wants.add(scene.known.id, LookAtJob(number), self.now())

    def _ticked(self, event: IssueChanged, scene: Scene) -> None:
        sender, forge = event.origin.sender, scene.place.forge
        checklist = forge.own_issue(event.number, scene.place.us)
        if sender is None or checklist is None or not checklist.key.startswith(KEY):
            return
        ticked = newly_ticked(event.body_before or "", event.body, checklist.body)
        if ticked and not may_decide(sender, permission(scene, sender), scene.settings):
            log.warning(
                "repository %d #%d: ticks of account %d delete nothing: no write access",
                scene.known.id, event.number, sender.id,
            )  # fmt: skip
            return
        for path in sorted(ticked):
            self.wants.add(scene.known.id, DeleteNote(path, event.number), self.now())


def _notes(scene: Scene, kind: Kind, word: str = "") -> list[Note]:
    with scene.place.branch() as branch:
        return [*read_notes(branch.clone, branch.head(), (kind,), word).notes.values()]
