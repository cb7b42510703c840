"""Events of one pull request that are heard at once are read one after the other."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path

from bot.demo.stage import Clock, stage
from bot.distill.model import Distilled, Distiller, Lesson, Remark
from bot.sandbox.pull_request import Inline
from bot.settings import Settings
from tests.work.conftest import START, make_shop

PATIENCE = 2.0  # seconds that the first call leaves for a second one, which must not come


class Slow:
    """A distiller whose first call lasts until there is a second one beside it."""

    def __init__(self) -> None:
        self.calls = 0
        self._second = threading.Event()

    def __call__(self, settings: Settings, repository: int) -> Distiller:
        return self

    def distill(self, remarks: tuple[Remark, ...], *, limit: int, characters: int) -> Distilled:
        self.calls += 1
        if self.calls == 1:
            self._second.wait(PATIENCE)
        self._second.set()
        return Distilled((Lesson("Close every session in a finally block."),))


def test_a_review_is_distilled_once_however_many_of_its_events_come_together(
    tmp_path: Path,
) -> None:
    slow = Slow()
    with stage(tmp_path, Clock(START - datetime.now(UTC)), using=slow) as playing:
        shop = make_shop(playing)
        pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
        playing.settle()
        drafts = [Inline("src/db.py", f"Close session {n} of the worker.", n) for n in (1, 2, 3)]
        pull.review("ada", "changes_requested", "", drafts)
        playing.settle()
        assert slow.calls == 1
        assert len(shop.bullets()) == 1
        playing.github.assert_no_surprises()
