"""Whether to tell a pull request that it repeats a lesson: from the third pull request on.

Pure. A second one is what every refresh is, and its reviewer has just said it there.
"""

from __future__ import annotations

from bot.lessons.store import Reckoning, Taught
from bot.settings import Settings

TIMES = 3  # pull requests that said it, this one among them; as often as it takes to stand


def repeats(came: Reckoning, settings: Settings) -> tuple[Taught, ...]:
    """The lessons that a pull request is told of; none where `repeat_notice` is off."""
    if not settings.repeat_notice:
        return ()
    return tuple(each for each in came.taught if len(each.before) + 1 >= TIMES)
