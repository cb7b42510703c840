"""Says in the check run of a pull request what a write made of it, and which lessons it repeats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot import check_run_text
from bot.channels.repeat import repeats
from bot.work.memory import Known, Waiting
from bot.work.sections import Sections
from bot.work.visit import Open
from bot.work.writing import Written

WRITTEN = "written"
REPEATED = "repeat:"  # then the lesson's id


@dataclass(frozen=True, slots=True)
class Reporting:
    """Listens to `bot.work.committing`, before whoever draws the check run."""

    sections: Sections
    now: Callable[[], datetime]

    def landed(self, known: Known, written: Written, waiting: Sequence[Waiting]) -> None:
        for came in written.edit.reckonings:
            for lesson in repeats(came, written.settings):
                notice = check_run_text.repeated(lesson)
                key = f"{REPEATED}{lesson.lesson}"
                self.sections.once(known.id, came.pr, key, notice, self.now(), wake=False)
            if came.taught and came.pr in written.edit.prs and written.commit is not None:
                report = check_run_text.written(came)
                self.sections.anew(known.id, came.pr, WRITTEN, report, self.now())

    def refused(self, known: Known, waiting: Sequence[Waiting], reason: str) -> None:
        """Nothing came of it that could be told."""

    def after(self, known: Known, opened: Open) -> None:
        """The check run is drawn by `bot.work.telling`."""
