"""What `/lessons` and `/lessons why` answer: the store and the reviews as they stand now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot import talk
from bot.channels.questions import Record
from bot.channels.review import Judged, Told
from bot.git.store import Store, read_store
from bot.lessons.block import bullets_of
from bot.lessons.document import Document
from bot.lessons.history import History
from bot.work.feature import Scene
from bot.work.questions import Questions
from bot.work.reviewing import Reviews


@dataclass(frozen=True, slots=True)
class Explaining:
    reviewing: Reviews
    questions: Questions
    now: Callable[[], datetime]

    def lessons(self, scene: Scene) -> str:
        """The active bullets, newest first."""
        store = _store(scene)
        today = self.now().date()
        document = Document.parse(store.snapshot.lessons or b"", today)
        history = History.read(store.snapshot.events, scene.known.id)
        found = bullets_of(document, history, scene.settings.store.expire, today)
        return talk.lessons_list(
            [(i.id, i.text, f"{i.ref}, {i.on}" if i.ref else "by hand") for i in found]
        )

    def reviews(self, scene: Scene, number: int) -> str:
        """What each review of a pull request came to, and why."""
        judged = self.reviewing.read(scene, number)
        history = History.read(_store(scene).snapshot.events, scene.known.id)
        records = self.questions.of(scene.known.id, number)
        return talk.reviews_explained(
            [
                (told.by.login, told.standing.reason, _came(told, judged, history, records))
                for told in judged.told
            ]
        )


def _store(scene: Scene) -> Store:
    with scene.place.branch() as branch:
        return read_store(branch.clone, branch.head(), scene.known.id)


def _came(told: Told, judged: Judged, history: History, records: Sequence[Record]) -> list[str]:
    """What the findings of one review came to, in words."""
    prefix = f"review:{told.review}@"
    came = []
    for signal in (*history.signals, *history.seen):
        row = signal.row
        if not row.source.startswith(prefix):
            continue
        if row.bullet is None and row.source in history.applied:
            continue  # met again meanwhile: the signal tells
        invalid = history.invalid.get(signal.id)
        came.append(
            talk.finding_came(row.sentence, row.did, row.bullet, invalid.why if invalid else None)
        )
    mine = [record for record in records if record.question.source.startswith(prefix)]
    came += [talk.finding_waits(record) for record in mine]
    found = told.distilled
    if found is not None:
        known = {s.row.sentence for s in (*history.signals, *history.seen)}
        quoting = {
            each.lesson.sentence: each.recall
            for each in judged.evidence
            if each.source.startswith(prefix)
            and each.recall is not None
            and each.source not in history.applied
        }
        came += [talk.finding_recalled(*each) for each in quoting.items()]
        came += [
            talk.finding_not_written(lesson.sentence)
            for lesson in found.lessons
            if lesson.sentence not in known and lesson.sentence not in quoting
        ]
        if found.ignored:
            came.append(talk.nothing_found(found.ignored))
    return came
