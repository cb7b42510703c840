"""A person's own note, and text that a person has to look at: which one sentence of it may be kept.

Offline and deterministic, so that what is shown is what is kept.
"""

from __future__ import annotations

import re

from bot.distill.model import Lesson, Remark
from bot.distill.neutral import visible
from bot.distill.offline import Offline
from bot.distill.redact import redact
from bot.distill.validate import Refused, Valid, sentences, validate

_END = re.compile(r"[.!?…][\"'”’)\]]*\s+(?=\S)|[。！？](?=.)")


def as_typed(text: str, characters: int) -> Valid | Refused:
    """The whole text as one line, or why it may not be kept as it is."""
    return validate(" ".join(redact(visible(text)).text.split()), characters)


def first_sentence(text: str, characters: int) -> Lesson | None:
    """The first sentence as it stands; None where that one may not be kept."""
    line = " ".join(redact(visible(text)).text.split())
    for end in _END.finditer(line):
        if sentences(line[: end.end() + 1]) > 1:
            line = line[: end.end()].rstrip()
            break
    checked = validate(line, characters)
    return None if isinstance(checked, Refused) else Lesson(checked.text)


def suggested(text: str, characters: int) -> Lesson | None:
    """What would be kept of a text that no model may see before a person has."""
    found = Offline().distill((Remark(redact(visible(text)).text),), limit=1, characters=characters)
    return next(iter(found.lessons), None) or first_sentence(text, characters)
