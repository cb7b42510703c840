"""A finding's lesson: one imperative sentence in its own language, when it applies, what to do."""

from __future__ import annotations

import re

from bot.distill.clauses import upper_first
from bot.distill.composing import composed
from bot.distill.finding import Finding
from bot.distill.foreign import composed_in
from bot.distill.material import Material, material
from bot.distill.model import Lesson

PHRASE = 120  # characters of a trigger or a strategy (SPEC 15)


def lesson(finding: Finding, characters: int) -> Lesson | str:
    """The finding's lesson in at most `characters`, or why there is none."""
    made = material(finding, characters - 1)
    text = None
    if made.dropped[:1] == ["service notice"]:
        return "service notice"
    if made.title or made.prose:
        text = composed(made) if made.language == "en" else composed_in(made)
    if text is None:
        return made.dropped[0] if made.dropped else "nothing general"
    sentence = made.masked.unmask(text)
    return Lesson(
        sentence=sentence,
        trigger=_trigger(made, sentence),
        strategy=_phrase(_action(sentence)),
        comment=finding.comment,
    )


def _action(sentence: str) -> str:
    """What is to be done, without why."""
    return re.split(r": |; ", sentence, maxsplit=1)[0]


def _trigger(made: Material, sentence: str) -> str:
    """The situation: the file that is changed, the code that is used."""
    place = f"changing `{made.path}`" if made.path else ""
    named = [f"`{s}`" for s in made.masked.spans if f"`{s}`" in sentence and s != made.path]
    about = f"using {', '.join(dict.fromkeys(named[:2]))}" if named else ""
    both = " or ".join(filter(None, (place, about)))
    return _phrase(upper_first(both if len(both) <= PHRASE else place or about))


def _phrase(text: str) -> str:
    """At most PHRASE characters, cut between words and never inside code."""
    if len(text) <= PHRASE:
        return text
    cut = text[: PHRASE + 1].rsplit(" ", 1)[0]
    return cut if cut.count("`") % 2 == 0 else cut.rsplit("`", 1)[0].rstrip()
