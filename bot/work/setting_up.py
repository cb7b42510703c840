"""Reads from a commit what `bot.channels.onboarding` decides on when a repository is set up."""

from __future__ import annotations

from datetime import date

from bot.channels.onboarding import SetUp, set_up
from bot.git.clone import Clone, File, Kind
from bot.git.store import SETTINGS
from bot.git.trust import distrust
from bot.lessons.store import ATTRIBUTES, LESSONS
from bot.settings import Settings


def missing(
    clone: Clone, commit: str | None, settings: Settings, today: date, *, adopting: bool = False
) -> tuple[SetUp, tuple[str, ...]]:
    """What `set_up` makes of a commit, and the files that may not be touched, with the reason."""
    wanted = [SETTINGS, LESSONS, ATTRIBUTES, *settings.include]
    files = (
        clone.read_many(commit, wanted)
        if commit is not None
        else {path: File(path, Kind.ABSENT) for path in wanted}
    )
    reasons = {path: reason for path in wanted if (reason := distrust(files[path]))}
    readable = {
        path: None if file.kind is Kind.ABSENT else file.data
        for path, file in files.items()
        if path not in reasons
    }
    made = set_up(readable, settings, today, adopting=adopting)
    return made, tuple(f"{path} {reason}" for path, reason in reasons.items())
