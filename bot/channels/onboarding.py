"""What setting a repository up changes in it: settings, include line, attributes, a first store.

Pure: what stands there comes in, the files that change go out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from bot.lessons.adoption import Adopted, adopt
from bot.lessons.document import HEADER
from bot.lessons.edit import ATTRIBUTES, ATTRIBUTES_TEXT, LESSONS
from bot.lessons.include import include
from bot.settings import Settings
from bot.settings.file import FILE
from bot.settings.printing import to_yaml


@dataclass(frozen=True, slots=True)
class SetUp:
    """`changes`: paths to their new bytes. `adopted`: the lines of the store that got a trailer."""

    changes: Mapping[str, bytes]
    adopted: tuple[Adopted, ...] = ()


def set_up(
    files: Mapping[str, bytes | None],
    settings: Settings,
    today: date,
    *,
    adopting: bool = False,
) -> SetUp:
    """What is missing; nothing that is there is written over.

    `files` has the bytes of the settings, the store, its attributes and each of
    `settings.include`: None where there is no such file, no key where it may not be touched.
    `adopting`: lines with their provenance in another form get our trailer. Raises UserError where
    an agent file does not take the line.
    """
    changes = include(files, settings.include)
    news = {
        FILE: to_yaml(settings).encode(),
        ATTRIBUTES: ATTRIBUTES_TEXT,
        LESSONS: HEADER.encode(),
    }
    changes |= {path: data for path, data in news.items() if files.get(path, b"") is None}
    lessons = files.get(LESSONS)
    data, adopted = adopt(lessons, today) if lessons is not None else (b"", ())
    if adopting and adopted:
        changes[LESSONS] = data
    return SetUp(changes, adopted)
